import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Copying rows of tables from another database.
@Suite struct TableTakeoverTests {
    /// An open database, and another one with the same schema.
    private struct Pair {
        let folder: TemporaryFolder
        let other: String
        let path: String
        let session: PaneSession

        init(_ schema: String, other: String, open: String) async throws {
            folder = try TemporaryFolder()
            self.other = folder.appending("other.db")
            path = folder.appending("open.db")
            try runSQL(schema + ";" + other, at: self.other)
            try runSQL(schema + ";" + open, at: path)
            session = try await PaneSession(path)
        }

        func differences() async throws -> (source: DifferencesSource, rows: [RowID]) {
            let source = try await DifferencesSource(
                of: session.session, with: other, at: nil)
            let rows = try await source.window(WindowRequest(count: 100)).rows
            return (source, rows.map(\.id))
        }

        /// Returns the rows of the query in the open database.
        func rows(_ sql: String) throws -> [String] {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            return try queue.read { try String.fetchAll($0, sql: sql) }
        }
    }

    private func changes(_ source: DifferencesSource) async throws -> [String] {
        try await source.window(WindowRequest(count: 100)).rows.map(\.cells[2].text)
    }

    private func undo(_ applied: AppliedEdit, in source: DifferencesSource) async throws {
        for edit in applied.undo { _ = try await source.apply(try await source.preview(edit)) }
    }

    @Test func rowGetsTheValuesAndTypesOfTheOtherRow() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b BLOB, c REAL, d TEXT, e)",
            other: "INSERT INTO t VALUES (1, '5', X'00FF', 0.1, NULL, 'same')",
            open: "INSERT INTO t VALUES (1, 5, 'text', 2.0, 'd', 'same')")
        let all =
            "SELECT group_concat(quote(v), ' ') FROM (SELECT a AS v FROM t UNION ALL "
            + "SELECT b FROM t UNION ALL SELECT c FROM t UNION ALL SELECT d FROM t)"
        let (source, rows) = try await pair.differences()
        #expect(source.info.edits[.takeOver] == .available)
        let preview = try await source.preview(.takeOver(rows))
        #expect(preview.changes.map(\.subject) == ["a", "b", "c", "d"])
        #expect(preview.summary.hasPrefix("UPDATE"))
        let applied = try await source.apply(preview)
        #expect(try pair.rows(all) == ["'5' X'00FF' 0.1 NULL"])
        #expect(try await changes(source) == ["same now"])
        #expect(try await pair.differences().source.isEmpty)

        try await undo(applied, in: source)
        #expect(try pair.rows(all) == ["5 'text' 2.0 'd'"])
        #expect(try await changes(source) == ["changed"])
        await pair.session.session.close()
    }

    @Test(arguments: ["", " WITHOUT ROWID"])
    func missingRowIsInsertedAndAdditionalRowIsDeleted(_ options: String) async throws {
        let pair = try await Pair(
            "CREATE TABLE t (name TEXT PRIMARY KEY, size)" + options,
            other: "INSERT INTO t VALUES ('a', 1), ('b', 2.5)",
            open: "INSERT INTO t VALUES ('b', 2.5), ('c', X'03')")
        let all = "SELECT name || quote(size) FROM t ORDER BY name"
        let (source, rows) = try await pair.differences()
        #expect(try await changes(source) == ["removed", "added"])
        var applied: [AppliedEdit] = []
        for row in rows {
            applied.append(try await source.apply(try await source.preview(.takeOver([row]))))
        }
        #expect(try pair.rows(all) == ["a1", "b2.5"])
        #expect(try await changes(source) == ["same now", "same now"])
        for edit in applied.reversed() { try await undo(edit, in: source) }
        #expect(try pair.rows(all) == ["b2.5", "cX'03'"])
        #expect(try await changes(source) == ["removed", "added"])
        await pair.session.session.close()
    }

    @Test func rowWithoutPrimaryKeyKeepsItsRowID() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (a)", other: "INSERT INTO t (rowid, a) VALUES (7, 'x')", open: "")
        let (source, rows) = try await pair.differences()
        _ = try await source.apply(try await source.preview(.takeOver(rows)))
        #expect(try pair.rows("SELECT rowid || a FROM t") == ["7x"])
        await pair.session.session.close()
    }

    @Test func markedRowsAreTakenOverTogetherInTheOrderOfForeignKeys() async throws {
        let pair = try await Pair(
            """
            CREATE TABLE zone (id INTEGER PRIMARY KEY, name);
            CREATE TABLE band (id INTEGER PRIMARY KEY, zone INTEGER REFERENCES zone (id));
            CREATE TABLE album (id INTEGER PRIMARY KEY, band INTEGER REFERENCES band (id))
            """,
            other: """
                INSERT INTO zone VALUES (1, 'north');
                INSERT INTO band VALUES (1, 1);
                INSERT INTO album VALUES (1, 1)
                """,
            open: """
                INSERT INTO zone VALUES (2, 'south');
                INSERT INTO band VALUES (2, 2);
                INSERT INTO album VALUES (2, 2)
                """)
        let all =
            "SELECT group_concat(id) FROM (SELECT id FROM zone UNION ALL SELECT id FROM "
            + "band UNION ALL SELECT id FROM album)"
        let (source, rows) = try await pair.differences()
        #expect(rows.count == 6)
        let preview = try await source.preview(.takeOver(rows))
        #expect(preview.changes.contains { $0.subject == "band 1 › zone" })
        let applied = try await source.apply(preview)
        #expect(try pair.rows(all) == ["1,1,1"])
        #expect(applied.undo.count == 1)
        try await undo(applied, in: source)
        #expect(try pair.rows(all) == ["2,2,2"])
        await pair.session.session.close()
    }

    @Test func rowsThatReferToRowsOfTheSameTableAreTakenOverTogether() async throws {
        let pair = try await Pair(
            "CREATE TABLE folder (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES folder (id))",
            other: "INSERT INTO folder VALUES (1, NULL), (2, 1), (3, 2)",
            open: "INSERT INTO folder VALUES (4, NULL), (5, 4), (6, 5)")
        let all = "SELECT group_concat(id) FROM (SELECT id FROM folder ORDER BY id)"
        let (source, rows) = try await pair.differences()
        let applied = try await source.apply(try await source.preview(.takeOver(rows)))
        #expect(try pair.rows(all) == ["1,2,3"])
        try await undo(applied, in: source)
        #expect(try pair.rows(all) == ["4,5,6"])
        await pair.session.session.close()
    }

    @Test func rowsWithSwappedUniqueValuesAreTakenOverTogether() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
            other: "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (5, 'z')",
            open: "INSERT INTO t VALUES (1, 'y'), (2, 'x'), (3, 'z')")
        let all = "SELECT id || name FROM t ORDER BY id"
        let (source, rows) = try await pair.differences()
        let applied = try await source.apply(try await source.preview(.takeOver(rows)))
        #expect(try pair.rows(all) == ["1x", "2y", "5z"])
        #expect(try await changes(source).allSatisfy { $0 == "same now" })
        try await undo(applied, in: source)
        #expect(try pair.rows(all) == ["1y", "2x", "3z"])
        await pair.session.session.close()
    }

    @Test func rowsThatAreTheSameNowAreLeftOut() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
            other: "INSERT INTO t VALUES (1, 'x'), (2, 'y')", open: "")
        let (source, rows) = try await pair.differences()
        _ = try await source.apply(try await source.preview(.takeOver([rows[0]])))
        let preview = try await source.preview(.takeOver(rows))
        #expect(preview.rowCount == 1)
        _ = try await source.apply(preview)
        #expect(try pair.rows("SELECT id || a FROM t") == ["1x", "2y"])
        await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver([rows[0]]))
        }
        await pair.session.session.close()
    }

    @Test func rowThatChangedAfterThePreviewIsNotWritten() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a)", other: "INSERT INTO t VALUES (1, 'x')",
            open: "INSERT INTO t VALUES (1, 'y')")
        let (source, rows) = try await pair.differences()
        let preview = try await source.preview(.takeOver(rows))
        try runSQL("UPDATE t SET a = 'z'", at: pair.path)
        let error = await #expect(throws: EditError.self) { _ = try await source.apply(preview) }
        #expect(error?.code == .moved)
        #expect(try pair.rows("SELECT a FROM t") == ["z"])
        await pair.session.session.close()
    }

    @Test func rowThatTheOtherDatabaseHasLostIsNotDeleted() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a)", other: "INSERT INTO t VALUES (1, 'x')",
            open: "INSERT INTO t VALUES (1, 'y')")
        let (source, rows) = try await pair.differences()
        try runSQL("DELETE FROM t", at: pair.other)
        await #expect(throws: EditError.goneFromOtherStore("the row t 1")) {
            _ = try await source.preview(.takeOver(rows))
        }
        #expect(try pair.rows("SELECT a FROM t") == ["y"])
        await pair.session.session.close()
    }

    @Test func columnThatOnlyTheOtherTableHasIsLeftOut() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
            other: "ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES (1, 'x', 'y')", open: "")
        let (source, _) = try await pair.differences()
        let listed = try await source.window(WindowRequest(count: 100)).rows
        let row = try #require(listed.first { $0.cells[1].text == "row" }?.id)
        let preview = try await source.preview(.takeOver([row]))
        #expect(preview.warnings.count == 1)
        #expect(preview.warnings.first?.contains("column b") == true)
        _ = try await source.apply(preview)
        #expect(try pair.rows("SELECT a FROM t") == ["x"])
        let table = try #require(listed.first { $0.id != row }?.id)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver([table]))
        }
        #expect(error?.message.contains("only rows") == true)
        await pair.session.session.close()
    }

    @Test func reasonsExplainWhyRowsCannotBeTakenOver() async throws {
        let pair = try await Pair(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a)", other: "INSERT INTO t VALUES (1, 'x')",
            open: "")
        let (source, rows) = try await pair.differences()
        pair.session.session.setWritable(false)
        #expect(source.info.edits[.takeOver] == .unavailable(because: Availability.locked))
        await #expect(throws: EditError.locked) {
            _ = try await source.preview(.takeOver(rows))
        }
        pair.session.session.setWritable(true)
        try runSQL("DELETE FROM t", at: pair.other)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver(rows))
        }
        #expect(error?.code == .unchanged)
        await pair.session.session.close()
    }
}
