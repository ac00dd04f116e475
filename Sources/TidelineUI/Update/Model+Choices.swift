import TidelineCore

extension Model {
    /// Requests the values to choose from in the open field.
    mutating func requestChoices() -> [Effect] {
        guard var editor = overlay?.module as? FieldEditor else { return [] }
        let effects = editor.requestChoices(requests.newID())
        overlay = Overlay(editor)
        return effects
    }

    /// Shows the values to choose from as a menu in front of the editor.
    mutating func receiveChoices(_ id: RequestID, _ answer: Answer<ValueChoices?>) {
        guard var editor = overlay?.module as? FieldEditor, editor.choosing == id else { return }
        editor.choosing = nil
        switch answer {
        case .failure(let failure): editor.problem = failure.message
        case .success(nil):
            let name = editor.editedField?.description ?? "the column"
            editor.problem = "\(name) doesn't refer to rows"
        case .success(let found?) where found.choices.isEmpty:
            editor.problem = "no row of \(found.title) contains \(editor.value.text)"
        case .success(let found?):
            let stored = editor.seen?.text
            let items = found.choices.map {
                Menu.Item(
                    title: $0.title, hint: $0.value.text == stored ? "now" : "",
                    choice: .value($0.value))
            }
            let texts = found.choices.map(\.value.text)
            let current =
                texts.firstIndex(of: editor.value.text) ?? texts.firstIndex { $0 == stored }
            var menu = Menu(
                title: found.title, items: items, cursor: current ?? 0, over: Overlay(editor))
            if found.isCut {
                let keymap = preferences.keymap
                menu.note =
                    "for fewer rows: \(keymap.hint(for: "menu-close")), type a part of the row, "
                    + keymap.hint(for: "field-choose")
            }
            overlay = Overlay(menu)
            return
        }
        overlay = Overlay(editor)
    }
}
