import TidelineCore

/// The editor for a typed value and, for additions, its name.
struct FieldEditor: OverlayModule {
    enum Purpose: Hashable, Sendable {
        case set(RowID, field: FieldPath?)
        case add(parent: RowID?, field: FieldPath?)
        case rename(RowID, field: FieldPath?)
        /// A query to run: a new one, or one of the list.
        case run(RowID?)
    }

    enum Part: Hashable, Sendable { case name, value }

    var source: SourceID
    var purpose: Purpose
    /// Further rows that get the same value.
    var others: [RowID] = []
    /// The types that the user can choose from; empty for a name.
    var kinds: [TypedText.Kind]
    var kind: TypedText.Kind
    var name = TextField()
    var value = TextField()
    var part: Part
    /// Whether the value had several lines at some time. It then stays in a box.
    private(set) var hasHadLines = false
    /// The first visible line of the box.
    private(set) var top = 0
    /// Whether the name is an index in a list.
    var isNumbered = false
    /// The reason why the input is invalid.
    var problem: String?
    /// The pending preview.
    var pending: RequestID?
    /// The pending request for values to choose from.
    var choosing: RequestID?
    /// The stored value at the time the editor opened.
    var seen: TypedText?
    /// The conflict to return to.
    var over: Overlay?
    /// The initial texts, to detect whether closing would lose input.
    var original: [String] = []

    var isDirty: Bool { [name.text, value.text, kind.rawValue] != original }

    /// The edits that the input asks for; none for a query.
    var edits: [Edit] {
        let typed = TypedText(kind, value.text)
        switch purpose {
        case .set(let row, let field):
            return ([row] + others).map { .set($0, field: field, typed) }
        case .add(let parent, let field):
            return [.add(name: name.text, parent: parent, field: field, typed)]
        case .rename(let row, let field): return [.rename(row, field: field, to: name.text)]
        case .run: return []
        }
    }

    /// The field whose value is edited; `nil` for a row's only value.
    var editedField: FieldPath? {
        switch purpose {
        case .set(_, let field): field
        case .add(nil, nil): name.text.isEmpty ? nil : FieldPath(name.text)
        case .add, .rename, .run: nil
        }
    }

    /// Whether the value is edited in a box of several lines. In it, Enter starts a new line.
    var isBox: Bool {
        switch purpose {
        case .rename: false
        case .run: true
        case .set, .add: hasHadLines || [.json, .map, .list].contains(kind)
        }
    }

    static let kind = Overlay.Kind.field
    static let group = Action.Group.field
    var overlay: Overlay { .field(self) }
    var isWaiting: Bool { pending != nil }
    var unfinished: String? { isDirty ? "the typed value is not written" : nil }
    var field: TextField? {
        get { part == .name ? name : value }
        set {
            let text = newValue ?? TextField()
            if part == .name { name = text } else { value = text }
        }
    }
    var takesLines: Bool { part == .value }
    /// Values may be long; very long ones are better edited in an external editor.
    var pasteLimit: Int { part == .name ? 4_096 : 65_536 }

    static let actions: [Action] = [
        action(
            "field-accept",
            "Preview the change (from the name: go to the value; in a box: new line)"
        ) { model, editor in
            if editor.hasName, editor.part == .name {
                editor.part = .value
                return []
            }
            if editor.isBox, editor.part == .value {
                editor.startLine(in: &model)
                return []
            }
            return editor.accept(in: &model)
        },
        action("field-preview", "Preview the change, or run the query") { model, editor in
            editor.accept(in: &model)
        },
        change("field-line", "New line", unless: { $0.takesLines ? nil : "a name has one line" }) {
            model, editor in editor.startLine(in: &model)
        },
        action("field-drop", "Cancel") { model, editor in
            (editor.pending.map { [.cancel($0)] } ?? []) + model.goBack(to: editor.over)
        },
        change("field-up", "Line up, or other field") { $1.move(by: -1, in: $0) },
        change("field-down", "Line down, or other field") { $1.move(by: 1, in: $0) },
        change("field-page-up", "Page up", unless: whyNoLines) { model, editor in
            editor.move(by: -editor.pageHeight(in: model), in: model)
        },
        change("field-page-down", "Page down", unless: whyNoLines) { model, editor in
            editor.move(by: editor.pageHeight(in: model), in: model)
        },
        change("field-first", "Start of the text", unless: whyNoLines) {
            $1.moveToEnd(isLast: false, in: $0)
        },
        change("field-last", "End of the text", unless: whyNoLines) {
            $1.moveToEnd(isLast: true, in: $0)
        },
        change("field-next", "Other field, or next type") { _, editor in
            if editor.hasName { editor.switchPart() } else { editor.changeKind(by: 1) }
        },
        change("field-previous", "Other field, or previous type") { _, editor in
            if editor.hasName { editor.switchPart() } else { editor.changeKind(by: -1) }
        },
        change("field-type", "Change the type") { _, editor in editor.changeKind(by: 1) },
        change("field-null", "Enter NULL") { _, editor in
            guard editor.kinds.contains(.null) else { return }
            (editor.kind, editor.value) = (.null, TextField())
        },
        action("field-choose", "Choose among the rows that the column refers to") {
            model, editor in editor.askChoices(in: &model)
        },
    ]

    /// Whether the value can have more than one type.
    var offersTypes: Bool { kinds.contains { $0 != kind } }

    /// Actions that move within a box of several lines.
    private static let inBox: Set = [
        "field-page-up", "field-page-down", "field-first", "field-last",
    ]
    func hides(_ action: Action) -> Bool { !isBox && Self.inBox.contains(action.name) }

    @Sendable private static func whyNoLines(_ editor: FieldEditor) -> String? {
        editor.isBox && editor.part == .value ? nil : "the text has one line"
    }

    private var hasName: Bool { if case .add = purpose { true } else { false } }

    /// Asks for the preview of the change, or for the results of the query.
    private mutating func accept(in model: inout Model) -> [Effect] {
        let id = model.requests.newID()
        pending = id
        problem = nil
        if case .run(let row) = purpose { return [.query(id, source, value.text, of: row)] }
        return edits.isEmpty ? [] : [.preview(id, source, edits, typedOver: seen)]
    }

    /// Asks for the values of the referenced rows: those that contain the typed text, or all.
    private mutating func askChoices(in model: inout Model) -> [Effect] {
        guard let field = editedField else {
            problem = "type the name of a column first"
            return []
        }
        let id = model.requests.newID()
        choosing = id
        problem = nil
        let isTyped = value.text != original.dropFirst().first
        return [.choices(id, source, field, matching: isTyped ? value.text : "")]
    }

    private mutating func startLine(in model: inout Model) {
        value.insert("\n")
        fieldChanged(in: &model)
    }

    /// Moves by lines. Beyond the first line of a box, and without one, goes to the other field.
    private mutating func move(by lines: Int, in model: Model) {
        if isBox, part == .value {
            if value.move(byLines: lines, columns: boxSize(in: model).columns) {
                reveal(in: model)
                return
            }
            guard lines == -1 else { return }
        }
        if hasName, abs(lines) == 1 { switchPart() }
    }

    private mutating func moveToEnd(isLast: Bool, in model: Model) {
        value.moveToEnd(isLast: isLast)
        reveal(in: model)
    }

    private func pageHeight(in model: Model) -> Int { max(1, boxSize(in: model).rows - 1) }

    private func boxSize(in model: Model) -> Size {
        let box = places(in: model.dialogArea, of: model).text
        return Size(columns: box.columns, rows: box.rows)
    }

    /// Scrolls so that the cursor is visible.
    private mutating func reveal(in model: Model) {
        let size = boxSize(in: model)
        let lines = value.lines(columns: size.columns)
        top = Self.top(top, showing: value.cursorLine(in: lines), of: lines.count, in: size.rows)
    }

    /// Returns the first visible line so that a line is visible.
    static func top(_ top: Int, showing line: Int, of count: Int, in rows: Int) -> Int {
        let rows = max(1, rows)
        return max(0, min(max(min(top, line), line - rows + 1), max(line, count - rows)))
    }

    /// Called when the editor opens.
    mutating func begin(in model: Model) {
        original = [name.text, value.text, kind.rawValue]
        hasHadLines = value.characters.contains(where: \.isNewline)
        guard isBox else { return }
        value.moveToEnd(isLast: false)
        reveal(in: model)
    }

    private mutating func switchPart() { part = part == .name ? .value : .name }

    private mutating func changeKind(by step: Int) {
        guard !kinds.isEmpty else { return }
        let index = kinds.firstIndex(of: kind) ?? 0
        kind = kinds[((index + step) % kinds.count + kinds.count) % kinds.count]
        problem = nil
    }

    func hints(in model: Model) -> [Hint] {
        if model.whyNotThere != nil {
            return [model.hint("field-drop", title: "cancel")].compactMap(\.self)
        }
        let accept =
            isBox && part == .value
            ? model.hint("field-preview", title: verb) : model.hint("field-accept", title: verb)
        return [
            accept, model.hint("field-drop", title: "cancel"),
            isBox && part == .value ? model.hint("field-accept", title: "new line") : nil,
            hasName ? model.hint("field-next", title: "name/value") : nil,
            editedField.map { model.list?.source.referringColumns.contains($0.property) == true }
                == true ? model.hint("field-choose", title: "choose") : nil,
            !offersTypes ? nil : model.hint("field-type", title: "type"),
        ].compactMap(\.self)
    }

    /// The verb for accepting the input.
    var verb: String { if case .run = purpose { "run" } else { "preview" } }

    mutating func fieldChanged(in model: inout Model) {
        problem = nil
        hasHadLines = hasHadLines || value.characters.contains(where: \.isNewline)
        if isBox { reveal(in: model) }
        // Typing into a NULL value replaces it.
        guard kind == .null, part == .value, !value.text.isEmpty else { return }
        kind = kinds.first { $0 != .null } ?? .null
    }
}
