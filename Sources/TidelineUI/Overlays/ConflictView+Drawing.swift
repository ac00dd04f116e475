import Replication
import TidelineCore

extension ConflictView {
    /// The minimum column width for a side. On narrower screens the sides are stacked.
    private static let narrowestColumn = 30

    func draw(on canvas: inout Canvas) {
        let size = canvas.surface.size
        let mark = canvas.context.ignoredMark(of: self)
        let title =
            (conflict?.title(ofRow: self.title) ?? self.title)
            + (mark == nil ? "" : " (ignored)")
        guard let conflict else {
            canvas.drawLines(
                [
                    problem.map { TextLine("! \($0)", .error) }
                        ?? TextLine(canvas.theme.text("loading the sides …"), .dim)
                ], title: title)
            return
        }
        var lines: [TextLine] = []
        if let mark {
            let note = mark.note.isEmpty ? "no note" : mark.note
            let date = TimeText.seconds(
                .init(mark.date), offset: canvas.context.preferences.utcOffset)
            lines = [
                TextLine([
                    (canvas.ignoredMark + " ignored: ", .label), (note, .plain),
                    ("  (since \(date))", .dim),
                ])
            ]
        }
        if canvas.context.session.status.phase == .missing {
            lines.append(TextLine("! \(SessionState.whyMissing)", .error))
        }
        let columns = size.columns - 4
        let blocks = conflict.sides.count + 1
        let beside = (columns - 2 * (blocks - 1)) / blocks
        let isBeside = beside >= Self.narrowestColumn
        let textColumns = (isBeside ? beside : columns) - 4
        let writer = ConflictWriter(
            view: self, conflict: conflict,
            texts: short.flatMap { $0.fit(textColumns) ? $0 : nil } ?? whole, canvas: canvas)
        if isBeside {
            let sides = conflict.sides.indices.map { writer.side($0, columns: beside) }
            lines += writer.joined([writer.base(columns: beside)] + sides, columns: beside)
        } else {
            for side in conflict.sides.indices {
                lines += writer.side(side, columns: columns, isBelow: true)
            }
            lines += writer.base(columns: columns)
        }
        lines += writer.fields(columns: columns)
        lines += writer.proposal(columns: columns)
        lines += writer.graph(columns: columns)
        lines += conflict.notes.map { TextLine("! \($0)", .warning) }
        if let problem { lines.append(TextLine("! \(problem)", .error)) }
        var frame = canvas.dialogArea
        frame.rows = min(frame.rows, lines.count + 3)
        let body = max(1, frame.rows - 3)
        let selected = lines.firstIndex(where: \.isSelected) ?? 0
        // The lines below the line with the cursor belong to that line.
        let followed = selected + 4 < body ? 0 : max(0, selected - min(1, body - 1))
        canvas.drawLines(
            lines, over: [writer.question(columns: columns)],
            title: "\(mark == nil ? canvas.mark(.conflict, or: "≠") : canvas.ignoredMark) "
                + canvas.theme.text(title),
            scrolled: Scrolled(lines: scrolled.top(of: lines.count, shown: body, from: followed)),
            in: frame)
    }
}
