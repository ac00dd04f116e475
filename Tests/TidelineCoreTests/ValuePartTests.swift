import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Edits inside a value leave the other parts unchanged, byte for byte.
@Suite struct ValuePartTests {
    private static let whole: PropertyList = .dictionary([
        "title": "Groceries", "big": .unsigned(.max), "small": .integer(.min), "one": .real(1),
        "when": .date(Date(timeIntervalSinceReferenceDate: 816_945_300.123456)),
        "raw": .data(Data([0, 255, 7])),
        "list": .array(["a", .integer(2), .dictionary(["deep": .boolean(true)])]),
    ])

    private let row = RowID("settings")
    private let shared: SharedPackage

    init() throws {
        shared = try SharedPackage()
        try shared.write("anna", ["settings": Self.whole])
    }

    /// Returns the key's value, as another device reads it.
    private func value() throws -> PropertyList? {
        try shared.sync("ben")
        return try shared.store("ben").value(forKey: row.name)
    }

    private func changed(_ change: (inout [Name: PropertyList]) -> Void) -> PropertyList {
        guard var members = Self.whole.members else { return Self.whole }
        change(&members)
        return .dictionary(members)
    }

    @Test func editingAPartKeepsTheRestAndCanBeUndone() async throws {
        let pane = try await PaneSession(shared.path)
        let cases: [(Edit, PropertyList)] = [
            (
                .set(row, field: FieldPath(steps: ["title"]), TypedText(.string, "Milk")),
                changed { $0["title"] = "Milk" }
            ),
            (
                .set(row, field: FieldPath(steps: ["list", "2", "deep"]), TypedText(.real, "2")),
                changed {
                    $0["list"] = .array(["a", .integer(2), .dictionary(["deep": .real(2)])])
                }
            ),
            (.remove([row], field: FieldPath(steps: ["title"])), changed { $0["title"] = nil }),
            (
                .remove([row], field: FieldPath(steps: ["list", "0"])),
                changed {
                    $0["list"] = .array([.integer(2), .dictionary(["deep": .boolean(true)])])
                }
            ),
            (
                .rename(row, field: FieldPath(steps: ["raw"]), to: "bytes"),
                changed {
                    $0["bytes"] = $0["raw"]
                    $0["raw"] = nil
                }
            ),
            (
                .add(name: "new", parent: row, field: FieldPath(), TypedText(.integer, "5")),
                changed { $0["new"] = .integer(5) }
            ),
            (
                .add(
                    name: "1", parent: row, field: FieldPath(steps: ["list"]),
                    TypedText(.string, "b")),
                changed {
                    $0["list"] = .array([
                        "a", "b", .integer(2), .dictionary(["deep": .boolean(true)]),
                    ])
                }
            ),
        ]
        for (edit, expected) in cases {
            let undo = try await pane.perform(edit).undo
            #expect(try value() == expected, "\(edit)")
            for step in undo { try await pane.perform(step) }
            #expect(try value() == Self.whole, "\(edit)")
        }
        await pane.close()
    }

    @Test func partPreviewNamesOnlyThatPart() async throws {
        let pane = try await PaneSession(shared.path)
        let keys = try pane.source(.keys)
        let remove = try await keys.preview(.remove([row], field: FieldPath(steps: ["title"])))
        #expect(remove.summary == "delete settings › title")
        #expect(
            remove.changes.map(\.asLines) == [
                .init(subject: "settings › title", old: "\"Groceries\"", new: nil)
            ])
        let list = FieldPath(steps: ["list"])
        for (name, field, summary) in [
            ("1", list, "add item 1 to settings › list"),
            ("", list, "add an item to settings › list"),
            ("2024", FieldPath(), "add 2024 to settings"),
            ("new", FieldPath(), "add new to settings"),
        ] {
            let edit = Edit.add(name: name, parent: row, field: field, TypedText(.string, "b"))
            #expect(try await keys.preview(edit).summary == summary)
        }
        await pane.close()
    }

    @Test func inspectorLinesNameTheirPart() async throws {
        let pane = try await PaneSession(shared.path)
        let lines = try await pane.detail(.keys, row.name).sections[0].lines
        let title = try #require(lines.first { $0.label == "title" })
        #expect(title.field == FieldPath(steps: ["title"]))
        #expect(title.addition == .member(of: FieldPath()))
        let deep = try #require(lines.first { $0.label == "deep" })
        #expect(deep.field == FieldPath(steps: ["list", "2", "deep"]))
        let keys = try pane.source(.keys)
        #expect(
            try await keys.editableValue(of: row, field: title.field)
                == TypedText(.string, "Groceries"))
        await pane.close()
    }

    @Test func missingAndInvalidPartsAreRejected() async throws {
        let pane = try await PaneSession(shared.path)
        let edits: [Edit] = [
            .set(row, field: FieldPath(steps: ["nothing"]), TypedText(.string, "")),
            .remove([row], field: FieldPath(steps: ["list", "9"])),
            .remove([row], field: FieldPath(steps: ["title", "inside"])),
            .rename(row, field: FieldPath(steps: ["list", "0"]), to: "x"),
            .rename(row, field: FieldPath(steps: ["raw"]), to: "title"),
            .add(name: "title", parent: row, field: FieldPath(), TypedText(.string, "")),
            .add(
                name: "9", parent: row, field: FieldPath(steps: ["list"]), TypedText(.string, "")),
            .add(
                name: "x", parent: row, field: FieldPath(steps: ["title"]),
                TypedText(.string, "")),
        ]
        for edit in edits {
            await #expect(throws: EditError.self, "\(edit)") { try await pane.perform(edit) }
        }
        #expect(try value() == Self.whole)
        await pane.close()
    }

    @Test func copyDuringTimeTravelUsesTheInstant() async throws {
        let before = shared.clock.now
        try shared.write("anna", ["settings": "later"])
        let pane = try await PaneSession(shared.path)
        let keys = try pane.source(.keys)
        #expect(try await keys.copyForms(of: row, at: nil).first?.text == "later")
        #expect(
            try await keys.copyForms(of: row, at: before).first?.text == TypedText(Self.whole).text)
        #expect(try await keys.copyForms(of: row, at: shared.instants[0]).map(\.name) == ["key"])
        await pane.close()
    }
}
