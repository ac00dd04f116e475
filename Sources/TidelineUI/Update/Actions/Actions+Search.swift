import TidelineCore

extension Action {
    static let finding: [Action] = [
        .change("search", "Search rows", .finding, unless: \.whyNoPanes) { model, _ in
            if let prompt = model.panelStates[model.panels.focus].searchPrompt {
                model.overlay = Overlay(prompt)
                return
            }
            model.panels.focus = .list
            model.navigation.withList { $0.beginSearch() }
            model.overlay = Overlay(
                Prompt(purpose: .search(backwards: false), text: TextField()))
        },
        .change("search-next", "Next match", .finding, unless: whyNoSearch) { model, _ in
            model.search(backwards: false)
        },
        .change("search-previous", "Previous match", .finding, unless: whyNoSearch) { model, _ in
            model.search(backwards: true)
        },
        Action("filter", "Filter rows", .finding, unless: \.whyNoPanes) { model, _ in
            if let prompt = model.panelStates[model.panels.focus].filterPrompt {
                model.overlay = Overlay(prompt)
                return []
            }
            guard let list = model.list else { return [] }
            model.panels.focus = .list
            let purpose = Prompt.Purpose.filter(
                before: list.latestQuery, selected: list.selectedRow?.id)
            model.overlay = Overlay(
                Prompt(purpose: purpose, text: TextField(list.latestQuery.filter)))
            return []
        },
        .change("sort", "Sort rows", .finding, unless: whyNoSorting) { model, _ in
            model.openSortMenu()
        },
        .change("palette", "Commands, rows and stores", .finding) { model, _ in
            model.overlay = Overlay(CommandPalette())
        },
        .change("help", "Keyboard shortcuts", .finding) { model, _ in
            model.overlay = Overlay(Help())
        },
        Action(
            "goto", "Go to a row by name or number", .finding, argument: "[PANE] KEY",
            unless: \.whyNoPanes
        ) { model, call in
            guard model.hasArgument(call.argument, of: "goto") else { return [] }
            return model.goTo(named: call.argument)
        },
        Action(
            "device", "Show only rows written by a device", .finding, argument: "ID",
            unless: \.whyNoPanes
        ) {
            model, call in
            guard model.hasArgument(call.argument, of: "device") else { return [] }
            return model.showDevice(call.argument)
        },
    ]

    @Sendable private static func whyNoSorting(_ model: Model) -> String? {
        if model.panels.focus == .events {
            let key = model.keymap.hint(for: "filter")
            return "events are sorted by arrival; press \(key) to filter them"
        }
        guard let list = model.list else { return model.whyNoPanes }
        if list.source.columns.contains(where: \.isSortable) { return nil }
        return "\(list.source.title) has a fixed order"
    }

    @Sendable private static func whyNoSearch(_ model: Model) -> String? {
        let text =
            model.panels.focus == .events
            ? model.panelStates.events.searchText : model.list?.searchText ?? ""
        if !text.isEmpty { return nil }
        let key = model.keymap.hint(for: "search")
        return "nothing to find yet; press \(key) to search"
    }
}

extension Column {
    /// Returns the title with the order: `KEY`, `KEY, descending` or `AGE, newest first`.
    func title(isDescending: Bool) -> String {
        if id == "age" { return title + (isDescending ? ", oldest first" : ", newest first") }
        return title + (isDescending ? ", descending" : "")
    }
}
