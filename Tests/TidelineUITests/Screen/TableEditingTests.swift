import Foundation
import GRDB
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Edits of the rows of a table: previewed as SQL, in one transaction, with undo.
@Suite struct TableEditingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("shop.db")
        try runSQL(
            """
            CREATE TABLE item (code TEXT PRIMARY KEY, name TEXT, price REAL) WITHOUT ROWID;
            INSERT INTO item VALUES ('a', 'apple', 1), ('b', 'berry', 2), ('c', 'cherry', 3);
            """, at: path)
    }

    /// The rows of the table, as another program reads them.
    private func rows() throws -> [String] {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM item ORDER BY code").map { row in
                row.databaseValues.map { "\($0)" }.joined(separator: " ")
            }
        }
    }

    private static let original = [
        #""a" "apple" 1.0"#, #""b" "berry" 2.0"#, #""c" "cherry" 3.0"#,
    ]

    /// Opens the rows of the table.
    private func stage() async throws -> (Stage, any StoreSession) {
        let opener = StoreOpener(device: try DeviceID("ann"), isWritable: false)
        let session = try opener.open(path)
        let events = session.events()
        if session.status.phase != .live {
            for await _ in events where session.status.phase == .live { break }
        }
        let stage = await Stage(session, pane: "tables", columns: 110)
        await stage.press("Enter", "w")
        await stage.wait { $0.whyNoEdit(.set) == nil && !$0.mustWait }
        #expect(stage.lines[0].contains("[WRITE]"), "\(stage.text)")
        #expect(stage.model.list?.total == 3, "\(stage.text)")
        return (stage, session)
    }

    @Test func duplicateStartsWithTheValuesOfItsRow() async throws {
        let (stage, session) = try await stage()
        await stage.press("g", "d")
        #expect(stage.text.contains(#"{"code": "a","#), "\(stage.text)")
        // The first line is {"code": "a",
        await stage.press("End", "Backspace", "Backspace", "Backspace")
        await stage.type(#"d","#)
        await stage.press("^s")
        #expect(stage.text.contains(#"INSERT INTO "item""#), "\(stage.text)")
        #expect(try rows() == Self.original)
        await stage.press("y")
        #expect(try rows() == Self.original + [#""d" "apple" 1.0"#])
        await stage.press("z", "y")
        #expect(try rows() == Self.original)
        await session.close()
    }

    @Test func renamedRowHasAnotherKey() async throws {
        let (stage, session) = try await stage()
        await stage.press("r", "^u")
        await stage.type("z")
        await stage.press("Enter")
        #expect(stage.text.contains(#"UPDATE "item" SET "code" = 'z'"#), "\(stage.text)")
        await stage.press("y")
        #expect(try rows() == Self.original.dropFirst() + [#""z" "apple" 1.0"#])
        await stage.press("z", "y")
        #expect(try rows() == Self.original)
        // The new key must be free.
        await stage.press("r", "^u")
        await stage.type("b")
        await stage.press("Enter", "y")
        #expect(try rows() == Self.original, "\(stage.text)")
        await session.close()
    }

    @Test func markedRowsGetTheSameValueTogether() async throws {
        let (stage, session) = try await stage()
        // The selected row is one of the two marked rows.
        await stage.press("Space", "Space", "gg", "0", "j", "j", "i")
        #expect(stage.text.contains("Edit name of 2 rows"), "\(stage.text)")
        await stage.press("^u")
        await stage.type("fruit")
        await stage.press("Enter")
        for code in ["a", "b"] {
            let sql = #"UPDATE "item" SET "name" = 'fruit' WHERE "code" = '\#(code)'"#
            #expect(stage.text.contains(sql), "\(stage.text)")
        }
        await stage.press("3", "Enter")
        #expect(stage.text.contains("type 2 to change"), "\(stage.text)")
        #expect(try rows() == Self.original)
        await stage.press("Backspace", "2", "Enter")
        #expect(
            try rows() == [#""a" "fruit" 1.0"#, #""b" "fruit" 2.0"#, Self.original[2]],
            "\(stage.text)")
        #expect(stage.lines[23].contains("and 1 more"), "\(stage.text)")
        await stage.press("z")
        #expect(stage.text.contains("Undo this change?"), "\(stage.text)")
        await stage.press("y")
        #expect(try rows() == Self.original)
        await session.close()
    }

    @Test func markedRowsStayAsTheyAreIfOneCannotBeWritten() async throws {
        let (stage, session) = try await stage()
        await stage.press("Space", "Space", "gg", "0", "j", "i", "^u")
        await stage.type("z")
        await stage.press("Enter", "2", "Enter")
        #expect(stage.text.contains("another row of item"))
        #expect(try rows() == Self.original)
        await stage.press("Esc")
        #expect(stage.model.overlay?.module is FieldEditor)
        await session.close()
    }

    @Test func editingAnUnmarkedRowLeavesMarkedRowsUnchanged() async throws {
        let (stage, session) = try await stage()
        // The marks are on the first two rows, and the third one is selected.
        await stage.press("Space", "Space", "0", "j", "j", "i")
        #expect(stage.text.contains("Edit c › name"), "\(stage.text)")
        await stage.press("^u")
        await stage.type("fruit")
        await stage.press("Enter", "y")
        #expect(try rows() == Self.original.dropLast() + [#""c" "fruit" 3.0"#])
        await session.close()
    }

    @Test func rowChooserMarksTheCurrentRowAndFiltersAllRows() async throws {
        let path = folder.appending("pets.db")
        let database = try DatabaseQueue(path: path)
        try await database.write {
            try $0.execute(
                sql: """
                    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
                    INSERT INTO person SELECT i, 'Person ' || i FROM n;
                    CREATE TABLE pet (
                        id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person (id));
                    INSERT INTO pet VALUES (1, 250);
                    """)
        }
        try database.close()
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "tables", columns: 110)
        await stage.press("j", "Enter", "w")
        await stage.wait { $0.whyNoEdit(.set) == nil && !$0.mustWait }
        await stage.press("0")
        let owner = FieldPath("owner")
        for _ in 0..<8 where stage.model.selectedField != owner { await stage.press("j") }
        #expect(stage.model.selectedField == owner, "\(stage.text)")
        await stage.press("i", "^o")
        guard let menu = stage.model.overlay?.module as? Menu else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(menu.items.count == 201)
        #expect(menu.items[menu.cursor].title == "250  name Person 250")
        #expect(stage.text.contains("250  name Person 250  now"), "\(stage.text)")
        #expect(stage.text.contains("person: first 200 rows"), "\(stage.text)")
        let note = "for fewer rows: Esc, type a part of the row, ^o"
        #expect(stage.text.contains(note), "\(stage.text)")
        // The typed text is searched in all rows.
        await stage.press("Esc", "^u")
        await stage.type("Person 299")
        await stage.press("^o")
        #expect(stage.text.contains("299  name Person 299"), "\(stage.text)")
        #expect(!stage.text.contains("for fewer rows:"), "\(stage.text)")
        await stage.press("Enter", "Enter")
        #expect(stage.text.contains(#"UPDATE "pet" SET "owner" = 299"#), "\(stage.text)")
        await session.close()
    }

    @Test func deletedRowsComeBackWithUndo() async throws {
        let (stage, session) = try await stage()
        await stage.press("Space", "Space", "d")
        #expect(stage.text.contains(#"DELETE FROM "item""#), "\(stage.text)")
        await stage.press("2", "Enter")
        #expect(try rows() == [Self.original[2]], "\(stage.text)")
        await stage.press("z", "y")
        #expect(try rows() == Self.original)
        await session.close()
    }
}
