import TidelineCore

extension Action {
    static let columns: [Action] = [
        .change(
            "columns", "Columns: hide, freeze, resize, number formats", .rows,
            unless: { model in
                // The list may be hidden while another panel has the focus.
                if model.panels.focus == .list { return nil }
                let key = model.keymap.hint(for: "back")
                return "this panel has no columns; press \(key) to go to the list"
            }
        ) { model, _ in model.openColumnMenu() },
        Action(
            "column", "Change a column", .rows,
            argument: "NAME hide|show|freeze|unfreeze|WIDTH|natural|FORM",
            unless: \.whyNoPanes
        ) { model, call in model.changeColumn(call.argument) },
        Action(
            "folders", "Group by folder, or show all rows again", .rows,
            unless: { model in
                model.pane?.isGrouped == true || model.list?.source.folders != nil
                    ? nil : "these rows have no folders"
            }
        ) { model, _ in model.toggleFolders() },
        Action(
            "frequency", "List the values of a column by frequency", .rows, argument: "[COLUMN]",
            unless: \.whyNoPanes
        ) { model, call in model.countValues(ofColumn: call.argument) },
    ]
}
