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
        .change(
            "authors", "Show who wrote each part of a text, or stop", .rows,
            when: { $0.canShowAuthors }
        ) { model, _ in
            if model.regions.inspector.form == .authors {
                _ = model.regions.inspector.leaveForm()
            } else {
                model.regions.inspector.show(.authors)
                model.panels.focus = .inspector
            }
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
