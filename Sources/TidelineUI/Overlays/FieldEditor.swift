import TidelineCore

/// A typed value (and a name) being edited in place.
struct FieldEditor: OverlayModule {
    enum Purpose: Hashable, Sendable {
        case set(RowID, field: FieldPath?)
        case add(parent: RowID?, field: FieldPath?)
        case rename(RowID, field: FieldPath?)
    }

    enum Part: Hashable, Sendable { case name, value }

    var source: SourceID
    var purpose: Purpose
    /// Kinds that can be chosen; empty where the text has no type (a name).
    var kinds: [TypedText.Kind]
    var kind: TypedText.Kind
    var name = TextField()
    var value = TextField()
    var part: Part
    /// Whether the name is a place in a list.
    var isNumbered = false
    /// Why what is typed cannot be written.
    var problem: String?
    /// The preview that was asked for.
    var pending: RequestID?
    /// The value that is typed over, as it was when the editor opened.
    var seen: TypedText?
    /// The conflict that it was opened from, to go back to.
    var over: Overlay?
    /// What the fields held at first, to know whether closing loses anything.
    var original: [String] = []

    var isDirty: Bool { [name.text, value.text, kind.rawValue] != original }

    var edit: Edit {
        let typed = TypedText(kind, value.text)
        switch purpose {
        case .set(let row, let field): return .set(row, field: field, typed)
        case .add(let parent, let field):
            return .add(name: name.text, parent: parent, field: field, typed)
        case .rename(let row, let field): return .rename(row, field: field, to: name.text)
        }
    }

    static let kind = Overlay.Kind.field
    static let group = Action.Group.field
    var overlay: Overlay { .field(self) }
    var isWaiting: Bool { pending != nil }
    var unfinished: String? { isDirty ? "what is typed is not written" : nil }
    var field: TextField? {
        get { part == .name ? name : value }
        set {
            let text = newValue ?? TextField()
            if part == .name { name = text } else { value = text }
        }
    }
    /// A value may be long, and a very long one is better edited in an editor.
    var pasteLimit: Int { part == .name ? 4_096 : 65_536 }

    static let actions: [Action] = [
        action("field-accept", "Preview the change, or go on to the value") { model, editor in
            if editor.hasName, editor.part == .name {
                editor.part = .value
                return []
            }
            let id = model.newRequest()
            editor.pending = id
            editor.problem = nil
            return [.preview(id, editor.source, [editor.edit], typedOver: editor.seen)]
        },
        action("field-drop", "Leave it as it was") { model, editor in
            (editor.pending.map { [.cancel($0)] } ?? []) + model.goBack(to: editor.over)
        },
        change("field-switch", "The other line") { _, editor in
            if editor.hasName { editor.switchPart() }
        },
        change("field-next", "The other line, or the next type") { _, editor in
            if editor.hasName { editor.switchPart() } else { editor.changeKind(by: 1) }
        },
        change("field-previous", "The other line, or the type before") { _, editor in
            if editor.hasName { editor.switchPart() } else { editor.changeKind(by: -1) }
        },
        change("field-type", "Another type of value") { _, editor in editor.changeKind(by: 1) },
        change("field-null", "NULL, where a value may be") { _, editor in
            guard editor.kinds.contains(.null) else { return }
            (editor.kind, editor.value) = (.null, TextField())
        },
    ]

    /// Whether there is more than one type that the value could have.
    private var offersTypes: Bool { kinds.contains { $0 != kind } }

    private var hasName: Bool { if case .add = purpose { true } else { false } }

    private mutating func switchPart() { part = part == .name ? .value : .name }

    private mutating func changeKind(by step: Int) {
        guard !kinds.isEmpty else { return }
        let index = kinds.firstIndex(of: kind) ?? 0
        kind = kinds[((index + step) % kinds.count + kinds.count) % kinds.count]
        problem = nil
    }

    func hints(in model: Model) -> [Hint] {
        if model.whyNotThere != nil {
            return [model.hint("field-drop", title: "drop")].compactMap(\.self)
        }
        return [
            model.hint("field-accept", title: "preview"), model.hint("field-drop", title: "drop"),
            hasName ? model.hint("field-next", title: "name/value") : nil,
            !offersTypes ? nil : model.hint("field-type", title: "type"),
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in model: inout Model) {
        problem = nil
        // Whoever types something where nothing was means what is typed.
        guard kind == .null, part == .value, !value.text.isEmpty else { return }
        kind = kinds.first { $0 != .null } ?? .null
    }

    func draw(on screen: inout Screen) {
        let theme = screen.theme
        let area = screen.dialogArea
        let (title, labels) = labels(in: screen.model)
        let width = 2 + labels.reduce(4) { max($0, CharacterWidth.width(of: $1.0)) }
        let columns = min(90, area.columns - 4)
        let accept = screen.model.keymap.hint(for: "field-accept")
        let (text, role): (String, Role) =
            if let problem {
                ("! \(problem)", .error)
            } else if pending != nil {
                (theme.text("looking …"), .dim)
            } else {
                ("\(accept) previews, nothing is written yet", .dim)
            }
        let lines = TextParts.wrap(text, columns: columns - 3, limit: 9)
        let rect = OverlayFrame.centered(
            columns: columns, rows: labels.count + lines.count, in: area)
        let inner = screen.drawFrame(rect, title: title)
        for (row, (label, part)) in labels.prefix(inner.rows).enumerated() {
            let line = inner.line(row)
            screen.surface.put(" \(label)", at: line.origin, style: theme[.label], maxWidth: width)
            let place = Rect(
                column: line.column + width, row: line.row, columns: line.columns - width - 1,
                rows: 1)
            switch part {
            case .name: screen.draw(name, in: place, isActive: self.part == .name)
            case .value: screen.draw(value, in: place, isActive: self.part == .value)
            case nil:
                let key = screen.model.keymap.hint(for: "field-type")
                screen.put(
                    [(kind.rawValue, .key), ("   \(key): another type", .dim)],
                    at: place.origin, maxWidth: place.columns)
            }
        }
        for (offset, line) in lines.prefix(max(0, inner.rows - labels.count)).enumerated() {
            screen.surface.put(
                " \(line)", in: inner, row: labels.count + offset, style: theme[role],
                alignment: .leading)
        }
    }

    /// What the dialog is called, and its lines with the field of each; `nil` for that of the type.
    private func labels(in model: Model) -> (String, [(String, Part?)]) {
        var labels: [(String, Part?)]
        let title: String
        switch purpose {
        case .set:
            title = "Edit \(name.text)"
            labels = [("value", .value)]
        case .add(let parent, let field):
            let inside = field?.description ?? ""
            let whole = parent.map { "Add to \($0.name)" } ?? "Add"
            title = inside.isEmpty ? whole : "\(whole) › \(inside)"
            let form =
                parent == nil
                ? model.list?.source.addForm
                : AddForm(name: isNumbered ? "number" : "field", value: "value")
            labels = [(form?.name ?? "name", .name), (form?.value ?? "value", .value)]
        case .rename:
            title = "Rename"
            labels = [("name", .name)]
        }
        // What the value is, beside it: elsewhere its type could be taken for that of the row.
        if offersTypes { labels.append(("as", nil)) }
        return (title, labels)
    }
}
