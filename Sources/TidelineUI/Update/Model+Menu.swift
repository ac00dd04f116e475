import TidelineCore

extension Model {
    mutating func choose(_ choice: Menu.Choice, of menu: Menu) -> [Effect] {
        switch choice {
        case .sort(let sort): navigation.withList { $0.show { $0.sort = sort } }
        case .copy(let form): return [.terminal(.copy(form.text, name: form.name))]
        case .action(let name): return perform(name)
        case .command(let command, let argument): return run(command, argument)
        case .endAlert(let alert):
            watching.alerts.remove(alert)
            say(.done, "alert removed: \(subject(of: alert))")
        case .theme(let name): return [.terminal(.theme(name))]
        case .column(let column, let change): return self.change(column, change, from: menu)
        case .value(let typed):
            guard var editor = menu.over?.module as? FieldEditor else { break }
            editor.choose(typed)
            overlay = Overlay(editor)
        }
        return []
    }
}
