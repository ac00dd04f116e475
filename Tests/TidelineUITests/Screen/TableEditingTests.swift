import Foundation
import GRDB
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Rows of tables that are edited with values of other rows.
@Suite struct TableEditingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() async throws {
        folder = try TemporaryFolder()
        path = folder.appending("shop.db")
        let database = try DatabaseQueue(path: path)
        try await database.write {
            try $0.execute(
                sql: """
                    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE orders (
                        id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, note TEXT);
                    INSERT INTO customer VALUES (7, 'Ann'), (8, 'Ben');
                    INSERT INTO orders VALUES (1, 7, 'first'), (2, 7, 'second'), (3, 8, 'third');
                    """)
        }
        try database.close()
    }

    private func stage() async throws -> (Stage, any StoreSession) {
        let opener = StoreOpener(
            device: try DeviceID("ann"), isWritable: true,
            state: UserState(environment: ["XDG_STATE_HOME": folder.appending("state")]))
        let session = try opener.open(path)
        let events = session.events()
        if session.status.phase != .live {
            for await _ in events where session.status.phase == .live { break }
        }
        let stage = await Stage(session, pane: "tables", columns: 110)
        await stage.press("w", "j", "Enter")
        return (stage, session)
    }

    private func values(_ column: String) throws -> [String] {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read {
            try String.fetchAll($0, sql: "SELECT CAST(\(column) AS TEXT) FROM orders ORDER BY id")
        }
    }

    /// Moves the inspector's cursor to the line of a column.
    private func select(_ column: String, on stage: Stage) async {
        if stage.model.panels.focus != .inspector { await stage.press("Tab") }
        for _ in 0..<10
        where stage.model.regions.inspector.selectedLine?.field?.property != column {
            await stage.press("j")
        }
    }

    @Test func referencedRowIsChosenByName() async throws {
        let (stage, session) = try await stage()
        await select("customer", on: stage)
        await stage.press("i", "^o")
        #expect(stage.text.contains("7  name Ann"), "\(stage.text)")
        #expect(stage.text.contains("8  name Ben"))
        await stage.press("Esc", "^u")
        await stage.type("Be")
        await stage.press("^o")
        #expect(!stage.text.contains("7  name Ann"), "\(stage.text)")
        await stage.press("Enter", "Enter")
        #expect(stage.text.contains("\"customer\" = 8"), "\(stage.text)")
        await stage.press("y")
        #expect(try values("customer") == ["8", "7", "8"])
        await select("note", on: stage)
        await stage.press("i", "^o")
        #expect(stage.text.contains("note doesn't refer to rows"), "\(stage.text)")
        await session.close()
    }

    @Test func rowIsDuplicatedWithAnotherKey() async throws {
        let (stage, session) = try await stage()
        await stage.press("j", "g", "d")
        #expect(stage.text.contains("\"note\": \"second\""), "\(stage.text)")
        await stage.press("^s", "y")
        #expect(try values("note") == ["first", "second", "third", "second"])
        #expect(try values("id") == ["1", "2", "3", "4"])
        await session.close()
    }

    @Test func markedRowsGetTheSameValueWithOnePreview() async throws {
        let (stage, session) = try await stage()
        await stage.press("Space", "Space", "k")
        await select("note", on: stage)
        await stage.press("i")
        #expect(stage.text.contains("Edit note of 2 rows"), "\(stage.text)")
        await stage.press("^u")
        await stage.type("same")
        await stage.press("Enter")
        #expect(stage.text.contains("Type 2 and Enter"), "\(stage.text)")
        await stage.type("2")
        await stage.press("Enter")
        #expect(try values("note") == ["same", "same", "third"])
        await stage.press("z", "y")
        #expect(try values("note") == ["first", "second", "third"], "\(stage.text)")
        await session.close()
    }
}
