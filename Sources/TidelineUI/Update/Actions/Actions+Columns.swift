import TidelineCore

extension Action {
    static let columns: [Action] = [
        .change(
            "columns", "Columns: hide, freeze, resize, number formats", .rows,
            when: { model in
                // The list may be hidden.
                if model.panels.focus == .list { return .available }
                let key = model.keymap.hint(for: "back")
                return .unavailable(
                    because: "this panel has no columns. Press \(key) to go to the list")
            }
        ) { model, _ in model.openColumnMenu() },
        Action(
            "column", "Change a column", .rows,
            argument: "NAME hide|show|freeze|unfreeze|WIDTH|natural|FORM", when: hasPanes
        ) { model, call in model.changeColumn(call.argument) },
        Action(
            "folders", "Group by folder", .rows,
            when: {
                $0.list?.source.folders == nil
                    ? .unavailable(because: "these rows have no folders") : .available
            }
        ) { model, _ in model.list?.source.folders.map { model.open($0, showing: []) } ?? [] },
        Action(
            "frequency", "List the values of a column by frequency", .rows, argument: "[COLUMN]",
            when: hasPanes
        ) { model, call in model.countValues(ofColumn: call.argument) },
    ]
}
