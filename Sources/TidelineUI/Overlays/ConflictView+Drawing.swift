import Replication
import TidelineCore

extension ConflictView {
    /// The minimum column width for a side. On narrower screens the sides are stacked.
    private static let narrowestColumn = 30

    /// The width of the list of conflicts that stays visible.
    private static let listColumns = 56
    /// The minimum width of a screen that has room for the list and the conflict.
    private static let leastBesideList = 140

    /// Returns whether conflicts are shown next to the list of all conflicts.
    static func isBesideList(in context: ScreenContext) -> Bool {
        guard let pane = context.navigation.pane, let list = context.layout.panels[.list] else {
            return false
        }
        return pane.listsConflicts && pane.lists.count == 1 && !list.isEmpty
            && context.size.columns >= leastBesideList
    }

    /// Returns the part of the area for dialogs that the conflict screen uses.
    func area(in whole: Rect, of context: ScreenContext) -> Rect {
        guard Self.isBesideList(in: context), let list = context.layout.panels[.list] else {
            return whole
        }
        var area = whole
        area.column = list.column + Self.listColumns
        area.columns = whole.endColumn - area.column
        return area
    }

    func draw(on canvas: inout Canvas) {
        let area = area(in: canvas.dialogArea, of: canvas.context)
        let mark = canvas.context.ignoredMark(of: self)
        let title =
            (conflict?.title(ofRow: self.title) ?? self.title)
            + (mark == nil ? "" : " (ignored)")
        guard let conflict else {
            let lines =
                problem.map { canvas.sentence("! ", $0, .error, columns: area.columns - 4) }
                ?? [TextLine(canvas.theme.text("loading the sides …"), .dim)]
            let widest = lines.reduce(38) { max($0, $1.width) }
            canvas.drawLines(
                lines, title: title,
                in: OverlayFrame.centered(columns: widest + 2, rows: lines.count, in: area))
            return
        }
        var lines: [TextLine] = []
        if let mark {
            let note = mark.note.isEmpty ? "no note" : mark.note
            let date = Timestamp(mark.date).secondText(in: canvas.context.preferences.utcOffset)
            lines = [
                TextLine([
                    (canvas.ignoredMark + " ignored: ", .label), (note, .plain),
                    ("  (since \(date))", .dim),
                ])
            ]
        }
        let columns = area.columns - 4
        if canvas.context.session.status.phase == .missing {
            lines += canvas.sentence("! ", SessionState.whyMissing, .error, columns: columns)
        }
        let blocks = conflict.sides.count + 1
        let beside = (columns - 2 * (blocks - 1)) / blocks
        let isBeside = beside >= Self.narrowestColumn
        let textColumns = (isBeside ? beside : columns) - 4
        let conflictLines = ConflictLines(
            view: self, conflict: conflict,
            texts: short.flatMap { $0.fit(textColumns) ? $0 : nil } ?? whole, canvas: canvas)
        if isBeside {
            let sides = conflict.sides.indices.map { conflictLines.side($0, columns: beside) }
            let base = conflictLines.base(columns: beside)
            lines += conflictLines.joined([base] + sides, columns: beside)
        } else {
            for side in conflict.sides.indices {
                lines += conflictLines.side(side, columns: columns, isBelow: true)
            }
            lines += conflictLines.base(columns: columns)
        }
        lines += conflictLines.fields(columns: columns)
        lines += conflictLines.proposal(columns: columns)
        lines += conflictLines.graph(columns: columns)
        lines += conflict.notes.flatMap {
            canvas.sentence("! ", $0, .warning, columns: columns)
        }
        if let problem { lines += canvas.sentence("! ", problem, .error, columns: columns) }
        // At least one line of the sides stays visible.
        let question = Array(conflictLines.question(columns: columns).prefix(max(1, area.rows - 3)))
        var frame = area
        // If the list stays visible, make the frame as high as the list, so that no part of the
        // inspector shows below it.
        let list = Self.isBesideList(in: canvas.context) ? canvas.context.layout.panels[.list] : nil
        frame.rows = min(frame.rows, max(lines.count + question.count + 2, list?.rows ?? 0))
        let body = max(1, frame.rows - question.count - 2)
        let selected = lines.firstIndex(where: \.isSelected) ?? 0
        // The lines below the line with the cursor belong to it.
        let followed = selected + 4 < body ? 0 : max(0, selected - min(1, body - 1))
        canvas.drawLines(
            lines, over: question,
            title: "\(mark == nil ? canvas.mark(.conflict, or: "≠") : canvas.ignoredMark) "
                + canvas.theme.text(title),
            scrolled: Scrolled(lines: scrolled.top(of: lines.count, shown: body, from: followed)),
            in: frame)
    }
}
