import Replication
import TidelineCore

/// All about the selected row, line by line.
struct InspectorRegion: RegionModule {
    struct Subject: Hashable, Sendable {
        var source: SourceID
        var row: RowID
        var instant: Timestamp?
        /// The filter that the row is one of.
        var filter: String
        /// Grows when the row may have changed.
        var version: Int
        /// What the list says of it: of a group, what its filter leaves.
        var cells: [RowCell]

        fileprivate func isSameRow(as other: Self) -> Bool {
            source == other.source && row == other.row && instant == other.instant
        }
    }

    /// The heading of a section, or a line in it.
    enum Line: Hashable, Sendable {
        case heading(String)
        case line(Detail.Line)
    }

    /// A line that is shown, with what its place among the others says of it.
    struct ShownLine: Hashable, Sendable {
        var line: Line
        /// The columns of the widest label in its section, of the first labels at least.
        var labelWidth = 0
        /// Whether the deeper lines that follow it are shown; `nil` where none do.
        var isOpen: Bool?
        /// The section, and what it is called in it, behind what it is inside of.
        var path: [String]
        /// The part of the row that it shows.
        var field: FieldPath? { if case .line(let line) = line { line.field } else { nil } }
    }

    /// What ``detail`` is about.
    private(set) var shown: Subject?
    /// What was asked for last.
    private var asked: Subject?
    private(set) var request: RequestID?
    /// Why nothing can be done with its line for a moment.
    static let isBeingRead = "the row is still being read"
    /// All about the row, with what this person has noted of it.
    private(set) var detail: Detail? { didSet { arrange() } }
    /// The lines of ``detail`` that are shown.
    private var lines: [ShownLine] = []
    /// Those that a person has folded or unfolded, unlike they are at first.
    private var turned: Set<[String]> = []
    /// The same as the list tells it.
    private var told: Detail? { didSet { annotate() } }
    /// What this person has noted of the row.
    private var note: Detail.Section? {
        didSet { if note != oldValue { annotate() } }
    }
    private(set) var problem: String?
    /// The part that is to be selected once it is there.
    private var wanted: FieldPath?
    private(set) var cursor = 0
    private(set) var top = 0
    /// How many rows of the line at the top are above what is visible: of one that is longer than
    /// the region, which is scrolled through before the next line is gone to.
    private(set) var rowsAbove = 0
    private(set) var sideScroll = 0

    static let region = Region.inspector
    static let isAboutRow = true

    static func move(by delta: Int, in model: inout Model) {
        if let inner = model.layout.inner(.inspector),
            model.inspector.scrollInLine(by: delta, in: inner.size)
        {
            return
        }
        let count = model.inspector.lineCount
        model.inspector.cursor = model.inspector.cursor.moved(by: delta, of: count)
        // A long line is come to at its end from below.
        model.inspector.rowsAbove = delta == -1 ? .max : 0
        reveal(in: &model)
    }

    /// Scrolls on inside of the selected line, where it is longer than the region.
    ///
    /// - Returns: Whether there was more of it that way.
    private mutating func scrollInLine(by delta: Int, in size: Size) -> Bool {
        guard top == cursor else { return false }
        let most = max(0, rows(at: cursor, width: size.columns).count - size.rows)
        guard delta > 0 ? rowsAbove < most : rowsAbove > 0 else { return false }
        let (next, overflow) = rowsAbove.addingReportingOverflow(delta)
        rowsAbove = overflow ? (delta > 0 ? most : 0) : max(0, min(next, most))
        return true
    }

    static func scrollSideways(by columns: Int, in model: inout Model) {
        model.inspector.sideScroll = model.inspector.sideScroll.moved(by: columns, of: 100_001)
    }

    static func open(in model: inout Model) -> [Effect] {
        let line = model.inspector.selectedLine
        if let instant = line?.instant, model.hasPast {
            // The value that the row had then stands first.
            (model.inspector.cursor, model.inspector.top, model.inspector.rowsAbove) = (0, 0, 0)
            return model.goIntoPast(to: instant, by: line?.writer)
        }
        if line?.link == nil, model.inspector.fold() {
            reveal(in: &model)
            return []
        }
        return model.follow(line?.link, orSay: "this line has nothing to open")
    }

    /// What opening the selected line does, in a word; `nil`: nothing.
    static func opening(in model: Model) -> String? {
        guard let line = model.inspector.selectedLine else { return nil }
        if line.instant != nil, model.hasPast { return "as it was then" }
        if line.link != nil { return "open" }
        return model.inspector.lines[model.inspector.cursor].isOpen.map { $0 ? "fold" : "unfold" }
    }

    /// Selects the first part of the list's row that can be edited by itself.
    ///
    /// - Returns: Whether there is one.
    static func selectField(in model: inout Model) -> Bool {
        let inspector = model.inspector
        guard inspector.shown?.row == model.list?.cursorID,
            let index = inspector.lines.firstIndex(where: { $0.field != nil })
        else { return false }
        model.inspector.cursor = index
        reveal(in: &model)
        return true
    }

    /// Shows the deeper lines that follow the selected one, or hides them.
    ///
    /// - Returns: Whether there are such lines.
    private mutating func fold() -> Bool {
        guard lines.indices.contains(cursor), lines[cursor].isOpen != nil else { return false }
        let path = lines[cursor].path
        if turned.remove(path) == nil { turned.insert(path) }
        arrange()
        return true
    }

    static func click(at point: Point, in inner: Rect, of model: inout Model) -> Bool {
        let rows = model.inspector.rows(in: inner.size)
        guard rows.indices.contains(point.row) else { return false }
        model.inspector.cursor = rows[point.row].line
        return opening(in: model) != nil
    }

    static func alert(in model: Model) -> Alert? { ListRegion.alert(in: model) }

    static func reveal(in model: inout Model) {
        guard let inner = model.layout.inner(.inspector) else { return }
        model.inspector.reveal(in: inner.size)
    }

    /// Moves the visible part so that the selected line is in it.
    private mutating func reveal(in size: Size) {
        top = max(0, min(top, cursor))
        var height = 0
        var first = cursor
        // From the selected line upwards, as far as all of it fits.
        while first >= top, lines.indices.contains(first) {
            height += rows(at: first, width: size.columns).count
            if height > size.rows { break }
            first -= 1
        }
        top = max(top, min(first + 1, cursor))
        let most = top == cursor ? rows(at: top, width: size.columns).count - size.rows : 0
        rowsAbove = max(0, min(rowsAbove, most))
    }

    /// Has a part be selected once it is there.
    mutating func want(_ field: FieldPath) { wanted = field }

    /// Keeps the cursor on its line, wherever that is by now, and on its place where there is none
    /// like it.
    ///
    /// - Parameter path: What the line is called.
    private mutating func keepCursor(on path: [String]?) {
        cursor = max(0, min(cursor, lineCount - 1))
        if let wanted, let index = lines.firstIndex(where: { $0.field == wanted }) {
            (cursor, self.wanted) = (index, nil)
        } else if let path, shownLine(at: cursor)?.path != path {
            let same = lines.indices.filter { lines[$0].path == path }
            cursor = same.min { abs($0 - cursor) < abs($1 - cursor) } ?? cursor
        }
    }

    /// Puts the note behind the first section, whose heading stands for the row.
    private mutating func annotate() {
        let path = shownLine(at: cursor)?.path
        var detail = told
        if let note, let count = detail?.sections.count {
            detail?.sections.insert(note, at: min(1, count))
        }
        self.detail = detail
        keepCursor(on: path)
    }

    static func request(in model: inout Model) -> [Effect] {
        model.inspector.note = model.inspector.shown.flatMap { model.benignSection(of: $0.row) }
        guard let list = model.list, let row = list.selectedRow, list.cursorID == row.id else {
            // Of a store that is gone no more is read.
            if let list = model.list,
                model.status.phase == .gone
                    ? list.rows.isEmpty : list.isLoaded && list.total == 0
            {
                model.inspector.shown = nil
                model.inspector.asked = nil
                model.inspector.told = nil
                model.inspector.problem = nil
                model.inspector.request = nil
            }
            return []
        }
        let subject = Subject(
            source: list.source.id, row: row.id, instant: list.query.instant,
            filter: list.query.filter, version: list.version, cells: row.cells)
        let (asked, request) = (model.inspector.asked, model.inspector.request)
        guard asked != subject else { return [] }
        if let asked, request != nil, asked.isSameRow(as: subject) {
            // Only newer: asked for when this answer is there, so that a stream of changes does
            // not keep every answer away.
            return []
        }
        let id = model.newRequest()
        model.inspector.request = id
        model.inspector.asked = subject
        return (request.map { [.cancel($0)] } ?? [])
            + [.detail(id, list.source.id, row.id, list.query)]
    }

    static func receive(
        _ id: RequestID, _ answer: Message.Answer<Detail?>, in model: inout Model
    ) {
        guard model.inspector.request == id else { return }
        model.inspector.receive(answer, isGone: model.status.phase == .gone)
        reveal(in: &model)
    }

    /// - Parameter isGone: Whether the store is gone: then that a row cannot be read does not mean
    ///   that there is none. Why it cannot stands under the list, and what was read of it stays.
    private mutating func receive(_ answer: Message.Answer<Detail?>, isGone: Bool) {
        request = nil
        if isGone, (try? answer.get()) == nil {
            if let shown, let asked, shown.isSameRow(as: asked) {
                self.shown = asked
                return
            }
            (shown, told, problem) = (asked, nil, nil)
            (cursor, top, rowsAbove, sideScroll, turned) = (0, 0, 0, 0, [])
            return
        }
        if shown?.row != asked?.row {
            (cursor, top, rowsAbove, sideScroll, turned) = (0, 0, 0, 0, [])
            wanted = nil
        }
        shown = asked
        switch answer {
        case .success(let detail):
            told = detail
            problem = detail == nil ? "there is no such row" : nil
        case .failure(let failure):
            told = nil
            problem = failure.message
        }
    }

    static func title(in model: Model) -> String {
        let title = model.inspector.detail?.title ?? ""
        return "0 Inspector" + (title.isEmpty ? "" : ": \(title)")
    }

    static func place(in model: Model) -> String {
        place(model.inspector.cursor + 1, of: model.inspector.lineCount)
    }

    static func hints(in model: Model) -> [String] {
        // Of a store that is gone nothing is read, to be copied.
        model.editHints + (opening(in: model) == nil ? [] : ["enter"])
            + (model.status.phase == .gone ? [] : ["copy"]) + ["back", "help"]
    }
}

/// The lines of the detail.
extension InspectorRegion {
    var lineCount: Int { lines.count }

    func line(at index: Int) -> Line? { shownLine(at: index)?.line }

    func shownLine(at index: Int) -> ShownLine? {
        lines.indices.contains(index) ? lines[index] : nil
    }

    var selectedLine: Detail.Line? {
        if case .line(let line) = line(at: cursor) { line } else { nil }
    }

    /// Lays out the lines that are not inside of folded ones.
    private mutating func arrange() {
        lines = (detail?.sections ?? []).flatMap { section in
            let heading = ShownLine(
                line: .heading(section.title), labelWidth: Self.labelWidth(of: section),
                path: [section.title])
            return [heading] + shownLines(of: section)
        }
    }

    private func shownLines(of section: Detail.Section) -> [ShownLine] {
        let labelWidth = Self.labelWidth(of: section)
        var result: [ShownLine] = []
        var path = [section.title]
        // Lines deeper than this are inside of a folded one.
        var hiddenBelow = Int.max
        for (index, line) in section.lines.enumerated() {
            if line.depth > hiddenBelow { continue }
            hiddenBelow = .max
            path.removeSubrange(min(path.count, 1 + max(0, line.depth))...)
            path.append(line.label.isEmpty ? line.text : line.label)
            var shown = ShownLine(line: .line(line), labelWidth: labelWidth, path: path)
            if section.lines.indices.contains(index + 1),
                section.lines[index + 1].depth > line.depth
            {
                let isOpen = line.startsFolded == turned.contains(path)
                shown.isOpen = isOpen
                if !isOpen { hiddenBelow = line.depth }
            }
            result.append(shown)
        }
        return result
    }

    private static func labelWidth(of section: Detail.Section) -> Int {
        section.lines.prefix(40).reduce(0) {
            max($0, CharacterWidth.width(of: String($1.label.prefix(40))))
        }
    }
}

extension Model {
    /// The part of the row that an edit is about: that of the inspector's line, when it has the
    /// focus.
    var selectedField: FieldPath? { focus == .inspector ? inspector.selectedLine?.field : nil }

    /// Where something is added from the inspector: where its line says, else where the first line
    /// does that says anything.
    var selectedAddition: Detail.Addition? {
        guard focus == .inspector else { return nil }
        return inspector.selectedLine?.addition
            ?? inspector.detail?.sections.lazy.flatMap(\.lines).first { $0.addition != nil }?
            .addition
    }

    /// Why an edit could not be about the inspector's line; `nil` when it is, or when the inspector
    /// is not what the keys go to.
    func whyLineIsNothing(for kind: EditKind) -> String? {
        guard focus == .inspector else { return nil }
        guard inspector.shown?.row == list?.cursorID,
            let line = inspector.line(at: inspector.cursor)
        else { return InspectorRegion.isBeingRead }
        // The heading of all stands for the row itself.
        if inspector.cursor == 0, kind != .add { return nil }
        let back = keymap.hint(for: "back")
        switch (kind, line) {
        case (.add, _):
            return selectedAddition == nil
                ? "nothing can be added inside this value; \(back) goes to the rows" : nil
        case (.set, .line(let line)), (.remove, .line(let line)):
            return line.field == nil
                ? "this line is not part of the value; \(back) goes to the row" : nil
        case (.rename, .line(let line)):
            return line.field?.steps.isEmpty ?? true
                ? "only a member of a dictionary has a name here; \(back) goes to the row" : nil
        case (_, .heading) where kind == .set || kind == .remove || kind == .rename:
            return "this line is not part of the value; \(back) goes to the row"
        default: return nil
        }
    }
}
