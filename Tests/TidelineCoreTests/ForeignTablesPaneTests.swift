import Foundation
import GRDB
import Replication
import Tables
import TestSupport
import Testing

@testable import TidelineCore

/// Databases of other programs in the tables pane.
@Suite struct ForeignTablesPaneTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("other.db")
    }

    private func make(_ sql: String, _ prepare: (Database) -> Void = { _ in }) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            prepare(db)
            try db.execute(sql: sql)
        }
        try queue.close()
    }

    private func rows(of table: String) async throws -> any RowSource {
        let database = TableDatabase(path, device: try DeviceID("desk"), isWritable: true)
        let tables = try database.currentTables()
        let named = try #require(tables.table(table))
        #expect(named.schema.problem == nil)
        return try TableLists.rows(of: named, in: database) { false }
    }

    private func texts(_ source: any RowSource) async throws -> [[String]] {
        try await source.window(WindowRequest(count: 20)).rows.map { $0.cells.map(\.text) }
    }

    @Test func viewWithJSONFunctionsIsShown() async throws {
        try make(
            """
            CREATE TABLE buoy (id INTEGER PRIMARY KEY, doc JSON, sea AS (doc ->> '$.sea'));
            INSERT INTO buoy (doc) VALUES ('{"sea":"north"}');
            CREATE VIEW seas AS SELECT json_extract(doc, '$.sea') AS sea FROM buoy;
            """)
        #expect(try await texts(try await rows(of: "seas")) == [["north"]])
        let source = try await rows(of: "buoy")
        #expect(try await texts(source) == [["1", #"{"sea":"north"}"#, "north"]])
        let preview = try await source.preview(
            .set(RowID("buoy/1"), field: FieldPath("doc"), TypedText(.json, #"{"sea":"south"}"#)))
        _ = try await source.apply(preview)
        #expect(try await texts(source).map(\.last) == ["south"])
    }

    @Test func specialValuesAreShownAsWords() async throws {
        try make(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, x REAL, iv BLOB, uuid BLOB);
            INSERT INTO t VALUES (1, 9e999, x'4c85328f80cc4e58af6c068fc3d901aa',
                x'4c85328f80cc4e58af6c068fc3d901aa'), (2, -9e999, NULL, NULL);
            """)
        let rows = try await texts(try await rows(of: "t"))
        #expect(rows.map { $0[1] } == ["Inf", "-Inf"])
        #expect(rows[0][2].hasPrefix("16 bytes"))
        #expect(rows[0][3] == "4C85328F-80CC-4E58-AF6C-068FC3D901AA")
    }

    @Test func exportedRecordsContainLongValues() async throws {
        let length = RowWalk.defaultLimit + 1
        try make(
            """
            CREATE TABLE t (n INT, a TEXT);
            INSERT INTO t VALUES (1, 'short'), (2, printf('%.*c', \(length), 'a')),
                (3, CAST(x'ff41' AS TEXT));
            """)
        let source = try await rows(of: "t")
        let window = try await source.window(WindowRequest(count: 20))
        #expect(window.rows[1].cells.last?.text.contains("not loaded") == true)
        let records = try await source.records(of: window.rows, at: nil)
        #expect(
            records.map { $0.members.map(\.name) }
                == Array(repeating: ["rowid", "n", "a"], count: 3))
        #expect(records[0]["a"] == .verbatim(#""short""#))
        #expect(records[1]["a"]?.line.utf8.count == length + 2)
        #expect(records[2]["a"] == .verbatim(#"{"$text":"/0E="}"#))
    }

    @Test func missingCollationIsNamedInTheTitle() async throws {
        try make(
            "CREATE TABLE tag (name TEXT COLLATE other); INSERT INTO tag VALUES ('b'), ('A');"
        ) { db in
            db.add(
                collation: DatabaseCollation("other") { $0 < $1 ? .orderedAscending : .orderedSame }
            )
        }
        let source = try await rows(of: "tag")
        #expect(source.info.title.contains("other"))
        let sorted = try await source.window(
            WindowRequest(query: RowQuery(sort: .init(column: "name")), count: 5))
        #expect(sorted.rows.map { $0.cells.last?.text } == ["A", "b"])
    }

    @Test func missingFunctionIsNamedInThePane() async throws {
        try make(
            """
            CREATE TABLE t (n INT, s AS (score(n)));
            INSERT INTO t VALUES (1);
            CREATE VIEW v AS SELECT n, score(n) AS s FROM t;
            CREATE TABLE u (n INT CHECK (score(n) > 0));
            """
        ) { db in
            db.add(function: DatabaseFunction("score", argumentCount: 1, pure: true) { _ in 1 })
        }
        for (name, place) in [("t", "s "), ("v", "")] {
            let source = try await rows(of: name)
            #expect(
                source.info.title == "\(name) (\(place)computed with NULL: no function score)")
            let window = try await source.window(WindowRequest(count: 5))
            #expect(window.rows.first?.cells.last?.text == "NULL")
        }
        #expect(try await rows(of: "u").info.title == "u")
        let database = TableDatabase(path, device: try DeviceID("desk"), isWritable: true)
        _ = try database.currentTables()
        let list = TablesSource(database)
        let tables = try await list.window(WindowRequest(count: 9)).rows
        #expect(
            tables.map { $0.cells[3].text } == [
                "n, s (missing: score)", "n (missing: score)", "n, s (missing: score)",
            ])
        var notes: [String?] = []
        for row in tables {
            let sections = try await list.detail(of: row.id, at: nil)?.sections
            notes.append(sections?.first { $0.title == "Note" }?.lines.first?.text)
        }
        #expect(
            notes == [
                "the function score is missing: the values of s are computed with NULL",
                "the function score is missing: changes that need it are refused",
                "the function score is missing: values that depend on it are computed with "
                    + "NULL, and rows can be left out",
            ])
    }

    @Test func missingCollationOfAViewIsNamedInTheTitle() async throws {
        try make(
            """
            CREATE TABLE tag (name TEXT);
            CREATE VIEW v AS SELECT name FROM tag ORDER BY name COLLATE other;
            """
        ) { $0.add(collation: DatabaseCollation("other") { _, _ in .orderedSame }) }
        let title = try await rows(of: "v").info.title
        #expect(title.hasPrefix("v (") && title.contains("collation other"))
    }

    @Test func missingCollationOfAQueryIsNamedInTheTitle() async throws {
        try make("CREATE TABLE tag (name TEXT COLLATE other)") {
            $0.add(collation: DatabaseCollation("other") { _, _ in .orderedSame })
        }
        let database = TableDatabase(path, device: nil, isWritable: false)
        let result = QueryResultSource(database, "q", "SELECT name FROM tag ORDER BY name")
        try result.load { false }
        let title = result.info.title
        #expect(title.hasPrefix("q (") && title.contains("collation other"))
    }

    @Test func deletingARowThatNeedsAMissingFunctionWarnsAboutUndo() async throws {
        try make("CREATE TABLE t (n INT, s AS (score(n))); INSERT INTO t (n) VALUES (1), (2);") {
            $0.add(function: DatabaseFunction("score", argumentCount: 1, pure: true) { _ in 1 })
        }
        let database = TableDatabase(path, device: try DeviceID("desk"), isWritable: true)
        let table = try #require(try database.currentTables().table("t"))
        let source = try TableLists.rows(of: table, in: database) { false }
        let preview = try await source.preview(.remove([RowID("t/1")], field: nil))
        #expect(preview.warnings.count == 1)
        #expect(preview.warnings.first?.contains("function score") == true)
        let undo = try #require(try await source.apply(preview).undo.first)
        #expect(try await texts(source) == [["2", "2", "NULL"]])
        let inverse = try await source.preview(undo)
        await #expect(throws: EditError.self) { try await source.apply(inverse) }
    }
}
