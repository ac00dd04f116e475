import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// A table on the screen while another program changes its definition.
@Suite struct TableSchemaTests {
    @Test func openTableFollowsColumnsAndNamesThatAnotherProgramChanges() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("shop.db")
        try runSQL(
            """
            CREATE TABLE item (code TEXT PRIMARY KEY, name TEXT, price REAL);
            INSERT INTO item VALUES ('a', 'apple', 1), ('b', 'berry', 2);
            """, at: path)
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "tables", columns: 110)
        await stage.press("Enter")
        func change(_ sql: String, until columns: [String]) async throws {
            try runSQL(sql, at: path)
            await stage.wait { model in
                guard let list = model.list, !model.mustWait else { return false }
                return list.source.columns.map(\.id) == columns
                    && list.rows.first?.cells.count == columns.count
            }
        }
        try await change(
            "ALTER TABLE item ADD COLUMN color TEXT; UPDATE item SET color = 'red'",
            until: ["code", "name", "price", "color"])
        #expect(stage.text.contains("COLOR") && stage.text.contains("red"), "\(stage.text)")
        try await change(
            "ALTER TABLE item DROP COLUMN price", until: ["code", "name", "color"])
        #expect(stage.model.list?.problem == nil, "\(stage.text)")
        #expect(!stage.text.contains("PRICE") && stage.text.contains("berry"), "\(stage.text)")
        try runSQL("ALTER TABLE item RENAME TO fruit", at: path)
        await stage.wait { $0.list?.problem != nil }
        #expect(stage.text.contains("item was deleted or renamed"), "\(stage.text)")
        // Only the open list has a problem, not the store.
        #expect(session.status.problems.isEmpty, "\(session.status.problems)")
        try runSQL("ALTER TABLE fruit RENAME TO item", at: path)
        await stage.wait { $0.list?.problem == nil && !$0.mustWait }
        #expect(stage.text.contains("berry"), "\(stage.text)")
        await session.close()
    }

    @Test func orderByADeletedColumnEnds() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("shop.db")
        try runSQL(
            """
            CREATE TABLE item (code TEXT PRIMARY KEY, price REAL, name TEXT);
            INSERT INTO item VALUES ('a', 1, 'apple'), ('b', 2, 'berry');
            """, at: path)
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "tables", columns: 110)
        // The fifth order is by price, descending.
        await stage.press("Enter", "o", "5")
        #expect(stage.model.list?.rows.first?.cells.last?.text == "berry", "\(stage.text)")
        try runSQL("ALTER TABLE item DROP COLUMN price", at: path)
        await stage.wait { $0.list?.rows.first?.cells.map(\.text) == ["a", "apple"] }
        #expect(stage.model.list?.problem == nil, "\(stage.text)")
        await session.close()
    }
}
