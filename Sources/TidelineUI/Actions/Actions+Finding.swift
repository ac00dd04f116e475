import Foundation
import TidelineCore

extension Action {
    static let finding: [Action] = [
        Action("search", "Search in the rows", .finding, when: hasPanes) { model, _ in
            model.overlay = .prompt(
                Prompt(purpose: .search(backwards: false), text: TextField()))
            return []
        },
        Action("search-next", "Next hit", .finding, when: hasSearch) { model, _ in
            model.search(backwards: false)
            return []
        },
        Action("search-previous", "Previous hit", .finding, when: hasSearch) { model, _ in
            model.search(backwards: true)
            return []
        },
        Action("filter", "Filter the rows", .finding, when: hasPanes) { model, _ in
            guard let query = model.list?.latestQuery else { return [] }
            model.focus = .list
            model.overlay = .prompt(
                Prompt(purpose: .filter(before: query), text: TextField(query.filter)))
            return []
        },
        Action("sort", "Sort the rows", .finding, when: canSort) { model, _ in
            model.openSortMenu()
            return []
        },
        Action("palette", "Any action by its name", .finding) { model, _ in
            model.overlay = .palette(CommandPalette())
            return []
        },
        Action("help", "Every key", .finding) { model, _ in
            model.overlay = .help(Help())
            return []
        },
        Action(
            "goto", "Go to a row by its name or number", .finding, argument: "[PANE] KEY",
            when: hasPanes
        ) { model, call in
            guard model.has(call.argument, for: "goto") else { return [] }
            return model.goTo(named: call.argument)
        },
        Action("device", "Only what a device wrote", .finding, argument: "ID", when: hasPanes) {
            model, call in
            guard model.has(call.argument, for: "device") else { return [] }
            return model.showDevice(call.argument)
        },
    ]

    static let rows: [Action] = [
        Action("choose", "Choose the row, for actions on many", .rows, when: hasRow) { model, _ in
            let height = model.layout.listHeight
            model.withList { list in
                guard let row = list.selectedRow else { return }
                list.rangeAnchor = nil
                if list.chosen.remove(row.id) == nil { list.chosen.insert(row.id) }
                list.select(list.cursor + 1)
                list.isTouched = true
                list.reveal(height: height)
            }
            return []
        },
        Action("range", "Choose rows from here on", .rows, when: hasRow) { model, _ in
            model.withList { list in
                if list.rangeAnchor != nil {
                    list.rangeAnchor = nil
                } else {
                    list.rangeAnchor = list.cursor
                    list.beforeRange = list.chosen
                    list.extendRange()
                }
            }
            return []
        },
        Action("copy", "Copy the row", .rows, when: hasRow) { model, _ in model.askCopyForms() },
        Action("row-menu", "What can be done with the row", .rows, when: hasRow) { model, _ in
            model.openRowMenu()
            return []
        },
        Action(
            "export", "Write the rows to a file", .rows, argument: "json|jsonl|csv FILE",
            when: hasPanes
        ) { model, call in
            let parts = call.argument.split(separator: " ", maxSplits: 1)
            let path = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            guard let format = parts.first.flatMap({ ExportFormat(rawValue: String($0)) }),
                !path.isEmpty, let list = model.list
            else {
                model.say(
                    .warning,
                    "export: say export json FILE, export jsonl FILE or export csv FILE")
                return []
            }
            model.say(.info, "writing \(path) …")
            return [.export(list.source.id, list.query, as: format, path: path)]
        },
    ]

    @Sendable private static func canSort(_ model: Model) -> Availability {
        guard let list = model.list else { return hasPanes(model) }
        if list.source.columns.contains(where: \.isSortable) { return .available }
        return .unavailable(because: "\(list.source.title) has one order only")
    }

    @Sendable private static func hasSearch(_ model: Model) -> Availability {
        if let list = model.list, !list.searchText.isEmpty { return .available }
        let key = model.keymap.hint(for: "search")
        return .unavailable(because: "nothing was searched for: press \(key)")
    }
}

extension Model {
    /// Looks for the next row with the text of the last search.
    mutating func search(backwards: Bool) {
        withList { list in
            guard !list.searchText.isEmpty else { return }
            list.wanted = .init(
                query: list.latestQuery,
                position: .search(list.searchText, from: list.cursor, backwards: backwards),
                purpose: .search(list.searchText, from: list.cursor, backwards: backwards))
        }
    }

    mutating func openSortMenu() {
        guard let list else { return }
        let sort = list.latestQuery.sort
        var items = [
            Menu.Item(title: "As it is", hint: sort == nil ? "now" : "", choice: .sort(nil))
        ]
        for column in list.source.columns where column.isSortable {
            for isDescending in [false, true] {
                let choice = RowQuery.Sort(column: column.id, isDescending: isDescending)
                items.append(
                    Menu.Item(
                        title: column.title + (isDescending ? ", greatest first" : ""),
                        hint: sort == choice ? "now" : column.sortCost ?? "",
                        choice: .sort(choice)))
            }
        }
        let cursor = items.firstIndex { $0.hint == "now" } ?? 0
        overlay = .menu(Menu(title: "Sort by", items: items, cursor: cursor))
    }

    fileprivate mutating func askCopyForms() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        let id = newRequest()
        awaited = Awaited(id: id, source: list.source.id, purpose: .copy)
        return [.copyForms(id, list.source.id, row.id, list.query, chosen: list.chosen)]
    }

    fileprivate mutating func openRowMenu() {
        let names = [
            "enter", "inspector", "copy", "edit", "edit-external", "rename", "delete", "add",
            "choose",
        ]
        let items = names.compactMap { name in
            Action.named(name).map { action in
                Menu.Item(
                    title: action.title, hint: keymap.hint(for: name),
                    availability: availability(of: action), choice: .action(name))
            }
        }
        let title = list?.selectedRow?.cells.first?.text ?? "Row"
        overlay = .menu(Menu(title: title, items: items))
    }
}
