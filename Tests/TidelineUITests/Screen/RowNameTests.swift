import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// A row has the same name in every list, dialog and message, shown in the demo store.
@Suite(.timeLimit(.minutes(30))) struct RowNameTests {
    /// Runs `body` with a screen of the demo store, once a pane has loaded some rows.
    private func withPane(
        _ pane: String, rows: Int, _ body: (Stage) async throws -> Void
    ) async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: pane, columns: 100, rows: 30)
        await stage.wait { $0.pane?.id.text.hasSuffix(pane) == true && $0.list?.total ?? 0 >= rows }
        await stage.press("w")
        try await body(stage)
        await session.close()
    }

    @Test func rowMenuIsNamedByTheKeyCellOfTheRow() async throws {
        let row = Row(
            id: RowID("0"), cells: [RowCell("warning", .problem), RowCell("Logs.db", .key)])
        #expect(row.shownName == "Logs.db")
        let unnamed = Row(id: RowID("0"), cells: [RowCell("7", .number), RowCell("", .key)])
        #expect(unnamed.shownName == "7")
        try await withPane("log", rows: 20) { stage in
            await stage.press("x")
            guard let menu = stage.model.overlay?.module as? Menu else {
                Issue.record("no menu: \(stage.text)")
                return
            }
            #expect(menu.title == stage.model.list?.selectedRow?.shownName)
            #expect(menu.title.contains("/"), "\(menu.title)")
        }
    }

    @Test func conflictOfAPropertyHasOneName() async throws {
        try await withPane("conflicts", rows: 6) { stage in
            await stage.press("/")
            await stage.type("Moby")
            await stage.press("Enter", "Enter")
            #expect(stage.text.contains("≠ Moby-Dick › stars"))
            await stage.press("1")
            #expect(stage.text.contains("resolve Moby-Dick › stars with Ben's phone's value"))
            await stage.press("y", "z")
            #expect(stage.text.contains("Moby-Dick › stars will be in conflict again"))
        }
    }

    @Test func conflictInADocumentHasOneName() async throws {
        try await withPane("conflicts", rows: 6) { stage in
            await stage.press("/")
            await stage.type("Summer")
            await stage.press("Enter")
            #expect(
                stage.model.panelStates.inspector.detail?.title == "Summer by the sea /price")
            await stage.press("Enter", "1")
            #expect(stage.text.contains("resolve Summer by the sea /price with"))
        }
    }

    @Test func editorNamesThePropertyOfAnEntity() async throws {
        try await withPane("entities", rows: 20) { stage in
            await stage.press("i")
            #expect(stage.text.contains("Edit Dublin › name"))
            await stage.type("!")
            await stage.press("Enter")
            #expect(stage.text.contains("set Dublin › name"))
        }
    }

    @Test func conflictOfAnEntityEditsThePropertyInConflict() async throws {
        try await withPane("entities", rows: 20) { stage in
            await stage.press("/")
            await stage.type("Moby")
            await stage.press("Enter", "Enter", "i")
            #expect(stage.text.contains("Edit Moby-Dick › stars"))
        }
    }
}
