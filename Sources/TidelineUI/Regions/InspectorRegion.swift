import Replication
import TidelineCore

/// The Inspector panel: details of the selected row.
struct InspectorRegion: RegionModule {
    struct Subject: Hashable, Sendable {
        var source: SourceID
        var row: RowID
        var instant: Timestamp?
        /// The form in which the row is shown.
        var form = Detail.Form.row
        /// The filter of the list that contains the row.
        var filter: String
        /// Increases whenever the row may have changed.
        var version: Int
        /// The cells of the list row. For a group, they depend on the filter.
        var cells: [RowCell]

        fileprivate func isSameRow(as other: Self) -> Bool {
            source == other.source && row == other.row && instant == other.instant
        }

        fileprivate func isSameForm(as other: Self) -> Bool {
            isSameRow(as: other) && form == other.form
        }
    }

    /// A section heading, or a line of a section.
    enum Line: Hashable, Sendable {
        case heading(String)
        case line(Detail.Line)
    }

    /// A visible line, with properties that depend on its neighbors.
    struct ShownLine: Hashable, Sendable {
        var line: Line
        /// The width of the widest label in the section, or among its first labels.
        var labelWidth = 0
        /// Whether the nested lines that follow are shown; `nil` if there are none.
        var isOpen: Bool?
        /// The labels of the section, the enclosing lines and the line itself.
        var path: [String]
        /// The part of the row that the line shows.
        var field: FieldPath? { if case .line(let line) = line { line.field } else { nil } }
    }

    /// A form that the user left for another one, with the selected line.
    private struct Left: Hashable, Sendable {
        var form: Detail.Form
        var cursor: Int
        var top: Int
    }

    /// The form in which the row is shown.
    private(set) var form = Detail.Form.row
    /// The forms to return to, and the one that the user is returning to.
    private var left: [Left] = []
    private var returning: Left?
    /// The row that ``detail`` belongs to.
    private(set) var shown: Subject?
    /// The row that was requested last.
    private var asked: Subject?
    private(set) var request: RequestID?
    /// The reason why the line is unavailable while it loads.
    static let isBeingRead = "the row is still loading"
    /// The details of the row, including the user's note.
    private(set) var detail: Detail? { didSet { arrange() } }
    /// The visible lines of ``detail``.
    private var lines: [ShownLine] = []
    /// The paths of lines whose folding the user changed from the default.
    private var turned: Set<[String]> = []
    /// The details as reported by the list's source.
    private var loaded: Detail? { didSet { annotate() } }
    /// The user's note on the row.
    private var note: Detail.Section? {
        didSet { if note != oldValue { annotate() } }
    }
    private(set) var problem: String?
    /// The part of the row to select once it has loaded.
    private var wanted: FieldPath?
    private(set) var cursor = 0
    private(set) var top = 0
    /// The number of screen rows of the top line that are scrolled out of view. Lines taller than
    /// the panel scroll row by row before the selection moves on.
    private(set) var rowsAbove = 0
    private(set) var sideScroll = 0

    static let region = Region.inspector
    static let isAboutRow = true

    static func move(by delta: Int, in model: inout Model) {
        if let inner = model.layout.inner(.inspector),
            model.regions.inspector.scrollInLine(by: delta, in: inner.size)
        {
            return
        }
        let count = model.regions.inspector.lineCount
        model.regions.inspector.cursor = model.regions.inspector.cursor.moved(by: delta, of: count)
        // When moving up to a tall line, show its end.
        model.regions.inspector.rowsAbove = delta == -1 ? .max : 0
        reveal(in: &model)
    }

    /// Scrolls within the selected line if it is taller than the panel.
    ///
    /// - Returns: Whether there was more to show in that direction.
    private mutating func scrollInLine(by delta: Int, in size: Size) -> Bool {
        guard top == cursor else { return false }
        let most = max(0, rows(at: cursor, width: size.columns).count - size.rows)
        guard delta > 0 ? rowsAbove < most : rowsAbove > 0 else { return false }
        let (next, overflow) = rowsAbove.addingReportingOverflow(delta)
        rowsAbove = overflow ? (delta > 0 ? most : 0) : max(0, min(next, most))
        return true
    }

    static func scrollSideways(by columns: Int, in model: inout Model) {
        model.regions.inspector.sideScroll = model.regions.inspector.sideScroll.moved(
            by: columns, of: 100_001)
    }

    static func open(in model: inout Model) -> [Effect] {
        let line = model.regions.inspector.selectedLine
        if let version = line?.version, model.time == nil {
            model.regions.inspector.show(.version(version))
            return []
        }
        if let instant = line?.instant, model.hasPast {
            // The value at that time comes first.
            (
                model.regions.inspector.cursor, model.regions.inspector.top,
                model.regions.inspector.rowsAbove
            ) = (0, 0, 0)
            return model.goIntoPast(to: instant, by: line?.writer)
        }
        if line?.link == nil, model.regions.inspector.fold() {
            reveal(in: &model)
            return []
        }
        return model.follow(line?.link, orSay: "nothing to open here")
    }

    /// Returns the effect of Enter on the selected line, in a word or two; `nil` for none.
    static func opening(in model: Model) -> String? {
        guard let line = model.regions.inspector.selectedLine else { return nil }
        if line.version != nil, model.time == nil { return "view version" }
        if line.instant != nil, model.hasPast { return "view then" }
        if line.link != nil { return "open" }
        return model.regions.inspector.lines[model.regions.inspector.cursor].isOpen.map {
            $0 ? "fold" : "unfold"
        }
    }

    /// Shows the row in another form. ``leaveForm()`` returns to the current one.
    mutating func show(_ form: Detail.Form) {
        guard form != self.form else { return }
        left.append(Left(form: self.form, cursor: cursor, top: top))
        if left.count > 100 { left.removeFirst() }
        self.form = form
        returning = nil
    }

    /// Returns to the form before the current one.
    ///
    /// - Returns: Whether there was one.
    mutating func leaveForm() -> Bool {
        guard let last = left.popLast() else { return false }
        form = last.form
        returning = last
        return true
    }

    /// Shows the row itself again.
    mutating func showRow() { (form, left, returning) = (.row, [], nil) }

    static func goBack(in model: inout Model) -> Bool { model.regions.inspector.leaveForm() }

    /// Selects the first part of the row that can be edited on its own.
    ///
    /// - Returns: Whether there is such a part.
    static func selectField(in model: inout Model) -> Bool {
        let inspector = model.regions.inspector
        guard inspector.shown?.row == model.list?.cursorID,
            let index = inspector.lines.firstIndex(where: { $0.field != nil })
        else { return false }
        model.regions.inspector.cursor = index
        reveal(in: &model)
        return true
    }

    /// Folds or unfolds the lines nested in the selected line.
    ///
    /// - Returns: Whether there are nested lines.
    private mutating func fold() -> Bool {
        guard lines.indices.contains(cursor), lines[cursor].isOpen != nil else { return false }
        let path = lines[cursor].path
        if turned.remove(path) == nil { turned.insert(path) }
        arrange()
        return true
    }

    static func click(
        at point: Point, in inner: Rect, of model: inout Model
    ) -> (isHit: Bool, effects: [Effect]) {
        let rows = model.regions.inspector.rows(in: inner.size)
        guard rows.indices.contains(point.row) else { return (false, []) }
        model.regions.inspector.cursor = rows[point.row].line
        return (opening(in: model) != nil, [])
    }

    static func alert(in model: Model) -> Alert? { ListRegion.alert(in: model) }

    static func reveal(in model: inout Model) {
        guard let inner = model.layout.inner(.inspector) else { return }
        model.regions.inspector.reveal(in: inner.size)
    }

    /// Scrolls so that the selected line is visible.
    private mutating func reveal(in size: Size) {
        top = max(0, min(top, cursor))
        var height = 0
        var first = cursor
        // Goes up from the selected line as long as whole lines fit.
        while first >= top, lines.indices.contains(first) {
            height += rows(at: first, width: size.columns).count
            if height > size.rows { break }
            first -= 1
        }
        top = max(top, min(first + 1, cursor))
        let most = top == cursor ? rows(at: top, width: size.columns).count - size.rows : 0
        rowsAbove = max(0, min(rowsAbove, most))
    }

    /// Selects a part of the row once it has loaded.
    mutating func want(_ field: FieldPath) { wanted = field }

    /// Keeps the cursor on its line, or on the same index if the line no longer exists.
    ///
    /// - Parameter path: The path of the line.
    private mutating func keepCursor(on path: [String]?) {
        cursor = max(0, min(cursor, lineCount - 1))
        if let wanted, let index = lines.firstIndex(where: { $0.field == wanted }) {
            (cursor, self.wanted) = (index, nil)
        } else if let path, shownLine(at: cursor)?.path != path {
            let same = lines.indices.filter { lines[$0].path == path }
            cursor = same.min { abs($0 - cursor) < abs($1 - cursor) } ?? cursor
        }
    }

    /// Inserts the note after the first section, whose heading represents the row.
    private mutating func annotate() {
        let path = shownLine(at: cursor)?.path
        var detail = loaded
        if let note, shown?.form == .row, let count = detail?.sections.count {
            detail?.sections.insert(note, at: min(1, count))
        }
        self.detail = detail
        keepCursor(on: path)
    }

    static func request(in model: inout Model) -> [Effect] {
        model.regions.inspector.note = model.regions.inspector.shown.flatMap {
            model.ignoredSection(of: $0.row)
        }
        guard let list = model.list, let row = list.selectedRow, list.cursorID == row.id else {
            // A missing store isn't read any more.
            if let list = model.list,
                model.session.status.phase == .gone
                    ? list.rows.isEmpty : list.isLoaded && list.total == 0
            {
                model.regions.inspector.shown = nil
                model.regions.inspector.asked = nil
                model.regions.inspector.loaded = nil
                model.regions.inspector.problem = nil
                model.regions.inspector.request = nil
            }
            return []
        }
        var subject = Subject(
            source: list.source.id, row: row.id, instant: list.query.instant,
            filter: list.query.filter, version: list.version, cells: row.cells)
        if model.regions.inspector.asked?.isSameRow(as: subject) != true {
            model.regions.inspector.showRow()
        }
        subject.form = model.regions.inspector.form
        let (asked, request) = (model.regions.inspector.asked, model.regions.inspector.request)
        guard asked != subject else { return [] }
        if let asked, request != nil, asked.isSameForm(as: subject) {
            // Only the version differs. The newer version is requested after this answer, so that
            // frequent changes can't delay every answer.
            return []
        }
        let id = model.requests.newID()
        model.regions.inspector.request = id
        model.regions.inspector.asked = subject
        return (request.map { [.cancel($0)] } ?? [])
            + [.detail(id, list.source.id, row.id, subject.form, list.query)]
    }

    static func receive(
        _ id: RequestID, _ answer: Message.Answer<Detail?>, in model: inout Model
    ) {
        guard model.regions.inspector.request == id else { return }
        model.regions.inspector.receive(answer, isGone: model.session.status.phase == .gone)
        reveal(in: &model)
    }

    /// Stores the answer to the current request.
    ///
    /// - Parameter isGone: Whether the store is missing. In that case an unreadable row may still
    ///   exist; the last known detail stays on screen, and the list shows the reason.
    private mutating func receive(_ answer: Message.Answer<Detail?>, isGone: Bool) {
        request = nil
        if isGone, (try? answer.get()) == nil {
            if let shown, let asked, shown.isSameForm(as: asked) {
                self.shown = asked
                return
            }
            (shown, loaded, problem) = (asked, nil, nil)
            (cursor, top, rowsAbove, sideScroll, turned) = (0, 0, 0, 0, [])
            return
        }
        if shown?.row != asked?.row {
            (cursor, top, rowsAbove, sideScroll, turned) = (0, 0, 0, 0, [])
            wanted = nil
        }
        // The lines of another form have nothing to do with these.
        let isOtherForm = shown?.form != asked?.form
        if isOtherForm {
            loaded = nil
            (cursor, top, rowsAbove, sideScroll) = (0, 0, 0, 0)
        }
        shown = asked
        switch answer {
        case .success(let detail):
            loaded = detail
            problem = detail == nil ? asked?.form.whyMissing : nil
        case .failure(let failure):
            loaded = nil
            problem = failure.message
        }
        if isOtherForm, let returning {
            cursor = max(0, min(returning.cursor, lineCount - 1))
            top = min(returning.top, cursor)
            self.returning = nil
        }
    }

    static func title(in model: Model) -> String {
        let title = model.regions.inspector.detail?.title ?? ""
        let note =
            switch model.regions.inspector.shown?.form {
            case .version: ", earlier version"
            case .authors: ", by writer"
            case .row, nil: ""
            }
        return "0 Inspector" + (title.isEmpty ? "" : ": \(title)\(note)")
    }

    static func place(in model: Model) -> String {
        place(model.regions.inspector.cursor + 1, of: model.regions.inspector.lineCount)
    }

    static func hints(in model: Model) -> [String] {
        // A missing store isn't read, so there is nothing to copy.
        (model.regions.inspector.form == .row ? model.editHints : [])
            + (opening(in: model) == nil ? [] : ["enter"])
            + (model.canRestore == .available ? ["restore"] : [])
            + (model.canShowAuthors == .available ? ["authors"] : [])
            + (model.session.status.phase == .gone ? [] : ["copy"]) + ["back", "help"]
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

    /// Lays out the lines that aren't folded away.
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
        // Lines deeper than this are folded away.
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

extension Detail.Form {
    /// Why there is nothing to show.
    fileprivate var whyMissing: String {
        switch self {
        case .row: "row not found"
        case .version: "this version is no longer available"
        case .authors: "no text to show by writer"
        }
    }
}
