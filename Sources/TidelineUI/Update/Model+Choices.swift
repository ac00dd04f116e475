import TidelineCore

extension Model {
    /// Requests the values to choose from in the open field.
    mutating func requestChoices() -> [Effect] {
        guard case .field(var editor) = overlay else { return [] }
        let effects = editor.requestChoices(requests.newID())
        overlay = .field(editor)
        return effects
    }

    /// Shows the values to choose from as a menu in front of the editor.
    mutating func receiveChoices(
        _ id: RequestID, _ answer: Message.Answer<ValueChoices?>
    ) {
        guard case .field(var editor) = overlay, editor.choosing == id else { return }
        editor.choosing = nil
        switch answer {
        case .failure(let failure): editor.problem = failure.message
        case .success(nil):
            let name = editor.editedField?.description ?? "the column"
            editor.problem = "\(name) doesn't refer to rows"
        case .success(let found?) where found.choices.isEmpty:
            editor.problem = "no row of \(found.title) contains \(editor.value.text)"
        case .success(let found?):
            let items = found.choices.map {
                Menu.Item(title: $0.title, choice: .value($0.value))
            }
            let current = found.choices.firstIndex { $0.value.text == editor.value.text }
            overlay = .menu(
                Menu(
                    title: found.title, items: items, cursor: current ?? 0,
                    over: .field(editor)))
            return
        }
        overlay = .field(editor)
    }
}
