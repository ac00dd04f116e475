import Foundation
import GRDB
import Replication
import Tables
import TestSupport
import Testing

/// Damaged files and malicious schemas.
@Suite struct TablesDamageTests {
    /// Reads everything that the screen would show.
    private func lookAround(_ path: String) throws {
        let file = TableFile(path)
        let tables = try file.read { try DatabaseTables($0) }.0
        for table in tables.tables + tables.kept where table.schema.problem == nil {
            let columns = table.columns.map(\.schema.name)
            _ = try? file.read { try table.schema.count($0, where: table.condition) }
            guard table.schema.hasKeys else {
                _ = try? file.read { db in
                    var rest = 100
                    try ReadOnlyQuery("SELECT * FROM \(SQLName.quoted(table.schema.name))").run(db)
                    { _ in
                        rest -= 1
                        return rest > 0
                    }
                }
                continue
            }
            let pager = try RowPager(file, table, table.selection())
            for place in [RowPager.Place.number(0), .number(.max), .number(17)] {
                guard let window = try? pager.window(place, count: 30, columns: columns) else {
                    continue
                }
                for case .blob(let data) in window.rows.flatMap(\.values) {
                    _ = BlobContent(data).summary
                }
            }
            _ = try? pager.advance(by: 5000)
        }
    }

    private func sample() throws -> SampleDatabase {
        try SampleDatabase(
            SampleDatabase.everything + """
                ;WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 400)
                INSERT INTO book (id, title, author, price, cover)
                    SELECT i, 'book ' || i, 1, i * 1.5, randomblob(i % 300) FROM n;
                WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 400)
                INSERT INTO stock SELECT 's' || i % 7, i, i FROM n;
                """)
    }

    @Test func damagedFilesNeitherCrashNorHang() throws {
        let sample = try sample()
        let whole = try Data(contentsOf: URL(filePath: sample.path))
        var random = SeededRandom(seed: 20_261_122)
        let size = 4096
        var opened = 0
        for number in 0..<500 {
            var data = whole
            switch number % 5 {
            case 0:
                let page = Int.random(in: 0..<whole.count / size, using: &random)
                data = PageDamage.torn.applied(to: data, page: page, of: size, using: &random)
            case 1:
                // Damage the schema itself.
                for _ in 0..<6 {
                    data[Int.random(in: 100..<size, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
            default:
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    data[Int.random(in: 16..<data.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
            }
            if number % 11 == 0 {
                data = data.prefix(Int.random(in: 0..<data.count, using: &random))
            }
            try data.write(to: URL(filePath: sample.path))
            if (try? lookAround(sample.path)) != nil { opened += 1 }
        }
        // Most of the damage affects rows, and the rest remains readable.
        #expect(opened > 100)
    }

    /// Returns a table of 9,000 rows whose leaf pages all have the content of the first.
    private func repeatingSample(_ table: String, leafType: UInt8) throws -> SampleDatabase {
        let sample = try SampleDatabase(
            """
            PRAGMA page_size = 4096;
            \(table);
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n LIMIT 9000)
                INSERT INTO t (k) SELECT 'k' || i FROM n;
            """)
        let size = 4096
        var data = try Data(contentsOf: URL(filePath: sample.path))
        let leaves = (1..<data.count / size).filter { data[$0 * size] == leafType }
        let first = try #require(leaves.first)
        let content = Data(data[first * size..<(first + 1) * size])
        for leaf in leaves { data.replaceSubrange(leaf * size..<(leaf + 1) * size, with: content) }
        try data.write(to: URL(filePath: sample.path))
        return sample
    }

    @Test func walkEndsBeforeTheFirstRepeatedRowID() throws {
        let sample = try repeatingSample("CREATE TABLE t (k)", leafType: 13)
        let (keys, error) = try rows(of: "t", in: sample)
        #expect(error?.code == .unreadable)
        #expect(error?.message == "t is damaged: row 1 follows row \(keys.count)")
        #expect(keys.count > 100 && keys.count < 1000)
        #expect(keys == (1...max(1, keys.count)).map { RowKey(rowID: Int64($0)) })
    }

    @Test func walkOfRepeatedTextKeysEnds() throws {
        let sample = try repeatingSample(
            "CREATE TABLE t (k TEXT PRIMARY KEY) WITHOUT ROWID", leafType: 10)
        #expect(try rows(of: "t", in: sample).error?.code == .unreadable)
    }

    /// Streams and counts the rows of a table.
    private func rows(
        of name: String, in sample: SampleDatabase
    ) throws -> (keys: [RowKey], error: TablesError?) {
        let file = TableFile(sample.path)
        let table = try #require(
            try file.read { try DatabaseTables($0) }.0.tables.first { $0.name == name })
        let pager = try RowPager(file, table, table.selection())
        while (try? pager.advance(by: 5000)) == true {}
        var keys: [RowKey] = []
        do {
            try RowStream(file, table, table.selection()).forEachRow(limit: .max) { key, _ in
                if let key { keys.append(key) }
            }
        } catch let error as TablesError {
            return (keys, error)
        }
        return (keys, nil)
    }

    @Test func hostileSchemaIsReadInBoundedTime() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (a);
            INSERT INTO t VALUES (1);
            CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT i FROM n ORDER BY i DESC;
            CREATE VIEW big AS SELECT zeroblob(1000000000) AS b;
            CREATE VIEW wide AS SELECT * FROM t, t AS b, t AS c;
            CREATE VIEW me AS SELECT * FROM you;
            CREATE VIEW you AS SELECT * FROM me;
            """)
        let before = try FolderState(of: sample.folder.path)
        try lookAround(sample.path)
        #expect(try FolderState(of: sample.folder.path) == before)
    }

    @Test func unusualNamesAreQuotedAndNeverExecuted() throws {
        let names = [
            "a\"b", "'; DROP TABLE t; --", "\u{1B}[31m", "select", "é", "e\u{301}", " ", "a.b",
            "[x]",
        ]
        let sql = names.map { name in
            "CREATE TABLE \(SQLName.quoted(name)) (\(SQLName.quoted(name)) TEXT); "
                + "INSERT INTO \(SQLName.quoted(name)) VALUES ('x');"
        }.joined()
        let sample = try SampleDatabase("CREATE TABLE t (a);" + sql)
        let file = TableFile(sample.path)
        for name in names {
            _ = try TableWriter(file).apply([
                .update(name, RowKey(rowID: 1), [.init(name, .text("y"))])
            ])
            let values = try file.read { db in
                let table = try #require(try DatabaseSchema(db).table(name))
                return try RowWalk(table, RowSelection(sort: .init(name)))
                    .rows(db, columns: [name], limit: 5).map(\.values)
            }.0
            #expect(values == [[.text("y")]])
        }
    }
}
