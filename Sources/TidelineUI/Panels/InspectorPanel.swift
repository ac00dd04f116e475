import Replication
import TidelineCore

/// The Inspector panel: details of the selected row.
struct InspectorPanel: PanelModule {
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

    /// The heading of a section, or a line of its content.
    enum Line: Hashable, Sendable {
        case heading(String)
        case line(Detail.Line)
    }

    /// A visible line, with properties that depend on its neighbors.
    struct ShownLine: Hashable, Sendable {
        var line: Line
        /// The width of the widest label in the section.
        var labelWidth = 0
        /// Whether the nested lines that follow are shown; `nil` if there are none.
        var isOpen: Bool?
        /// The labels of the section, the enclosing lines and the line itself.
        var path: [String]
        /// The part of the row that the line shows.
        var field: FieldPath? { if case .line(let line) = line { line.field } else { nil } }
    }

    /// A form that the user left for another form, with the line that was selected.
    private struct Left: Hashable, Sendable {
        var form: Detail.Form
        var cursor: Int
        var top: Int
    }

    /// The form in which the row is shown.
    private(set) var form = Detail.Form.row
    /// The forms that the user can return to, and the form that is being restored.
    private var left: [Left] = []
    private var returning: Left?
    /// The row that ``detail`` belongs to.
    private(set) var shown: Subject?
    /// The row that was requested last.
    private var asked: Subject?
    private(set) var request: RequestID?
    /// The reason why the line is unavailable while the row loads.
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

    mutating func move(by delta: Int, in context: ScreenContext) -> [ScreenOutcome] {
        if let inner = context.layout.inner(.inspector),
            scrollInLine(by: delta, in: inner.size)
        {
            return []
        }
        cursor = cursor.moved(by: delta, of: lineCount)
        // When moving up to a tall line, show its end.
        rowsAbove = delta == -1 ? .max : 0
        reveal(in: context)
        return []
    }

    /// Selects the heading of another section, and scrolls to show as much of the section as fits.
    /// Returns whether there is a section in that direction.
    mutating func moveBySections(_ delta: Int, in context: ScreenContext) -> Bool {
        let headings = lines.indices.filter {
            if case .heading = lines[$0].line { true } else { false }
        }
        let ahead =
            delta > 0
            ? headings.filter { $0 > cursor } : Array(headings.filter { $0 < cursor }.reversed())
        guard let heading = ahead.prefix(Int(clamping: delta.magnitude)).last else { return false }
        let end = headings.first { $0 > heading } ?? lines.endIndex
        rowsAbove = 0
        for index in [end - 1, heading] {
            cursor = index
            reveal(in: context)
        }
        return true
    }

    /// Scrolls within the selected line if it is taller than the panel. Returns whether it moved.
    private mutating func scrollInLine(by delta: Int, in size: Size) -> Bool {
        guard top == cursor else { return false }
        let most = max(0, rows(at: cursor, width: size.columns).count - size.rows)
        guard delta > 0 ? rowsAbove < most : rowsAbove > 0 else { return false }
        rowsAbove = rowsAbove.moved(by: delta, of: most + 1)
        return true
    }

    mutating func scrollSideways(by columns: Int, in context: ScreenContext) -> [ScreenOutcome] {
        sideScroll = sideScroll.moved(by: columns, of: 100_001)
        return []
    }

    mutating func open(in context: ScreenContext) -> [ScreenOutcome] {
        let line = selectedLine
        if let version = line?.version, context.instant == nil {
            show(.version(version))
            return []
        }
        if let instant = line?.instant, context.hasPast {
            // Select the first line, which has the value at that time.
            (cursor, top, rowsAbove) = (0, 0, 0)
            return [.goIntoPast(to: instant, by: line?.writer)]
        }
        if let link = line?.link { return [.follow(link)] }
        if line?.isOmission == true {
            let copy = context.keymap.hint(for: "copy")
            let text =
                "the rest isn't shown; press \(copy) to copy the whole value, or run :save FILE"
            return [.notice(.info, text)]
        }
        guard fold() else { return [.notice(.info, "nothing to open here")] }
        reveal(in: context)
        return []
    }

    /// Returns a short name for the effect of Enter on the selected line; `nil` if it has none.
    func opening(in context: ScreenContext) -> String? {
        guard let line = selectedLine else { return nil }
        if line.version != nil, context.instant == nil { return "view version" }
        if line.instant != nil, context.hasPast { return "time travel" }
        if line.link != nil { return "open" }
        return lines[cursor].isOpen.map { $0 ? "fold" : "unfold" }
    }

    /// Shows the row in another form. ``goBack()`` returns to the form shown before.
    mutating func show(_ form: Detail.Form) {
        guard form != self.form else { return }
        left.append(Left(form: self.form, cursor: cursor, top: top))
        if left.count > 100 { left.removeFirst() }
        self.form = form
        returning = nil
    }

    /// Returns to the form before the current one.
    mutating func goBack() -> Bool {
        guard let last = left.popLast() else { return false }
        form = last.form
        returning = last
        return true
    }

    /// Shows the row itself again.
    mutating func showRow() { (form, left, returning) = (.row, [], nil) }

    /// Selects the first part of the row that can be edited alone. Returns whether there is one.
    mutating func selectField(in context: ScreenContext) -> Bool {
        guard shown?.row == context.list?.cursorID,
            let index = lines.firstIndex(where: { $0.field != nil })
        else { return false }
        cursor = index
        reveal(in: context)
        return true
    }

    /// Folds or unfolds the lines nested in the selected line. Returns whether there are any.
    private mutating func fold() -> Bool {
        guard lines.indices.contains(cursor), lines[cursor].isOpen != nil else { return false }
        let path = lines[cursor].path
        if turned.remove(path) == nil { turned.insert(path) }
        arrange()
        return true
    }

    mutating func click(at point: Point, in inner: Rect, of context: ScreenContext) -> Click {
        let rows = rows(in: inner.size)
        guard rows.indices.contains(point.row) else { return (false, []) }
        cursor = rows[point.row].line
        return (opening(in: context) != nil, [])
    }

    func alert(in context: ScreenContext) -> Alert? { context.navigation.alert }

    mutating func reveal(in context: ScreenContext) {
        guard let inner = context.layout.inner(.inspector) else { return }
        reveal(in: inner.size)
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
    private mutating func keepCursor(on path: [String]?) {
        cursor = max(0, min(cursor, lineCount - 1))
        if let wanted, let index = lines.firstIndex(where: { $0.field == wanted }) {
            (cursor, self.wanted) = (index, nil)
        } else if let path, shownLine(at: cursor)?.path != path {
            let same = lines.indices.filter { lines[$0].path == path }
            cursor = same.min { abs($0 - cursor) < abs($1 - cursor) } ?? cursor
        }
    }

    /// Inserts the user's note after the first section. The heading of the first section stands for
    /// the whole row, so that section stays first.
    private mutating func annotate() {
        let path = shownLine(at: cursor)?.path
        var detail = loaded
        if let note, shown?.form == .row, let count = detail?.sections.count {
            detail?.sections.insert(note, at: min(1, count))
        }
        self.detail = detail
        keepCursor(on: path)
    }

    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        note = shown.flatMap { context.ignoredSection(of: $0.row) }
        guard let list = context.list, let row = list.selectedRow, list.cursorID == row.id else {
            // A missing store is no longer read.
            if let list = context.list,
                context.session.status.phase == .missing
                    ? list.rows.isEmpty : list.isLoaded && list.total == 0
            {
                (shown, asked, loaded, problem, request) = (nil, nil, nil, nil, nil)
            }
            return []
        }
        var subject = Subject(
            source: list.source.id, row: row.id, instant: list.query.instant,
            filter: list.query.filter, version: list.version, cells: row.cells)
        if asked?.isSameRow(as: subject) != true { showRow() }
        subject.form = form
        guard asked != subject else { return [] }
        if let asked, request != nil, asked.isSameForm(as: subject) {
            // Only the version differs. The newer version is requested after this answer.
            // Otherwise, frequent changes could prevent any answer from being shown.
            return []
        }
        let canceled: [Effect] = request.map { [.cancel($0)] } ?? []
        let id = requests.newID()
        request = id
        asked = subject
        return canceled + [.detail(id, list.source.id, row.id, subject.form, list.query)]
    }

    /// Stores the answer to the current request. While the store is missing, a row that can't be
    /// read may still exist. In this case, the last known detail stays on the screen, and the list
    /// shows the reason.
    mutating func receive(_ id: RequestID, _ answer: Answer<Detail?>, in context: ScreenContext) {
        guard request == id else { return }
        request = nil
        defer { reveal(in: context) }
        if context.session.status.phase == .missing, (try? answer.get()) == nil {
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
        // In another form, the lines are different.
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

    func title(in context: ScreenContext) -> String {
        let title = detail?.title ?? ""
        let note =
            switch shown?.form {
            case .version: ", earlier version"
            case .authors: ", by writer"
            case .row, nil:
                // The list names the incomplete devices, but the inspector can hide the list.
                context.list?.source.hasPast == true && context.session.missingRows != nil
                    ? " (may be out of date)" : ""
            }
        return "0 Inspector" + (title.isEmpty ? "" : ": \(title)\(note)")
    }

    func place(in context: ScreenContext) -> String { Self.place(cursor + 1, of: lineCount) }

    func hints(in context: ScreenContext) -> [String] {
        // A missing store isn't read, so there is nothing to copy.
        (form == .row ? context.editHints : []) + (opening(in: context) == nil ? [] : ["enter"])
            + ["restore"] + (form == .authors ? [] : ["authors"])
            + (context.session.status.phase == .missing ? [] : ["copy"]) + ["back", "help"]
    }
}

/// The lines of the detail.
extension InspectorPanel {
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
            [ShownLine(line: .heading(section.title), path: [section.title])]
                + shownLines(of: section)
        }
    }

    private func shownLines(of section: Detail.Section) -> [ShownLine] {
        let labelWidth = section.lines.reduce(0) {
            max($0, CharacterWidth.width(of: String($1.label.prefix(40))))
        }
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
}

extension Detail.Form {
    /// The reason why there is nothing to show.
    fileprivate var whyMissing: String {
        switch self {
        case .row: "row not found"
        case .version: "this version is no longer available"
        case .authors: "no text with recorded writers"
        }
    }
}
