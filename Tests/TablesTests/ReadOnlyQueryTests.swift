import Foundation
import Tables
import TestSupport
import Testing

/// Users' own SQL.
@Suite struct ReadOnlyQueryTests {
    private let sample: SampleDatabase

    init() throws { sample = try SampleDatabase(SampleDatabase.everything) }

    private func rows(_ sql: String) throws -> [[TableValue]] {
        var rows: [[TableValue]] = []
        _ = try TableFile(sample.path).read { db in
            rows = []
            try ReadOnlyQuery(sql).run(db) {
                rows.append($0); return rows.count < 1000
            }
        }
        return rows
    }

    @Test(arguments: [
        "INSERT INTO author (name) VALUES ('x')", "DELETE FROM author", "DROP TABLE author",
        "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "ATTACH ':memory:' AS other",
        "PRAGMA writable_schema = ON", "PRAGMA journal_mode = WAL", "PRAGMA user_version = 7",
        "SELECT load_extension('x')", "VACUUM INTO '/tmp/never.db'", "BEGIN", "SAVEPOINT a",
        "REINDEX", "ANALYZE", "SELECT 1; DELETE FROM author", "DETACH main",
        "WITH a AS (SELECT 1) UPDATE author SET name = 'x'", "PRAGMA query_only = OFF",
        "INSERT INTO words VALUES ('x')",
    ])
    func statementsThatDoMoreThanReadFail(_ sql: String) throws {
        let before = try FolderState(of: sample.folder.path)
        #expect { try rows(sql) } throws: { ($0 as? TablesError)?.code == .usage }
        #expect(try FolderState(of: sample.folder.path) == before)
    }

    @Test(arguments: [
        "SELECT count(*) FROM author", "WITH n(i) AS (VALUES (1)) SELECT i FROM n", "VALUES (1)",
        "SELECT * FROM words WHERE words MATCH 'hello'", "PRAGMA table_info(author)",
        "PRAGMA user_version", "SELECT * FROM pragma_table_list", "EXPLAIN SELECT 1",
        "SELECT json_extract('{\"a\":1}', '$.a')", "SELECT upper(name) FROM author ORDER BY 1",
    ])
    func everyKindOfReadIsAllowed(_ sql: String) throws {
        #expect(try !rows(sql).isEmpty)
    }

    @Test func virtualTablesOfEveryModuleAreRead() throws {
        try sample.run(
            """
            CREATE VIRTUAL TABLE box USING rtree (id, low, high, +label TEXT);
            INSERT INTO box VALUES (1, 0, 2, 'small'), (2, 5, 9, 'large');
            CREATE VIRTUAL TABLE page USING fts4 (body);
            INSERT INTO page VALUES ('hello there');
            """)
        #expect(
            try rows("SELECT label FROM box WHERE low > 1") == [[.text("large")]])
        #expect(try rows("SELECT count(*) FROM page WHERE page MATCH 'hello'") == [[.integer(1)]])
    }

    @Test func planNamesTheIndexWithoutRunningTheQuery() throws {
        let plan = try TableFile(sample.path).read { db in
            try ReadOnlyQuery("SELECT * FROM book WHERE author = 1").plan(db)
        }.0
        #expect(plan.contains { $0.detail.contains("book_author") })
    }
}
