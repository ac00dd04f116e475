import Foundation
import TidelineCore

extension Model {
    /// Returns the format and the file of an export. The format is the first word or, if that isn't
    /// a format, follows from the file's extension.
    static func export(_ argument: String) -> (format: ExportFormat, path: String)? {
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
            let all = Counted.text(panelStates.events.lines.count, "event")
            return panelStates.events.filter.isEmpty ? all : "\(all) matching the filter"
        }
        guard let list else { return "nothing" }
        if !list.chosen.isEmpty { return Counted.text(list.chosen.count, "marked row") }
        let rows = Counted.text(list.total, "row")
        let all = list.isTotalExact ? rows : "at least \(rows)"
        return list.query.filter.isEmpty ? all : "\(all) matching the filter"
    }

    /// Returns the title of an action, including the rows that it applies to.
    func title(of action: Action) -> String {
        guard action.name == "export", panels.focus == .events || list?.isLoaded == true else {
            return action.title
        }
        return "Export \(exported) to a file"
    }

    mutating func askCopyForms() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        let id = requests.wait(for: .copy, of: list.source.id)
        return [.copyForms(id, list.source.id, row.id, list.query, chosen: list.chosen)]
    }

    /// Opens a menu of the actions on the selected row, most useful first.
    mutating func openRowMenu() {
        let row = list?.selectedRow
        let isConflict = row?.isConflict == true && list?.source.conflictsHoldLists == false
        let isInspected = panels.focus == .inspector
        let opens = !isInspected || panelStates.inspector.opening(in: context) != nil
        var names = opens ? ["enter"] : []
        if isConflict { names.append("ignore") }
        if time != nil { names += ["restore", "now"] }
        if whyNoCounter == nil { names += ["count-up", "count-down"] }
        names.append("take-over")
        if !isInspected { names.append("inspector") }
        names += ["edit", "edit-external", "copy", "keep-query", "rename", "delete", "add"]
        names += keymap.commands.map(\.name)
        if navigation.alert != nil { names.append("alert") }
        names.append("choose")
        var possible = names.compactMap(keymap.action(named:)).filter {
            whyUnavailable($0) == nil
        }
        if !writing.isWritable, !possible.contains(where: { $0.name == "edit" }),
            let unlock = Action.named("unlock"), whyUnavailable(unlock) == nil
        {
            possible.append(unlock)
        }
        // The palette shows the other commands, with the reasons why they are unavailable.
        possible += commandsHere.filter { offer(of: $0)?.availability.reason == nil }
            .compactMap { keymap.action(named: $0.name) }
        let items = possible.map { action in
            let title =
                switch action.name {
                case "enter" where isConflict && !isInspected:
                    time == nil ? "Resolve this conflict" : "Show this conflict"
                default: action.title
                }
            return Menu.Item(
                title: title,
                hint: keymap.hint(for: action.name),
                unavailable: whyUnavailable(action), choice: .action(action.name))
        }
        let title = row?.shownName ?? list?.source.title ?? "Row"
        overlay = Overlay(Menu(title: title, items: items))
    }
}
