import Foundation
import GRDB
import Replication
import Tables
import TestSupport
import Testing

/// Files whose schema uses more of SQLite than plain columns.
@Suite struct ForeignSchemaTests {
    private func rows(_ file: TableFile, _ table: String) throws -> [[TableValue]] {
        let named = try #require(try file.read { try DatabaseTables($0) }.0.table(table))
        #expect(named.schema.problem == nil)
        var rows: [[TableValue]] = []
        try RowStream(file, named, named.selection()).forEachRow(limit: .max) { rows.append($1) }
        return rows
    }

    private func query(_ file: TableFile, _ sql: String) throws -> [[TableValue]] {
        var rows: [[TableValue]] = []
        try file.read { db in
            rows = []
            try ReadOnlyQuery(sql).run(db) {
                rows.append($0)
                return true
            }
        }
        return rows
    }

    // MARK: Functions and virtual tables of the schema

    @Test func jsonFunctionsWorkInSchemas() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE buoy (
                id INTEGER PRIMARY KEY, doc TEXT CHECK (json_valid(doc)),
                sea AS (doc ->> '$.sea'), depth AS (json_extract(doc, '$.depth')) STORED);
            CREATE INDEX buoy_sea ON buoy (json_extract(doc, '$.sea'));
            CREATE INDEX buoy_deep ON buoy (id) WHERE json_extract(doc, '$.depth') > 5;
            INSERT INTO buoy (doc) VALUES ('{"sea":"north","depth":7}');
            CREATE TABLE seen (what);
            CREATE VIEW seas AS SELECT value FROM buoy, json_each(doc) WHERE key = 'sea';
            CREATE TRIGGER buoy_u AFTER UPDATE ON buoy
                BEGIN INSERT INTO seen VALUES (json_object('id', new.id)); END;
            """)
        let file = TableFile(sample.path)
        #expect(
            try rows(file, "buoy") == [
                [.integer(1), .text(#"{"sea":"north","depth":7}"#), .text("north"), .integer(7)]
            ])
        #expect(try rows(file, "seas") == [[.text("north")]])
        _ = try TableWriter(file).apply([
            .update("buoy", RowKey(rowID: 1), [.init("doc", .text(#"{"sea":"south"}"#))]),
            .insert("buoy", [.init("doc", .text("{}"))]),
        ])
        #expect(try rows(file, "seas") == [[.text("south")]])
        #expect(try rows(file, "seen") == [[.text(#"{"id":1}"#)]])
        #expect {
            try TableWriter(file).apply([.insert("buoy", [.init("doc", .text("{"))])])
        } throws: { ($0 as? TablesError)?.code == .refused }
    }

    @Test func triggersFillFullTextAndRTreeTables() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE page (id INTEGER PRIMARY KEY, words TEXT);
            CREATE VIRTUAL TABLE page_words USING fts5(words, content='page', content_rowid='id');
            CREATE VIRTUAL TABLE page_old USING fts4(words);
            CREATE VIRTUAL TABLE page_place USING rtree(id, low, high);
            CREATE TRIGGER page_i AFTER INSERT ON page BEGIN
                INSERT INTO page_words (rowid, words) VALUES (new.id, new.words);
                INSERT INTO page_old (docid, words) VALUES (new.id, new.words);
                INSERT INTO page_place VALUES (new.id, 1, 2);
            END;
            CREATE TRIGGER page_d AFTER DELETE ON page BEGIN
                INSERT INTO page_words (page_words, rowid, words)
                    VALUES ('delete', old.id, old.words);
            END;
            CREATE VIEW found AS SELECT words FROM page_words WHERE page_words MATCH 'tide';
            CREATE VIEW near AS SELECT id FROM page_place WHERE low < 5;
            """)
        let file = TableFile(sample.path)
        _ = try TableWriter(file).apply([.insert("page", [.init("words", .text("high tide"))])])
        #expect(try rows(file, "found") == [[.text("high tide")]])
        #expect(try rows(file, "near") == [[.integer(1)]])
        #expect(
            try query(file, "SELECT docid FROM page_old WHERE page_old MATCH 'high'")
                == [[.integer(1)]])
        _ = try TableWriter(file).apply([.delete("page", RowKey(rowID: 1))])
        #expect(try rows(file, "found").isEmpty)
    }

    @Test(arguments: [
        "SELECT load_extension('/nowhere/x.so') AS a", "SELECT fts3_tokenizer('simple') AS a",
        "SELECT fts3_tokenizer('simple', x'0000000000000000') AS a", "SELECT name AS a FROM dbstat",
        "SELECT pgno AS a FROM sqlite_dbpage", "SELECT writefile('x', 'y') AS a",
    ])
    func schemaCannotReachBeyondItsFile(_ body: String) throws {
        let sample = try SampleDatabase("CREATE TABLE t (a)")
        // The connection that creates the sample can lack the function.
        try sample.run(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_master VALUES
                ('view', 'v', 'v', 0, \(SQLName.literal("CREATE VIEW v AS \(body)"))),
                ('trigger', 't_i', 't', 0, \(SQLName.literal(
                    "CREATE TRIGGER t_i AFTER INSERT ON t BEGIN INSERT INTO t \(body); END")));
            """)
        let file = TableFile(sample.path)
        let schema = try file.read { try DatabaseSchema($0) }.0
        let view = try #require(schema.table("v"))
        let values = try? file.read { try DatabaseValue.fetchAll($0, sql: "SELECT * FROM v") }.0
        // A function that the connection lacks returns NULL.
        let isReplaced = view.missingFunctions.count == 1 && values == [.null]
        #expect(view.problem != nil || values == nil || isReplaced)
        #expect(throws: (any Error).self) {
            try TableWriter(file).apply([.insert("t", [.init("a", .integer(1))])])
        }
        #expect(try rows(file, "t").isEmpty)
    }

    @Test func endlessTriggerIsStopped() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (a);
            CREATE TRIGGER t_i AFTER INSERT ON t BEGIN
                INSERT INTO t SELECT count(*) FROM
                    (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n);
            END;
            """)
        #expect {
            try TableWriter(TableFile(sample.path)).apply([.insert("t", [.init("a", .integer(1))])])
        } throws: { ($0 as? TablesError)?.code == .interrupted }
    }

    // MARK: Text in double quotes

    @Test func doubleQuotedStringsWorkInViewsAndTriggers() throws {
        let sample = try SampleDatabase("CREATE TABLE bill (id INTEGER PRIMARY KEY, s TEXT)")
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        let queue = try DatabaseQueue(path: sample.path, configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO bill VALUES (1, 'a');
                    CREATE VIEW label AS SELECT "No. " || id AS text FROM bill WHERE s <> "none";
                    CREATE TABLE log (m);
                    CREATE TRIGGER bill_u AFTER UPDATE ON bill
                        BEGIN INSERT INTO log VALUES ("changed " || new.id); END;
                    CREATE TRIGGER bill_i AFTER INSERT ON bill WHEN new.s = "x"
                        BEGIN INSERT INTO log VALUES ("new"); END;
                    """)
        }
        try queue.close()
        let file = TableFile(sample.path)
        #expect(try rows(file, "label") == [[.text("No. 1")]])
        #expect(try query(file, "SELECT text FROM label") == [[.text("No. 1")]])
        let view = try #require(try file.read { try DatabaseSchema($0) }.0.table("label"))
        #expect(try file.read { try view.count($0) }.0 == 1)
        let outcome = try TableWriter(file).apply([
            .update("bill", RowKey(rowID: 1), [.init("s", .text("b"))]),
            .insert("bill", [.init("s", .text("x"))]),
        ])
        #expect(outcome.keys.last == RowKey(rowID: 2))
        #expect(try rows(file, "log") == [[.text("changed 1")], [.text("new")]])
    }

    @Test(arguments: ["SELECT \"nmae\" FROM t", "SELECT * FROM t WHERE \"nmae\" = 1"])
    func misspelledColumnInAQueryIsAnError(_ sql: String) throws {
        let sample = try SampleDatabase("CREATE TABLE t (name)")
        let file = TableFile(sample.path)
        #expect { try query(file, sql) } throws: { ($0 as? TablesError)?.code == .usage }
        #expect {
            try file.read { try RowCondition(expression: "\"nmae\" = 1", of: "t", $0) }
        } throws: { ($0 as? TablesError)?.code == .usage }
    }

    // MARK: Values

    @Test func affinityConvertsValuesAndRejectsNone() throws {
        let types = [
            "JSON", "UUID", "STRING", "ENUM", "XML", "GEOMETRY", "JSONB", "ANY", "POINT",
            "INTERVAL", "DECIMAL(10,2)", "FLOATING THING",
        ]
        let columns = types.indices.map { "c\($0) \(types[$0])" }.joined(separator: ", ")
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns)); INSERT INTO t (id) VALUES (1);
            CREATE TABLE s (a INT, b ANY) STRICT;
            """)
        let file = TableFile(sample.path)
        for index in types.indices {
            _ = try TableWriter(file).apply([
                .update("t", RowKey(rowID: 1), [.init("c\(index)", .text("hello"))])
            ])
            _ = try TableWriter(file).apply([.insert("t", [.init("c\(index)", .text("{}"))])])
        }
        #expect(try rows(file, "t")[0].dropFirst().allSatisfy { $0 == .text("hello") })
        _ = try TableWriter(file).apply([
            .insert("s", [.init("a", .integer(1)), .init("b", .text("12"))])
        ])
        #expect(try rows(file, "s") == [[.integer(1), .text("12")]])
    }

    @Test func undoRestoresAValueThatAffinityConverted() throws {
        let sample = try SampleDatabase(
            "CREATE TABLE t (a NUMERIC, b TEXT); INSERT INTO t DEFAULT VALUES")
        let file = TableFile(sample.path)
        let outcome = try TableWriter(file).apply([
            .update("t", RowKey(rowID: 1), [.init("a", .text("7")), .init("b", .integer(5))])
        ])
        #expect(try rows(file, "t") == [[.integer(7), .text("5")]])
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(try rows(file, "t") == [[.null, .null]])
    }

    @Test func writeThatTheDatabaseIgnoresFails() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 2);
            CREATE TRIGGER i BEFORE INSERT ON t BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER u BEFORE UPDATE ON t BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER d BEFORE DELETE ON t BEGIN SELECT RAISE(IGNORE); END;
            CREATE TABLE once (a UNIQUE ON CONFLICT IGNORE); INSERT INTO once VALUES (1);
            """)
        let changes: [TableChange] = [
            .insert("t", [.init("a", .integer(9))]),
            .update("t", RowKey(rowID: 1), [.init("a", .integer(3))]),
            .delete("t", RowKey(rowID: 1)), .insert("once", [.init("a", .integer(1))]),
        ]
        for change in changes {
            #expect { try TableWriter(TableFile(sample.path)).apply([change]) } throws: {
                ($0 as? TablesError)?.code == .refused
            }
        }
        #expect(try rows(TableFile(sample.path), "t") == [[.integer(1), .integer(2)]])
    }

    @Test func textThatIsNotUTF8KeepsItsBytes() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID;
            INSERT INTO t VALUES (CAST(x'fe41' AS TEXT), 'a'), (CAST(x'ff41' AS TEXT), 'b');
            """)
        let file = TableFile(sample.path)
        let (first, second) = (Data([0xFE, 0x41]), Data([0xFF, 0x41]))
        #expect(
            try rows(file, "t") == [
                [.malformedText(first), .text("a")], [.malformedText(second), .text("b")],
            ])
        let json = TableValue.malformedText(second).json
        #expect(json == #"{"$text":"/0E="}"#)
        #expect(TableValue(jsonText: json) == .malformedText(second))
        #expect(TableValue(jsonText: #"{"$text":"QQ=="}"#) == .text("A"))
        let table = try #require(try file.read { try DatabaseSchema($0) }.0.table("t"))
        let key = RowKey([.malformedText(second)])
        #expect(try RowKey(key.text, of: table) == key)
        // The key finds its own row, and undo restores the previous value.
        let outcome = try TableWriter(file).apply([
            .update("t", key, [.init("v", .malformedText(first))]),
            .delete("t", RowKey([.malformedText(first)])),
        ])
        #expect(try rows(file, "t") == [[.malformedText(second), .malformedText(first)]])
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(
            try query(file, "SELECT hex(k), v FROM t") == [
                [.text("FE41"), .text("a")], [.text("FF41"), .text("b")],
            ])
        // Windows continue past such keys.
        let walk = try RowWalk(table)
        let position = try #require(
            try file.read { try walk.position($0, of: RowKey([.malformedText(first)])) }.0)
        let next = try file.read { try walk.rows($0, columns: [], from: position, limit: 5) }.0
        #expect(next.map(\.key) == [key])
    }

    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func loneSurrogatesKeepTheirCodeUnits(encoding: String) throws {
        func text(_ units: [UInt16]) -> String {
            let bytes = units.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return encoding == "UTF-16le" ? [low, high] : [high, low]
            }
            return "CAST(\(TableValue.blob(Data(bytes)).sql()) AS TEXT)"
        }
        // SQLite's conversion to UTF-8 would join the first surrogate with the character after it.
        let sample = try SampleDatabase(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
            INSERT INTO t VALUES (\(text([0x78, 0xD800, 0x79])), \(text([0xDC00])));
            INSERT INTO t VALUES (\(text([0x78, 0xD801])), \(text([0x61, 0xFFFF])));
            INSERT INTO t VALUES (\(text([0x78, 0xFFFD])), NULL);
            """)
        let file = TableFile(sample.path)
        let bytes = try query(file, "SELECT hex(k), hex(v) FROM t")
        let before = try rows(file, "t")
        #expect(
            before == [
                [
                    .malformedText(Data([0x78, 0xED, 0xA0, 0x80, 0x79])),
                    .malformedText(Data([0xED, 0xB0, 0x80])),
                ], [.malformedText(Data([0x78, 0xED, 0xA0, 0x81])), .text("a\u{FFFF}")],
                [.text("x\u{FFFD}"), .null],
            ])
        let writer = try TableWriter(file)
        let deletion = try writer.apply(before.map { .delete("t", RowKey([$0[0]])) })
        #expect(try rows(file, "t").isEmpty)
        _ = try writer.apply(deletion.undo)
        #expect(try query(file, "SELECT hex(k), hex(v) FROM t") == bytes)
        // No UTF-16 represents other bytes.
        #expect {
            try writer.apply([.insert("t", [.init("k", .malformedText(Data([0xFF])))])])
        } throws: { ($0 as? TablesError)?.code == .usage }
    }

    @Test func longValuesAreExportedWhole() throws {
        let length = RowWalk.defaultLimit + 1
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (n INT, a TEXT);
            INSERT INTO t VALUES (2, printf('%.*c', \(length), 'a')), (1, x'00');
            CREATE TABLE w (k TEXT PRIMARY KEY, a) WITHOUT ROWID;
            INSERT INTO w SELECT n, a FROM t;
            """)
        let file = TableFile(sample.path)
        for (table, sort) in [("t", nil), ("t", "n"), ("w", nil), ("w", "a")] {
            let named = try #require(try file.read { try DatabaseTables($0) }.0.table(table))
            var lengths: Set<Int> = []
            let selection = named.selection(sort: sort.map { .init($0) })
            try RowStream(file, named, selection).forEachRow(limit: .max) { _, values in
                if case .text(let text) = values[1] { lengths.insert(text.utf8.count) }
                if case .blob(let data) = values[1] { lengths.insert(data.count) }
            }
            #expect(lengths == [1, length], "\(table) by \(sort ?? "key")")
        }
    }

    @Test func infinityIsDisplayedAsText() {
        #expect(TableValue.words(for: .infinity) == "Inf")
        #expect(TableValue.words(for: -.infinity) == "-Inf")
        #expect(TableValue.words(for: 1.5) == "1.5")
        #expect(TableValue(jsonText: TableValue.real(.infinity).json) == .real(.infinity))
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func ownCollationsAreNotReplaced(encoding: String) throws {
        let sample = try SampleDatabase(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE t (n TEXT COLLATE NOCASE UNIQUE, r TEXT COLLATE RTRIM UNIQUE);
            INSERT INTO t VALUES ('é', 'a'), ('É', 'B'), ('b', 'a b'), ('A', 'b ');
            """)
        let file = TableFile(sample.path)
        #expect(
            try query(file, "SELECT n FROM t ORDER BY n")
                == [[.text("A")], [.text("b")], [.text("É")], [.text("é")]])
        #expect(try query(file, "SELECT n FROM t WHERE n = 'é'") == [[.text("é")]])
        #expect(try query(file, "SELECT r FROM t WHERE r = 'b'") == [[.text("b ")]])
    }
}

/// Files that use collations which aren't available.
@Suite struct MissingCollationTests {
    private let sample: SampleDatabase
    private let file: TableFile

    init() throws {
        sample = try SampleDatabase("CREATE TABLE plain (a)")
        file = TableFile(sample.path)
        let queue = try DatabaseQueue(path: sample.path)
        try queue.write { db in
            // The owner's order is by length, unlike any case-insensitive order.
            db.add(
                collation: DatabaseCollation("bylength") { left, right in
                    left.utf8.count == right.utf8.count
                        ? (left == right
                            ? .orderedSame : left < right ? .orderedAscending : .orderedDescending)
                        : left.utf8.count < right.utf8.count
                            ? .orderedAscending : .orderedDescending
                })
            try db.execute(
                sql: """
                    CREATE TABLE tag (name TEXT NOT NULL PRIMARY KEY COLLATE bylength, n INT)
                        WITHOUT ROWID;
                    CREATE TABLE deck (id INTEGER PRIMARY KEY, name TEXT COLLATE bylength, n INT);
                    CREATE UNIQUE INDEX deck_name ON deck (name);
                    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 40)
                    INSERT INTO tag SELECT substr('zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJI', i), i
                        FROM c;
                    INSERT INTO deck (name, n) SELECT name, n FROM tag;
                    CREATE TABLE bylength (a COLLATE NOCASE);
                    """)
        }
        try queue.close()
    }

    private func tables() throws -> DatabaseTables { try file.read { try DatabaseTables($0) }.0 }

    @Test func missingCollationIsNamedAndTheTableIsRead() throws {
        let tables = try tables()
        for name in ["tag", "deck"] {
            let table = try #require(tables.table(name))
            #expect(table.schema.missingCollations == ["bylength"])
            #expect(table.schema.problem == nil)
            #expect(try file.read { try table.schema.count($0) }.0 == 40)
            for sort in [nil, "name", "n"] {
                var rows = 0
                try RowStream(file, table, table.selection(sort: sort.map { .init($0) }))
                    .forEachRow(limit: .max) { _, _ in rows += 1 }
                #expect(rows == 40)
            }
        }
        #expect(tables.table("plain")?.schema.missingCollations == [])
        #expect(tables.table("bylength")?.schema.missingCollations == [])
    }

    @Test(arguments: [
        ("SELECT name FROM deck ORDER BY name", ["bylength"]),
        ("SELECT n FROM tag WHERE name = 'a'", ["bylength"]),
        ("SELECT a FROM plain ORDER BY a", []),
        ("SELECT a FROM plain ORDER BY a COLLATE other", ["other"]),
        ("SELECT DISTINCT name FROM deck ORDER BY n COLLATE other", ["bylength", "other"]),
    ])
    func missingCollationsOfAQueryAreNamed(_ sql: String, _ names: [String]) throws {
        #expect(try ReadOnlyQuery(sql).missingCollations(in: file).sorted() == names)
    }

    @Test func findingMissingCollationsDoesNotAffectLaterReads() throws {
        // All reads of a database with a leftover log use one connection to a private copy.
        let path = sample.folder.appending("copy.db")
        let writer = try DatabaseQueue(path: sample.path)
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "INSERT INTO plain VALUES ('b'), ('a')")
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: sample.path + suffix, toPath: path + suffix)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path + suffix)
        }
        try writer.close()
        let file = TableFile(path)
        let query = ReadOnlyQuery("SELECT a FROM plain ORDER BY a COLLATE other")
        for _ in 0..<2 {
            #expect(try query.missingCollations(in: file) == ["other"])
            var rows: [[TableValue]] = []
            try file.read { db in
                rows = []
                try query.run(db) {
                    rows.append($0)
                    return true
                }
            }
            #expect(rows == [[.text("a")], [.text("b")]])
        }
    }

    @Test func windowsContainEveryRowInTheReplacementOrder() throws {
        let table = try #require(try tables().table("tag"))
        let pager = try RowPager(file, table, table.selection())
        var names: Set<String> = []
        for start in stride(from: 0, to: 40, by: 7) {
            let window = try pager.window(.number(start), count: 7, columns: ["name"])
            #expect(window.total == 40)
            for case .text(let name) in window.rows.flatMap(\.values) { names.insert(name) }
        }
        #expect(names.count == 40)
        // Only identical bytes are equal.
        let keys = ["MLKJI", "mlkji"].map { RowKey([.text($0)]) }
        let values = try file.read { db in
            try keys.map { try RowWalk(table.schema).values(db, of: $0, ["n"]) }
        }.0
        #expect(values == [[.integer(40)], nil])
    }

    @Test func writesThatNeedTheCollationFail() throws {
        let changes: [TableChange] = [
            .insert("tag", [.init("name", .text("new")), .init("n", .integer(1))]),
            .update("tag", RowKey([.text("MLKJI")]), [.init("n", .integer(2))]),
            .delete("deck", RowKey(rowID: 1)),
            .update("deck", RowKey(rowID: 1), [.init("name", .text("x"))]),
        ]
        for change in changes {
            let error = #expect(throws: TablesError.self) {
                try TableWriter(file).apply([change])
            }
            #expect(error?.code == .refused && error?.message.contains("bylength") == true)
        }
        _ = try TableWriter(file).apply([
            .update("deck", RowKey(rowID: 1), [.init("n", .integer(99))])
        ])
    }

    @Test func replacementCollationIsRemovedAfterTheRead() throws {
        let problem: String? = try file.read(standsIn: false) { db in
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "SELECT * FROM deck ORDER BY name LIMIT 1")
            }
            return nil
        }.0
        #expect(problem == nil)
    }
}
