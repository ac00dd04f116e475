import Foundation
import TidelineCore

extension ListRegion {
    static let actions: [Action] = [
        Action("choose", "Mark row", .rows, when: Action.hasRow) {
            model, _ in
            let height = model.layout.listHeight
            model.navigation.withList { list in
                guard let row = list.selectedRow else { return }
                list.rangeAnchor = nil
                if list.chosen.remove(row.id) == nil { list.chosen.insert(row.id) }
                list.select(list.cursor + 1)
                list.isTouched = true
                list.reveal(height: height)
            }
            return []
        },
        .change("range", "Mark a range of rows", .rows, when: Action.hasRow) { model, _ in
            model.navigation.withList { list in
                if list.rangeAnchor != nil {
                    list.rangeAnchor = nil
                } else {
                    list.rangeAnchor = list.cursor
                    list.beforeRange = list.chosen
                    list.extendRange()
                }
            }
        },
        Action("copy", "Copy row", .rows, when: Action.hasRow) { model, _ in
            model.askCopyForms()
        },
        .change("row-menu", "Row actions", .rows, when: hasRowOrCommand) {
            model, _ in model.openRowMenu()
        },
        Action(
            "export", "Export the rows, or the marked ones, to a file", .rows,
            argument: "[json|jsonl|csv|tsv|sql] FILE", when: Action.hasPanes
        ) { model, call in
            guard let list = model.list else { return [] }
            guard let (format, path) = Model.export(call.argument) else {
                let isNamed = !call.argument.allSatisfy(\.isWhitespace)
                let suffix = URL(filePath: call.argument).pathExtension
                let format = suffix.isEmpty ? "no format" : "unknown format .\(suffix)"
                model.say(
                    .warning,
                    isNamed
                        ? "\(format): use json, jsonl, csv, tsv or sql"
                        : "export needs a file, for example: export rows.csv")
                return []
            }
            return model.panels.focus == .events
                ? model.beginExport(ofEventsAs: format, to: path)
                : model.beginExport(of: list, as: format, to: path)
        },
        Action(
            "save", "Save the value of the row to a file", .rows, argument: "FILE",
            when: Action.hasRow
        ) { model, call in
            let path = call.argument.trimmingCharacters(in: .whitespaces)
            guard !path.isEmpty else {
                model.say(.warning, "save needs a file, for example: save picture.jpg")
                return []
            }
            return model.beginSaving(to: path)
        },
    ]
}

extension ListRegion {
    /// Returns whether the list has a selected row or a command. An empty list can have commands
    /// too.
    @Sendable private static func hasRowOrCommand(_ model: Model) -> Availability {
        model.rowsAreElsewhere == nil && !model.commandsHere.isEmpty
            ? .available : Action.hasRow(model)
    }
}

extension Model {
    /// Returns the format and the file of an export. The format is the first word or, without one,
    /// follows from the file's extension.
    fileprivate static func export(_ argument: String) -> (format: ExportFormat, path: String)? {
        let parts = argument.split(separator: " ", maxSplits: 1)
        if let format = parts.first.flatMap({ ExportFormat(rawValue: String($0)) }) {
            let path = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            return path.isEmpty ? nil : (format, path)
        }
        let path = argument.trimmingCharacters(in: .whitespaces)
        return ExportFormat(fileName: path).map { ($0, path) }
    }

    /// The rows that an export writes, in words.
    var exported: String {
        if panels.focus == .events {
            let all = TextParts.events(regions.events.lines.count)
            return regions.events.filter.isEmpty ? all : "\(all) matching the filter"
        }
        guard let list else { return "nothing" }
        if !list.chosen.isEmpty { return TextParts.rows(list.chosen.count, areChosen: true) }
        let rows = TextParts.rows(list.total, areChosen: false)
        let all = list.isTotalExact ? rows : "at least \(rows)"
        return list.query.filter.isEmpty ? all : "\(all) matching the filter"
    }

    /// Returns the title of an action, including the rows it applies to.
    func title(of action: Action) -> String {
        guard action.name == "export", panels.focus == .events || list?.isLoaded == true else {
            return action.title
        }
        return "Export \(exported) to a file"
    }

    fileprivate mutating func askCopyForms() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        let id = requests.wait(for: .copy, of: list.source.id)
        return [.copyForms(id, list.source.id, row.id, list.query, chosen: list.chosen)]
    }

    /// Opens a menu of the actions for the selected row, most useful first.
    fileprivate mutating func openRowMenu() {
        let row = list?.selectedRow
        let isConflict = row?.isConflict == true && list?.source.conflictsHoldLists == false
        var names = ["enter"]
        if isConflict { names.append("ignore") }
        if time != nil { names += ["restore", "now"] }
        if whyNoCounter == nil { names += ["count-up", "count-down"] }
        names += [
            "inspector", "edit", "edit-external", "copy", "keep-query", "rename", "delete", "add",
        ]
        names += actions.commands.map(\.name) + ["alert", "choose"]
        var possible = names.compactMap(actions.named).filter { availability(of: $0) == .available }
        if !writing.isWritable, !possible.contains(where: { $0.name == "edit" }),
            let unlock = Action.named("unlock"), availability(of: unlock) == .available
        {
            possible.append(unlock)
        }
        possible += commandsHere.compactMap { actions.named($0.name) }
        let items = possible.map { action in
            let opensConflict = action.name == "enter" && isConflict
            return Menu.Item(
                title: opensConflict ? "Resolve this conflict" : action.title,
                hint: preferences.keymap.hint(for: action.name),
                availability: availability(of: action), choice: .action(action.name))
        }
        let title = row?.cells.first?.text ?? list?.source.title ?? "Row"
        overlay = .menu(Menu(title: title, items: items))
    }
}
