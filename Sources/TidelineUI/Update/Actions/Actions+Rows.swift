import Foundation
import TidelineCore

extension Action {
    static let rows: [Action] = [
        Action("choose", "Mark row", .rows, unless: \.whyNoRow) { model, _ in
            model.change(\.list) { $0.choose(in: $1) }
        },
        .change("range", "Mark a range of rows", .rows, unless: \.whyNoRow) { model, _ in
            model.navigation.withList { $0.toggleRange() }
        },
        Action("copy", "Copy row", .rows, unless: \.whyNoRow) { model, _ in
            model.askCopyForms()
        },
        .change(
            "authors", "Show who wrote each part of a text, or stop", .rows,
            unless: \.whyNoAuthors
        ) { model, _ in
            if model.panelStates.inspector.form == .authors {
                _ = model.panelStates.inspector.goBack()
            } else {
                model.panelStates.inspector.show(.authors)
                model.panels.focus = .inspector
            }
        },
        // An empty list can also have commands.
        .change(
            "row-menu", "Row actions", .rows,
            unless: { $0.rowsAreElsewhere == nil && !$0.commandsHere.isEmpty ? nil : $0.whyNoRow }
        ) { model, _ in model.openRowMenu() },
        Action(
            "export", "Export the rows, or the marked ones, to a file", .rows,
            argument: "[json|jsonl|csv|tsv|sql] FILE", unless: \.whyNoPanes
        ) { model, call in
            guard let list = model.list else { return [] }
            guard let (format, path) = Model.export(call.argument) else {
                let isNamed = !call.argument.allSatisfy(\.isWhitespace)
                let suffix = URL(filePath: call.argument).pathExtension
                let format = suffix.isEmpty ? "no format" : "unknown format .\(suffix)"
                return model.say(
                    .warning,
                    isNamed
                        ? "\(format): use json, jsonl, csv, tsv or sql"
                        : ":export needs a file, for example: :export rows.csv")
            }
            return model.panels.focus == .events
                ? model.beginExport(ofEventsAs: format, to: path)
                : model.beginExport(of: list, as: format, to: path)
        },
        Action(
            "save", "Save the value of the row to a file", .rows, argument: "FILE",
            unless: \.whyNoRow
        ) { model, call in
            let path = call.argument.trimmingCharacters(in: .whitespaces)
            guard !path.isEmpty else {
                return model.say(.warning, ":save needs a file, for example: :save picture.jpg")
            }
            return model.beginSaving(to: path)
        },
    ]
}
