import Foundation
import TestSupport
import Testing

@testable import TidelineUI

/// The tables in docs/keys.md, generated from the actions and their keys.
@Suite struct KeyPageTests {
    /// Run `TIDELINE_WRITE_DOCS=1 swift test --filter KeyPageTests` to write the page.
    @Test func keysPageMatchesTheKeymap() throws {
        let file = Documentation.root.appending(path: "docs/keys.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let marker = "<!-- Made from the keymap by KeyPageTests. -->\n"
        let written = try #require(page.range(of: marker))
        let expected = page[..<written.upperBound] + Self.tables()
        if ProcessInfo.processInfo.environment["TIDELINE_WRITE_DOCS"] != nil {
            try Data(expected.utf8).write(to: file)
        } else {
            #expect(page == expected, "stale: run with TIDELINE_WRITE_DOCS=1")
        }
    }

    private static func tables() -> String {
        var text = ""
        for group in Action.Group.allCases {
            var rows: [(keys: String, title: String, names: [String])] = []
            for action in Action.every where action.group == group {
                let keys = Keymap.standard.keys(for: action.name).map { KeyNotation.text(for: $0) }
                let texts = keys.map(code).joined(separator: " ")
                if let last = rows.last, last.title == action.title {
                    rows[rows.count - 1].keys += " " + texts
                    rows[rows.count - 1].names.append(action.name)
                } else {
                    rows.append((texts, action.title, [action.name]))
                }
            }
            if rows.isEmpty { continue }
            text += "\n### \(group.title)\n\n| keys | action | name |\n|---|---|---|\n"
            for row in rows {
                // Shows a series of names, such as pane-1 to pane-9, as its first and last name.
                let isSeries = row.names.count > 3
                let names = isSeries ? [row.names[0], "…", row.names.last ?? ""] : row.names
                text += "| \(row.keys) | \(row.title) | "
                text += names.map { $0 == "…" ? $0 : code($0) }.joined(separator: " ") + " |\n"
            }
        }
        return text
    }

    private static func code(_ text: String) -> String {
        "`\(text.replacing("|", with: "\\|"))`"
    }
}
