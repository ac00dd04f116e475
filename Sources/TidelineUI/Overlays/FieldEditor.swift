import TidelineCore

/// The editor for a typed value and, for additions, its name.
struct FieldEditor: OverlayModule {
    enum Purpose: Hashable, Sendable {
        case set(RowID, field: FieldPath?)
        case add(parent: RowID?, field: FieldPath?)
        case rename(RowID, field: FieldPath?)
    }

    enum Part: Hashable, Sendable { case name, value }

    var source: SourceID
    var purpose: Purpose
    /// The types that the user can choose from; empty for a name.
    var kinds: [TypedText.Kind]
    var kind: TypedText.Kind
    var name = TextField()
    var value = TextField()
    var part: Part
    /// Whether the name is an index in a list.
    var isNumbered = false
    /// The reason why the input is invalid.
    var problem: String?
    /// The pending preview.
    var pending: RequestID?
    /// The stored value at the time the editor opened.
    var seen: TypedText?
    /// The conflict to return to.
    var over: Overlay?
    /// The initial texts, to detect whether closing would lose input.
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
    var unfinished: String? { isDirty ? "the typed value is not written" : nil }
    var field: TextField? {
        get { part == .name ? name : value }
        set {
            let text = newValue ?? TextField()
            if part == .name { name = text } else { value = text }
        }
    }
    /// Values may be long; very long ones are better edited in an external editor.
    var pasteLimit: Int { part == .name ? 4_096 : 65_536 }

    static let actions: [Action] = [
        action("field-accept", "Preview the change (from the name: go to the value)") {
            model, editor in
            if editor.hasName, editor.part == .name {
                editor.part = .value
                return []
            }
            let id = model.requests.newID()
            editor.pending = id
            editor.problem = nil
            return [.preview(id, editor.source, [editor.edit], typedOver: editor.seen)]
        },
        action("field-drop", "Cancel") { model, editor in
            (editor.pending.map { [.cancel($0)] } ?? []) + model.goBack(to: editor.over)
        },
        change("field-switch", "Switch between name and value") { _, editor in
            if editor.hasName { editor.switchPart() }
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
    ]

    /// Whether the value can have more than one type.
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
            return [model.hint("field-drop", title: "cancel")].compactMap(\.self)
        }
        return [
            model.hint("field-accept", title: "preview"), model.hint("field-drop", title: "cancel"),
            hasName ? model.hint("field-next", title: "name/value") : nil,
            !offersTypes ? nil : model.hint("field-type", title: "type"),
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in model: inout Model) {
        problem = nil
        // Typing into a NULL value replaces it.
        guard kind == .null, part == .value, !value.text.isEmpty else { return }
        kind = kinds.first { $0 != .null } ?? .null
    }

    func draw(on screen: inout Screen) {
        let theme = screen.theme
        let area = screen.dialogArea
        let (title, labels) = labels(in: screen.model)
        let width = 2 + labels.reduce(4) { max($0, CharacterWidth.width(of: $1.0)) }
        let columns = min(90, area.columns - 4)
        let accept = screen.model.preferences.keymap.hint(for: "field-accept")
        let (text, role): (String, Role) =
            if let problem {
                ("! \(problem)", .error)
            } else if pending != nil {
                (theme.text("checking …"), .dim)
            } else {
                ("\(accept): preview (nothing is written yet)", .dim)
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
                let key = screen.model.preferences.keymap.hint(for: "field-type")
                screen.put(
                    [(kind.rawValue, .key), ("   \(key): change type", .dim)],
                    at: place.origin, maxWidth: place.columns)
            }
        }
        for (offset, line) in lines.prefix(max(0, inner.rows - labels.count)).enumerated() {
            screen.surface.put(
                " \(line)", in: inner, row: labels.count + offset, style: theme[role],
                alignment: .leading)
        }
    }

    /// Returns the title, and the labels with their fields. The type has a label without a field.
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
            let isDevice = model.navigation.paneName(of: source) == PaneID.devices.text
            title = isDevice ? "Name of this device" : "Rename"
            labels = [("name", .name)]
        }
        // The type is shown next to the value, so that it isn't mistaken for the row's type.
        if offersTypes { labels.append(("type", nil)) }
        return (title, labels)
    }
}
