import Foundation
import GRDB
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Queries of a SQLite file: run first, kept afterward.
@Suite struct QueryScreenTests {
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
                    INSERT INTO customer VALUES (1, 'Ann'), (2, 'Ben');
                    """)
        }
        try database.close()
    }

    private func stage(columns: Int = 80) async throws -> (Stage, any StoreSession) {
        let opener = StoreOpener(
            device: try DeviceID("ann"), isWritable: false,
            state: UserState(environment: ["XDG_STATE_HOME": folder.appending("state")]))
        let session = try opener.open(path)
        let events = session.events()
        if session.status.phase != .live {
            for await _ in events where session.status.phase == .live { break }
        }
        return (await Stage(session, pane: "queries", columns: columns), session)
    }

    @Test func queryRunsBeforeItIsKept() async throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let (stage, session) = try await stage()
        #expect(stage.text.contains("Press a to write one"), "\(stage.text)")
        // Reading needs no write mode.
        #expect(stage.lines[0].contains("[RO]"))
        await stage.press("a")
        #expect(stage.lines[23].contains("^s run"), "\(stage.text)")
        await stage.type("SELECT name")
        await stage.press("Enter")
        await stage.type("FROM customer WHERE id > 1")
        await stage.press("^s")
        #expect(stage.text.contains("SELECT name FROM customer"), "\(stage.text)")
        #expect(stage.text.contains("Ben") && !stage.text.contains("Ann"))
        #expect(stage.lines[23].contains("s save"), "\(stage.lines[23])")
        await stage.press("Esc")
        #expect(stage.text.contains("not saved"), "\(stage.text)")
        await stage.press("Enter", "s")
        #expect(stage.text.contains("Save query"))
        await stage.type("later")
        await stage.press("Enter")
        #expect(stage.text.contains("save the query later"), "\(stage.text)")
        await stage.press("y")
        #expect(stage.lines[23].contains("saved the query later"), "\(stage.lines[23])")
        await stage.press("Esc")
        #expect(stage.lines.contains { $0.contains("later") && $0.contains(" saved") })
        await session.close()
        let (again, other) = try await self.stage()
        #expect(again.text.contains("later"))
        await other.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func keptQueryIsEditedFromItsResults() async throws {
        let (stage, session) = try await stage()
        await stage.press("a")
        await stage.type("SELECT name FROM customer")
        await stage.press("^s", "s")
        await stage.type("all")
        await stage.press("Enter", "y", "i", "^End")
        await stage.type(" WHERE id = 1")
        await stage.press("^s")
        #expect(stage.text.contains("Queries › all") && !stage.text.contains("Ben"))
        await stage.press("Esc")
        #expect(stage.lines.contains { $0.contains("all") && $0.contains("changed") })
        await stage.press("s", "Enter", "y")
        #expect(stage.model.list?.total == 1)
        #expect(stage.lines.contains { $0.contains("WHERE id = 1") && $0.contains(" saved") })
        // Undo brings the earlier query back.
        await stage.press("z", "y")
        #expect(!stage.text.contains("WHERE id = 1"), "\(stage.text)")
        #expect(stage.lines.contains { $0.contains("all") && $0.contains(" saved") })
        await session.close()
    }

    @Test func wrongQueryStaysInTheEditorWithItsReason() async throws {
        let (stage, session) = try await stage()
        await stage.press("a", "^s")
        #expect(stage.text.contains("type a query first"))
        await stage.type("SELEC 1")
        await stage.press("^s")
        #expect(stage.text.contains("syntax error"), "\(stage.text)")
        await stage.press("^u")
        await stage.type("DELETE FROM customer")
        await stage.press("^s")
        #expect(stage.text.contains("│DELETE FROM customer"), "\(stage.text)")
        await stage.press("Esc")
        #expect(stage.model.list?.total == 0)
        await session.close()
    }

    @Test func tabCompletesTheNamesOfTablesAndColumns() async throws {
        let (stage, session) = try await stage()
        await stage.press("a")
        await stage.type("SELECT id FROM cu")
        await stage.press("Tab")
        #expect(stage.text.contains("SELECT id FROM customer"), "\(stage.text)")
        await stage.type(" WHERE na")
        await stage.press("Tab")
        await stage.type(" = 'Ben'")
        await stage.press("^s")
        #expect(stage.model.list?.total == 1, "\(stage.text)")
        await session.close()
    }

    @Test func earlierQueriesReturnToTheEditor() async throws {
        let (first, session) = try await stage()
        for (name, query) in [("one", "SELECT 1"), ("two", "SELECT 2")] {
            await first.press("a")
            await first.type(query)
            await first.press("^s", "s")
            await first.type(name)
            await first.press("Enter", "y", "Esc")
        }
        await first.press("a")
        await first.type("SELEC 3")
        await first.press("^s", "Esc")
        let info = session.panes.first { $0.id.name == "queries" }?.source.info
        #expect(info?.queryWords.typed == ["SELECT 1", "SELECT 2", "SELEC 3"])
        await session.close()

        let (stage, other) = try await stage()
        await stage.press("a")
        await stage.type("SELECT 4")
        await stage.press("Up")
        #expect(stage.text.contains("│SELECT 2 "), "\(stage.text)")
        await stage.press("Up", "Up")
        #expect(stage.text.contains("│SELECT 1 "), "\(stage.text)")
        await stage.press("Down", "Down")
        #expect(stage.text.contains("│SELECT 4 "), "\(stage.text)")
        await other.close()
    }

    private func knowsTypedQuery(_ model: Model) -> Bool {
        model.pane?.lists.first?.source.queryWords.typed.isEmpty == false
    }

    @Test func completedQueryIsKeptWhileEarlierQueriesAreShown() async throws {
        let (stage, session) = try await stage()
        await stage.press("a")
        await stage.type("SELECT id FROM cu")
        await stage.press("^s", "Esc")
        await stage.wait { knowsTypedQuery($0) }
        await stage.press("a", "Up")
        #expect(stage.text.contains("│SELECT id FROM cu "), "\(stage.text)")
        await stage.press("^End", "Tab", "Up")
        #expect(stage.text.contains("│SELECT id FROM cu "), "\(stage.text)")
        await stage.press("Down")
        #expect(stage.text.contains("│SELECT id FROM customer "), "\(stage.text)")
        await session.close()
    }

    @Test func longTextBehindAnEarlierQueryIsNotLostAtOnce() async throws {
        let (stage, session) = try await stage()
        await stage.press("a")
        await stage.type("SELECT 1")
        await stage.press("^s", "Esc")
        await stage.wait { knowsTypedQuery($0) }
        await stage.press("a", "Up", "Esc")
        #expect(stage.model.overlay == nil, "the earlier query is not lost")
        await stage.press("a")
        await stage.type("SELECT '\(String(repeating: "x", count: 80))'")
        await stage.press("^Home", "Up")
        #expect(stage.text.contains("│SELECT 1 "), "\(stage.text)")
        await stage.press("Esc")
        #expect(stage.text.contains("the typed text will be lost"), "\(stage.text)")
        await session.close()
    }

    @Test func planIsATreeWithoutDifferenceColors() async throws {
        let (stage, session) = try await stage()
        await stage.press("a")
        await stage.type("SELECT name FROM customer WHERE id IN (SELECT max(id) FROM customer)")
        await stage.press("^s", "Esc", "0")
        let plan = stage.lines.drop { !$0.contains("Plan") }
        #expect(plan.contains { $0.contains("SEARCH customer") }, "\(stage.text)")
        #expect(plan.contains { $0.contains("SUBQUERY") }, "\(stage.text)")
        #expect(!plan.contains { $0.contains("+ ") })
        let lines = stage.model.panelStates.inspector.detail?.sections.last?.lines ?? []
        #expect(lines.allSatisfy { $0.role == .plain })
        #expect(Set(lines.map(\.depth)).count > 1)
        await stage.press("1", "2", "s")
        await stage.type("max")
        await stage.press("Enter")
        guard let dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(dialog.previews.flatMap(\.changes).map(\.subject) == ["SQL"])
        await session.close()
    }
}
