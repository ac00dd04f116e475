import TidelineCore

/// The editor for a typed value and, for additions, its name.
struct FieldEditor: OverlayModule {
    enum Purpose: Hashable, Sendable {
        case set(RowID, field: FieldPath?)
        case add(parent: RowID?, field: FieldPath?)
        case rename(RowID, field: FieldPath?)
        /// A query to run: a new query, or a query of the list.
        case run(RowID?)
    }

    enum Part: Hashable, Sendable { case name, value }

    var source: SourceID
    var purpose: Purpose
    /// Further rows that get the edited value.
    var others: [RowID] = []
    /// The types that the user can choose from; empty for a name.
    var kinds: [TypedText.Kind] = []
    var kind = TypedText.Kind.string
    var name = TextField()
    var value = TextField()
    var part = Part.value
    /// Whether the value has had several lines at some time. If so, it stays in a box.
    private(set) var hasHadLines = false
    /// The first visible line of the box.
    private(set) var top = 0
    /// Whether the name is an index in a list.
    var isNumbered = false
    /// The title of the dialog for a name.
    var nameTitle = "Rename"
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
    /// Whether the user was asked to confirm losing the typed text.
    var isLeaving = false
    /// The initial texts, to detect whether closing would lose input.
    var original: [String] = []
    /// The completions of the name at the cursor in a query; `nil` until the user requests one.
    var completion: QueryCompletion?
    /// The earlier query that replaces the text; `nil` after a change of that query.
    var recalled: RecalledQuery?

    var isDirty: Bool { [name.text, typedText, kind.rawValue] != original }

    /// The text that closing the editor would lose. A recalled query isn't lost.
    private var typedText: String { recalled?.draft ?? value.text }

    /// The minimum length of a typed value for which closing the editor needs a confirmation.
    static let longText = 80

    /// Whether to ask before discarding the typed text, because retyping it would take long.
    private var asksBeforeLeaving: Bool {
        !isLeaving && isDirty && typedText.count >= Self.longText
    }

    /// The edits that the input describes; none for a query.
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

    static let group = Action.Group("Value editor")
    static let whyNotOpen = "nothing is being edited"
    var isWaiting: Bool { pending != nil || choosing != nil }
    var unfinished: String? { isDirty ? "the typed value isn't written yet" : nil }
    var unwrittenText: String? {
        guard isDirty else { return nil }
        let typedName =
            switch purpose {
            case .add, .rename: name.text
            case .set, .run: ""
            }
        return [typedName, typedText].filter { !$0.isEmpty }.joined(separator: "\n")
    }
    var field: TextField? {
        get { part == .name ? name : value }
        set {
            let text = newValue ?? TextField()
            if part == .name { name = text } else { value = text }
        }
    }
    var takesLines: Bool { part == .value }
    /// Values may be long. Very long values should be edited in an external editor.
    var pasteLimit: Int { part == .name ? 4_096 : 65_536 }

    static let actions: [OverlayAction<Self>] = [
        action(
            "field-accept",
            "Preview the change (in the name: go to the value; in a box: new line)", ["Enter"]
        ) { editor, context in
            if editor.hasName, editor.part == .name {
                editor.part = .value
                return []
            }
            if editor.isBox, editor.part == .value { return editor.startLine(in: context) }
            return [.acceptField]
        },
        action("field-preview", "Preview the change, or run the query", ["^s"]) { _, _ in
            [.acceptField]
        },
        action(
            "field-line", "New line", ["M-Enter", "^j"],
            unless: { $0.takesLines ? nil : "a name can't have line breaks" }
        ) {
            $0.startLine(in: $1)
        },
        action("field-drop", "Cancel", ["Esc"]) { editor, context in
            if editor.asksBeforeLeaving {
                let key = context.keymap.hint(for: "field-drop")
                editor.problem = "the typed text will be lost; press \(key) again to discard it"
                editor.isLeaving = true
                return []
            }
            return ScreenOutcome.cancel(editor.pending) + ScreenOutcome.cancel(editor.choosing)
                + [.close(showing: editor.over)]
        },
        change("field-up", "Previous line, other field, or earlier query", ["Up"]) {
            $0.move(by: -1, in: $1)
        },
        change("field-down", "Next line, other field, or later query", ["Down"]) {
            $0.move(by: 1, in: $1)
        },
        change("field-page-up", "Page up", ["PgUp"], unless: whyNoLines) { editor, context in
            editor.move(by: -editor.pageHeight(in: context), in: context)
        },
        change("field-page-down", "Page down", ["PgDn"], unless: whyNoLines) { editor, context in
            editor.move(by: editor.pageHeight(in: context), in: context)
        },
        change("field-first", "Start of the text", ["^Home"], unless: whyNoLines) {
            $0.moveToEnd(isLast: false, in: $1)
        },
        change("field-last", "End of the text", ["^End"], unless: whyNoLines) {
            $0.moveToEnd(isLast: true, in: $1)
        },
        action("field-next", "Other field, next type, or next name in a query", ["Tab"]) {
            $0.step(by: 1, in: $1)
        },
        action(
            "field-previous", "Other field, previous type, or previous name in a query", ["BackTab"]
        ) {
            $0.step(by: -1, in: $1)
        },
        change("field-type", "Change the type", ["^t"]) { editor, _ in editor.changeKind(by: 1) },
        change("field-null", "Enter NULL", ["^n"]) { editor, _ in
            guard editor.kinds.contains(.null) else { return }
            (editor.kind, editor.value) = (.null, TextField())
        },
        action("field-choose", "Choose from the rows that the column can refer to", ["^o"]) {
            editor, _ in
            guard editor.editedField != nil else {
                editor.problem = "type the name of a column first"
                return []
            }
            return [.requestChoices]
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
        editor.isBox && editor.part == .value ? nil : "the text has only one line"
    }

    /// Whether the text is a query to run.
    var isRun: Bool { if case .run = purpose { true } else { false } }
    private var hasName: Bool { if case .add = purpose { true } else { false } }

    /// Returns the request for the preview of the change, or for the results of the query.
    mutating func accept(_ id: RequestID) -> [Effect] {
        pending = id
        problem = nil
        if case .run(let row) = purpose { return [.query(id, source, value.text, of: row)] }
        return edits.isEmpty ? [] : [.preview(id, source, edits, typedOver: seen)]
    }

    /// Takes the value that was chosen from the referenced rows.
    mutating func choose(_ typed: TypedText) {
        part = .value
        kind = typed.kind
        value = TextField(typed.text)
        problem = nil
    }

    /// Returns the request for the values of referenced rows. A typed text limits the values.
    mutating func requestChoices(_ id: RequestID) -> [Effect] {
        guard let field = editedField else { return [] }
        choosing = id
        problem = nil
        let isTyped = value.text != original.dropFirst().first
        return [
            .choices(id, source, field, matching: isTyped ? value.text : "", current: seen)
        ]
    }

    private mutating func startLine(in context: ScreenContext) -> [ScreenOutcome] {
        value.insert("\n")
        return fieldChanged(in: context)
    }

    /// Moves by lines in a box. Above it, or without a box, moves to the other field.
    private mutating func move(by lines: Int, in context: ScreenContext) {
        if isBox, part == .value {
            if value.move(byLines: lines, columns: boxSize(in: context).columns) {
                reveal(in: context)
                return
            }
            if isRun, abs(lines) == 1 { return recall(by: lines, in: context) }
            guard lines == -1 else { return }
        }
        if hasName, abs(lines) == 1 { switchPart() }
    }

    private mutating func moveToEnd(isLast: Bool, in context: ScreenContext) {
        value.moveToEnd(isLast: isLast)
        reveal(in: context)
    }

    /// Goes to the other field, the next type, or the next completion in a query.
    private mutating func step(by step: Int, in context: ScreenContext) -> [ScreenOutcome] {
        if isRun { return complete(by: step, in: context) }
        if hasName { switchPart() } else { changeKind(by: step) }
        return []
    }

    private func pageHeight(in context: ScreenContext) -> Int {
        max(1, boxSize(in: context).rows - 1)
    }

    private func boxSize(in context: ScreenContext) -> Size {
        let box = places(in: context.dialogArea, of: context).text
        return Size(columns: box.columns, rows: box.rows)
    }

    /// Scrolls so that the cursor is visible.
    mutating func reveal(in context: ScreenContext) {
        let size = boxSize(in: context)
        let lines = value.lines(columns: size.columns)
        top = Self.top(top, showing: value.cursorLine(in: lines), of: lines.count, in: size.rows)
    }

    /// Returns the first visible line after scrolling just enough to show a given line.
    static func top(_ top: Int, showing line: Int, of count: Int, in rows: Int) -> Int {
        let rows = max(1, rows)
        return max(0, min(max(min(top, line), line - rows + 1), max(line, count - rows)))
    }

    /// Shows why the input is invalid. If there is a syntax error, moves the cursor to it.
    mutating func refuse(_ problem: String, in context: ScreenContext) {
        self.problem = problem
        guard let offset = TypedText(kind, value.text).syntaxErrorOffset else { return }
        part = .value
        value.move(toUTF8Offset: offset)
        if isBox { reveal(in: context) }
    }

    /// Called when the editor opens.
    mutating func begin(in context: ScreenContext) {
        original = [name.text, value.text, kind.rawValue]
        hasHadLines = value.characters.contains(where: \.isNewline)
        guard isBox else { return }
        value.moveToEnd(isLast: false)
        reveal(in: context)
    }

    private mutating func switchPart() { part = part == .name ? .value : .name }

    private mutating func changeKind(by step: Int) {
        guard !kinds.isEmpty else { return }
        let index = kinds.firstIndex(of: kind) ?? 0
        kind = kinds[index.cycled(by: step, of: kinds.count)]
        problem = nil
    }

    func hints(in context: ScreenContext) -> [Hint] {
        if context.whyNotThere != nil {
            return [context.keymap.hint("field-drop", title: "cancel")].compactMap(\.self)
        }
        let accept = context.keymap.hint(
            isBox && part == .value ? "field-preview" : "field-accept", title: verb)
        return [
            accept, context.keymap.hint("field-drop", title: "cancel"),
            isBox && part == .value ? context.keymap.hint("field-accept", title: "new line") : nil,
            isRun ? context.keymap.hint("field-next", title: "complete") : nil,
            hasName
                ? context.keymap.hint(
                    "field-next", title: "\(nameLabel(in: context))/\(valueLabel(in: context))")
                : nil,
            editedField.map { context.list?.source.referringColumns.contains($0.property) == true }
                == true ? context.keymap.hint("field-choose", title: "choose") : nil,
            !offersTypes ? nil : context.keymap.hint("field-type", title: "type"),
        ].compactMap(\.self)
    }

    var verb: String { isRun ? "run" : "preview" }

    mutating func fieldChanged(in context: ScreenContext) -> [ScreenOutcome] {
        (problem, recalled) = (nil, nil)
        isLeaving = false
        hasHadLines = hasHadLines || value.characters.contains(where: \.isNewline)
        if isBox { reveal(in: context) }
        // Typing into a NULL value replaces it.
        guard kind == .null, part == .value, !value.text.isEmpty else { return [] }
        kind = kinds.first { $0 != .null } ?? .null
        return []
    }
}
