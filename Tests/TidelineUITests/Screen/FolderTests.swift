import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Keys grouped by folder.
@Suite struct FolderTests {
    @Test func enterAndEscapeMoveThroughNestedFolders() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys", columns: 100, rows: 30)
        await stage.press("gf")
        #expect(stage.model.pane?.lists.count == 2)
        let names = stage.model.list?.rows.map { $0.cells[0].text } ?? []
        #expect(names.contains("list/") && names.contains("note/"))
        await stage.press("/")
        await stage.type("list/")
        await stage.press("Enter", "Enter")
        #expect(stage.model.breadcrumb.hasSuffix("list/"))
        #expect(stage.model.list?.rows.map { $0.cells[0].text } == ["groceries/"])
        await stage.press("Enter")
        #expect(stage.model.list?.rows.first?.id.name.hasPrefix("list/groceries/") == true)
        // The rows show only a part of the key, which users could mistake for the whole key.
        await stage.press("w")
        for key in ["r", "a"] {
            await stage.press(key)
            #expect(stage.model.overlay == nil && stage.text.contains("list of all keys"))
        }
        // The first Esc closes the message.
        let count = stage.model.pane?.lists.count
        await stage.press("Esc")
        #expect(stage.model.pane?.lists.count == count)
        await stage.press("Esc", "Esc", "Esc")
        #expect(stage.model.pane?.lists.count == 1)
        await session.close()
    }

    @Test func sameKeyEndsTheGroupingAndKeepsTheSelection() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys", columns: 100, rows: 30)
        await stage.press("gf", "/")
        await stage.type("note/")
        await stage.press("Enter", "Enter", "Enter", "j")
        let selected = try #require(stage.model.list?.selectedRow)
        #expect(stage.model.pane?.lists.count == 4 && !selected.isFolder)
        await stage.press("gf")
        #expect(stage.model.pane?.lists.count == 1)
        #expect(stage.model.list?.selectedRow?.id == selected.id)
        #expect(!stage.model.view.lists.values.contains { $0.isGrouped == true })
        await stage.press("gf")
        #expect(stage.model.breadcrumb.hasSuffix("Folders"), "\(stage.model.breadcrumb)")
        await session.close()
    }

    @Test func groupingIsRememberedPerStore() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys", columns: 100, rows: 30)
        #expect(stage.model.view.lists["keys"]?.isGrouped == nil)
        await stage.press("gf", "Enter")
        let view = stage.model.view
        #expect(view.lists.values.contains { $0.isGrouped == true })
        let again = await Stage(session, columns: 100, rows: 30, view: view)
        #expect(again.model.pane?.lists.count == 2)
        #expect(again.model.list?.rows.contains { $0.isFolder } == true)
        await again.press("Esc")
        #expect(again.model.pane?.lists.count == 1)
        #expect(!again.model.view.lists.values.contains { $0.isGrouped == true })
        await session.close()
    }

    @Test func foldersOfferNoEditsAndResolveTheConflictsInside() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys", columns: 100, rows: 30)
        let count = try #require(stage.model.list?.rows.count { $0.isConflict })
        await stage.press("w", "gf")
        #expect(!stage.lines[29].contains("edit"))
        for key in ["i", "e", "d"] {
            await stage.press(key)
            #expect(stage.model.overlay == nil, "\(key)")
            #expect(stage.lines[29].contains("rows in a folder"))
        }
        await stage.press("M")
        guard let many = stage.model.overlay?.module as? ManyConflicts else {
            Issue.record("no dialog: \(stage.text)")
            return
        }
        #expect(many.rows.count == count && count > 0)

        // Inside a folder, too, rules apply to the whole name of a key.
        await stage.press("Esc")
        var depth = 0
        while depth < 5,
            let index = stage.model.list?.rows.firstIndex(where: {
                $0.isFolder && $0.conflictsInside > 0
            })
        {
            await stage.press("Home")
            for _ in 0..<index { await stage.press("j") }
            await stage.press("Enter")
            depth += 1
        }
        #expect(depth > 0)
        await stage.press("M")
        guard let inner = stage.model.overlay?.module as? ManyConflicts else {
            Issue.record("no dialog: \(stage.text)")
            return
        }
        #expect(!inner.rows.isEmpty && inner.rows.allSatisfy { $0.name.contains("/") })
        await session.close()
    }

    @Test func foldersWithChangedKeysAreMarkedInThePast() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys", columns: 100, rows: 30)
        await stage.press("gf", ":")
        await stage.type("at 10d")
        await stage.press("Enter")
        let isMarked = stage.lines.contains { $0.hasPrefix("~ device/") }
        #expect(isMarked, "\(stage.text)")
        let same = try #require(stage.lines.firstIndex { $0.hasPrefix("  photo/") })
        #expect(stage.surface[2, same].style.attributes.contains(.dim))
        await session.close()
    }

    @Test func missingFoldersAreExplained() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("gf")
        #expect(stage.lines[23].contains("no folders"))
        #expect(stage.model.pane?.lists.count == 1)
    }
}
