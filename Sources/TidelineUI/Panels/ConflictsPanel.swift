import Replication
import TidelineCore

/// The Conflicts panel: the sides of the visible rows, in one column per device.
struct ConflictsPanel: PanelModule {
    struct Subject: Hashable, Sendable {
        var source: SourceID
        var rows: [RowID]
        var instant: Timestamp?
        var version: Int
    }

    private var asked: Subject?
    private(set) var request: RequestID?
    private(set) var known: [RowID: RowConflict] = [:]
    /// Whether to keep the loaded sides. A missing store can't be read again.
    private var keepsKnown = false

    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        let layout = context.layout
        guard layout.panels[.conflicts] != nil, let list = context.list else { return [] }
        let rows = list.visibleRows(layout.listHeight).filter(\.isConflict).map(\.id)
        let subject = Subject(
            source: list.source.id, rows: rows, instant: list.query.instant,
            version: list.version)
        guard asked != subject, request == nil else { return [] }
        keepsKnown =
            context.session.status.phase == .missing && asked?.source == subject.source
            && asked?.instant == subject.instant
        asked = subject
        if rows.isEmpty {
            known = [:]
            return []
        }
        let id = requests.newID()
        request = id
        return [.conflicts(id, list.source.id, rows, at: list.query.instant)]
    }

    mutating func receive(_ id: RequestID, _ answer: Answer<[RowID: [RowConflict]]>) {
        guard request == id else { return }
        request = nil
        guard case .success(let all) = answer else { return }
        let known = all.compactMapValues(\.first)
        self.known = keepsKnown ? known.merging(self.known) { $1 } : known
    }

    func title(in context: ScreenContext) -> String { "Conflicts by device: rows in view" }

    func draw(in inner: Rect, on canvas: inout Canvas) {
        let (context, theme) = (canvas.context, canvas.theme)
        guard let list = context.list else { return }
        let rows = list.rows.filter { known[$0.id] != nil }
        guard !rows.isEmpty else {
            let key = context.keymap.hint(for: "next-conflict")
            canvas.surface.put(
                "no conflicts in view; press \(key) for the next", in: inner, style: theme[.dim],
                alignment: .leading)
            return
        }
        let authors = Set(known.values.flatMap { $0.sides.map(\.author) }).sorted()
        let first = min(20, inner.columns / 3)
        let width = max(6, (inner.columns - first) / max(1, authors.count))
        let shown = authors.prefix(max(1, (inner.columns - first) / width))
        for (index, author) in shown.enumerated() {
            canvas.surface.put(
                context.session.name(of: author),
                at: inner.origin.right(by: first + index * width),
                style: theme[context.session.role(of: author)], maxWidth: width - 1)
        }
        // The last line is for the conflicts that aren't listed.
        let isWhole = rows.count < inner.rows && others(than: rows[...], in: context) == 0
        let listed = rows.prefix(max(0, inner.rows - (isWhole ? 1 : 2)))
        for (offset, row) in listed.enumerated() {
            let line = inner.line(1 + offset)
            canvas.surface.put(
                row.cells.first?.text ?? row.id.name, at: line.origin, style: theme[.key],
                maxWidth: first - 1)
            for (index, author) in shown.enumerated() {
                guard let side = known[row.id]?.sides.first(where: { $0.author == author }) else {
                    continue
                }
                let star = side.isWinner ? canvas.winnerMark + " " : ""
                canvas.put(
                    [(star, .winner), (side.line, Role(side.role))],
                    at: line.origin.right(by: first + index * width),
                    maxWidth: width - 1)
            }
            if row.id == list.cursorID { canvas.select(line, in: .list) }
        }
        if !isWhole, inner.rows > 1 {
            let count = max(rows.count - listed.count, others(than: listed, in: context))
            let key = context.keymap.hint(for: "next-conflict")
            canvas.surface.put(
                "\(Counted.text(count, "more conflict")); press \(key) for the next",
                in: inner, row: inner.rows - 1, style: theme[.dim], alignment: .leading)
        }
    }

    /// Returns the number of conflicts in the store that need attention, without the conflicts of
    /// `rows`. Returns 0 for an earlier time, because the number is unknown.
    private func others(than rows: ArraySlice<Row>, in context: ScreenContext) -> Int {
        guard context.instant == nil else { return 0 }
        let listed = rows.filter { context.ignoredMark(of: $0.id) == nil }
        return max(0, context.openConflictCount - listed.reduce(0) { $0 + $1.conflictCount })
    }
}
