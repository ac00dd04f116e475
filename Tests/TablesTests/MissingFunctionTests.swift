import Foundation
import GRDB
import Testing

@testable import Tables

/// Files that use functions, tokenizers and modules which aren't available.
@Suite struct MissingFunctionTests {
    /// A use of the function `score`, which doubles a number.
    struct Use: Sendable, CustomStringConvertible {
        let description: String
        /// The statements that create the table or view `t`, with the rows 10 and 20 in `n`.
        let sql: String
        /// The values of all columns without the function.
        let rows: [[TableValue]]
        /// Whether reading `t` needs the function.
        var isRead = false
        /// Whether updating `n` needs the function; `nil` if rows can't be updated at all.
        var isNeededToUpdate: Bool? = true
    }

    private static let plain: [[TableValue]] = [
        [.integer(1), .integer(10)], [.integer(2), .integer(20)],
    ]
    private static func rows(_ first: TableValue, _ second: TableValue) -> [[TableValue]] {
        [plain[0] + [first], plain[1] + [second]]
    }
    private static let filled = "INSERT INTO t (id, n) VALUES (1, 10), (2, 20);"

    static let uses: [Use] = [
        Use(
            description: "view",
            sql: """
                CREATE TABLE base (id INTEGER PRIMARY KEY, n INT);
                INSERT INTO base VALUES (1, 10), (2, 20);
                CREATE VIEW t AS SELECT id, n, score(n) AS s FROM base;
                """, rows: rows(.null, .null), isRead: true, isNeededToUpdate: nil),
        Use(
            description: "view of a view",
            sql: """
                CREATE VIEW inner AS SELECT 1 AS id, 10 AS n, score(1) AS s;
                CREATE VIEW t AS SELECT * FROM inner;
                """, rows: [rows(.null, .null)[0]], isRead: true, isNeededToUpdate: nil),
        Use(
            description: "generated column",
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, s AS (score(n)));" + filled,
            rows: rows(.null, .null), isRead: true),
        Use(
            description: "generated column computed with NULL",
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, s AS (coalesce(score(n), 0)));"
                + filled,
            rows: rows(.integer(0), .integer(0)), isRead: true),
        Use(
            description: "stored generated column",
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, s AS (score(n)) STORED);" + filled,
            rows: rows(.integer(20), .integer(40))),
        Use(
            description: "index of a generated column",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, s AS (score(n)));
                CREATE INDEX t_s ON t (s); \(filled)
                """, rows: rows(.null, .null), isRead: true),
        Use(
            description: "index of a generated column without rowid",
            sql: """
                CREATE TABLE t (id INT PRIMARY KEY, n INT, s AS (score(n))) WITHOUT ROWID;
                CREATE INDEX t_s ON t (s); \(filled)
                """, rows: rows(.null, .null), isRead: true),
        Use(
            description: "index on an expression",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, n INT);
                CREATE INDEX t_n ON t (score(n)); \(filled)
                """, rows: plain),
        Use(
            description: "partial index",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, n INT);
                CREATE INDEX t_n ON t (n) WHERE score(n) > 20; \(filled)
                """, rows: plain),
        Use(
            description: "check",
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT CHECK (score(n) > 0));" + filled,
            rows: plain),
        Use(
            description: "trigger",
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, n INT); \(filled)
                CREATE TRIGGER t_u AFTER UPDATE ON t BEGIN SELECT score(new.n); END;
                """, rows: plain),
        Use(
            description: "default",
            sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT DEFAULT (score(4)));" + filled,
            rows: plain, isNeededToUpdate: false),
    ]

    private static func use(_ description: String) throws -> Use {
        try #require(uses.first { $0.description == description })
    }

    /// Creates a database on a connection with the function.
    private func make(_ sql: String) throws -> (sample: SampleDatabase, file: TableFile) {
        let sample = try SampleDatabase("CREATE TABLE other (a); INSERT INTO other VALUES (1)")
        let queue = try DatabaseQueue(path: sample.path)
        try queue.writeWithoutTransaction { db in
            db.add(
                function: DatabaseFunction("score", argumentCount: 1, pure: true) { values in
                    Int.fromDatabaseValue(values[0]).map { $0 * 2 }
                })
            try db.execute(sql: sql)
        }
        try queue.close()
        return (sample, TableFile(sample.path))
    }

    private func table(_ name: String, _ file: TableFile) throws -> NamedTable {
        try #require(try file.read { try DatabaseTables($0, isRaw: true) }.0.table(name))
    }

    private func rows(
        _ file: TableFile, _ table: NamedTable, sort: String? = nil
    ) throws -> [[TableValue]] {
        var rows: [[TableValue]] = []
        try RowStream(file, table, table.selection(sort: sort.map { .init($0) }))
            .forEachRow(limit: .max) { _, values in rows.append(values) }
        return rows
    }

    private func error(_ file: TableFile, _ change: TableChange) -> TablesError? {
        #expect(throws: TablesError.self) { try TableWriter(file).apply([change]) }
    }

    @Test(arguments: uses)
    func functionIsNamedAndReadAsNull(_ use: Use) throws {
        let (sample, file) = try make(use.sql)
        defer { withExtendedLifetime(sample) {} }
        #expect(try table("other", file).schema.missingFunctions == [])
        let table = try table("t", file)
        #expect(table.schema.problem == nil)
        #expect(table.schema.missingFunctions == ["score"])
        #expect(table.schema.functionsReadAsNull == (use.isRead ? ["score"] : []))
        let unread = table.columns.filter(\.schema.needsMissingFunction).map(\.name)
        #expect(unread == (use.isRead && table.schema.kind == .table ? ["s"] : []))
        #expect(try rows(file, table) == use.rows)
        #expect(try file.read { try table.schema.count($0) }.0 == use.rows.count)
        for column in table.columns {
            #expect(try rows(file, table, sort: column.name) == use.rows)
            let profile = try file.read { try ColumnProfile($0, of: column, in: table) }.0
            #expect(profile.rowCount == use.rows.count)
        }
    }

    @Test(arguments: uses)
    func windowsContainEveryRow(_ use: Use) throws {
        let (sample, file) = try make(use.sql)
        defer { withExtendedLifetime(sample) {} }
        let table = try table("t", file)
        guard table.schema.hasKeys else { return }
        let names = table.columns.map(\.name)
        for sort in [nil] + names.map(Optional.some) {
            let selection = table.selection(sort: sort.map { .init($0) })
            let pager = try RowPager(file, table, selection)
            let found = try use.rows.indices.flatMap {
                try pager.window(.number($0), count: 1, columns: names).rows.map(\.values)
            }
            #expect(found == use.rows, "sorted by \(sort ?? "key")")
        }
    }

    @Test(arguments: uses)
    func writeThatNeedsTheFunctionIsRefused(_ use: Use) throws {
        guard let isNeeded = use.isNeededToUpdate else { return }
        let (sample, file) = try make(use.sql)
        defer { withExtendedLifetime(sample) {} }
        let key = RowKey([.integer(1)])
        let change = TableChange.update("t", key, [.init("n", .integer(30))])
        if isNeeded {
            let error = error(file, change)
            #expect(error?.code == .refused && error?.message.contains("score") == true)
        } else {
            _ = try TableWriter(file).apply([change])
            let error = error(file, .insert("t", [.init("id", .integer(3))]))
            #expect(error?.code == .refused && error?.message.contains("score") == true)
        }
        let first = try rows(file, try table("t", file)).first?[1]
        #expect(first == .integer(isNeeded ? 10 : 30))
    }

    @Test func ownStatementCannotCallAMissingFunction() throws {
        let (sample, file) = try make(try Self.use("view").sql)
        defer { withExtendedLifetime(sample) {} }
        for sql in ["SELECT score(1)", "SELECT id FROM t WHERE n > 1 AND SCORE (n) IS NULL"] {
            let error = #expect(throws: TablesError.self) {
                try file.read { try ReadOnlyQuery(sql).run($0) { _ in true } }
            }
            #expect(error?.code == .usage)
            #expect(error?.message.lowercased() == "no such function: score")
        }
        #expect(throws: TablesError.self) {
            try file.read { try RowCondition(expression: "score(n) > 1", of: "t", $0) }
        }
        let missing = try ["SELECT * FROM t", "SELECT * FROM base"].map { sql in
            try file.read { try ReadOnlyQuery(sql).missingFunctions($0) }.0
        }
        #expect(missing == [["score"], []])
        // An available function is left alone.
        var values: [TableValue] = []
        try file.read { db in
            try ReadOnlyQuery("SELECT abs(-n) FROM t").run(db) {
                values += $0
                return true
            }
        }
        #expect(values == [.integer(10), .integer(20)])
    }

    /// SQL looks the same for a call of a function and for a table with arguments or columns.
    @Test(arguments: [
        "SELECT value FROM json_each('[1]')", "WITH series(n) AS (SELECT 1) SELECT n FROM series",
    ])
    func nameOfATableIsNotAMissingFunction(sql: String) throws {
        let (sample, file) = try make(
            """
            CREATE VIEW t AS WITH series(n) AS (SELECT score(1)) SELECT n, value
                FROM series, json_each('[1, 2]');
            """)
        defer { withExtendedLifetime(sample) {} }
        var rows: [[TableValue]] = []
        try file.read { db in
            try ReadOnlyQuery(sql).run(db) {
                rows.append($0)
                return true
            }
        }
        #expect(rows == [[.integer(1)]])
        for name in ["json_each", "series"] {
            let error = #expect(throws: TablesError.self) {
                try file.read { try ReadOnlyQuery("SELECT \(name)(1)").run($0) { _ in true } }
            }
            #expect(error?.message == "no such function: \(name)")
        }
    }

    @Test func functionOfANewSchemaIsFound() throws {
        let (sample, file) = try make("CREATE TABLE t (n INT); INSERT INTO t VALUES (1);")
        defer { withExtendedLifetime(sample) {} }
        for number in 1...3 {
            let known = try table("t", file).schema.missingFunctions
            #expect(known.sorted() == (1..<number).map { "score\($0)" })
            let queue = try DatabaseQueue(path: sample.path)
            try queue.write {
                $0.add(function: DatabaseFunction("score\(number)", pure: true) { _ in 1 })
                try $0.execute(sql: "ALTER TABLE t ADD COLUMN s\(number) AS (score\(number)())")
            }
            try queue.close()
            let values = try rows(file, try table("t", file))
            #expect(values == [[.integer(1)] + Array(repeating: .null, count: number)])
        }
    }

    @Test(arguments: [
        "PRAGMA integrity_check", "SELECT * FROM pragma_Integrity_Check('main')",
    ])
    func integrityCheckUsesNoReplacements(sql: String) throws {
        let (sample, file) = try make(try Self.use("index of a generated column").sql)
        defer { withExtendedLifetime(sample) {} }
        let query = ReadOnlyQuery(sql)
        #expect(query.checksFile)
        let error = #expect(throws: TablesError.self) {
            try file.read(standsIn: !query.checksFile) { try query.run($0) { _ in true } }
        }
        #expect(error?.code == .refused && error?.message.contains("score") == true)
        #expect(!ReadOnlyQuery("SELECT * FROM t").checksFile)
    }

    @Test func importThatNeedsTheFunctionIsRefused() throws {
        let (sample, file) = try make(try Self.use("generated column").sql)
        defer { withExtendedLifetime(sample) {} }
        struct FileError: Error {}
        let rows = TableImport(.csv) { body in
            try Array("id,n\n3,30\n".utf8).withUnsafeBytes { bytes in
                // The program's reader replaces other errors as well.
                do { try body(bytes) } catch { throw error is TablesError ? error : FileError() }
            }
        }
        let error = #expect(throws: TablesError.self) {
            try TableWriter(file).insert(rows, into: "t")
        }
        #expect(error?.code == .refused && error?.message.contains("score is missing") == true)
    }

    @Test func functionIsMissingAgainAfterTheRead() throws {
        let (sample, file) = try make(try Self.use("view").sql)
        defer { withExtendedLifetime(sample) {} }
        _ = try table("t", file)
        #expect(throws: TablesError.self) {
            try file.read(standsIn: false) { try $0.execute(sql: "SELECT * FROM t") }
        }
    }

    @Test func aggregateAndWindowFunctionsAreReadAsNull() throws {
        let (sample, file) = try make(
            """
            CREATE TABLE base (id INTEGER PRIMARY KEY, n INT);
            INSERT INTO base VALUES (1, 10), (2, 20);
            PRAGMA writable_schema = 1;
            INSERT INTO sqlite_master VALUES ('view', 't', 't', 0,
                'CREATE VIEW t AS SELECT id, n, middle(n) OVER (ORDER BY id) AS m,
                    "the last"(n) FILTER (WHERE n > 1) OVER () AS f FROM base'),
                ('view', 'g', 'g', 0, 'CREATE VIEW g AS SELECT middle(DISTINCT n) AS d FROM base');
            """)
        defer { withExtendedLifetime(sample) {} }
        let table = try table("t", file)
        #expect(table.schema.missingFunctions.sorted() == ["middle", "the last"])
        #expect(
            try rows(file, table) == Self.plain.map { $0 + [TableValue.null, .null] })
        #expect(try rows(file, try self.table("g", file)) == [[.null]])
    }

    /// A scalar function would have one result for each row.
    @Test(arguments: [
        "median(n)", "middle(DISTINCT n)", "middle(n) FILTER (WHERE n > 1)",
        "coalesce(Median(n), middle(DISTINCT n))",
    ])
    func viewWithAMissingAggregateHasOneNullRow(call: String) throws {
        let (sample, file) = try make(
            """
            CREATE TABLE base (id INTEGER PRIMARY KEY, n INT);
            INSERT INTO base VALUES (1, 10), (2, 20);
            PRAGMA writable_schema = 1;
            INSERT INTO sqlite_master VALUES ('view', 't', 't', 0,
                'CREATE VIEW t AS SELECT \(call) AS m FROM base');
            """)
        defer { withExtendedLifetime(sample) {} }
        #expect(try rows(file, try table("t", file)) == [[.null]])
    }

    @Test func functionOfATableIsNotAnAggregate() throws {
        let (sample, file) = try make(
            """
            CREATE TABLE base (id INTEGER PRIMARY KEY, n INT);
            PRAGMA writable_schema = 1;
            UPDATE sqlite_master SET sql = 'CREATE TABLE base (id INTEGER PRIMARY KEY, n INT,
                m AS (mode(n)))' WHERE name = 'base';
            INSERT INTO sqlite_master VALUES ('view', 't', 't', 0,
                'CREATE VIEW t AS SELECT mode(1) AS m UNION ALL SELECT 2');
            """)
        defer { withExtendedLifetime(sample) {} }
        #expect(try table("base", file).schema.problem == nil)
        #expect(try rows(file, try table("t", file)) == [[.null], [.integer(2)]])
    }

    @Test func missingCollationOfAViewIsNamed() throws {
        let (sample, file) = try make(
            """
            CREATE TABLE base (n TEXT);
            INSERT INTO base VALUES ('b'), ('A');
            PRAGMA writable_schema = 1;
            INSERT INTO sqlite_master VALUES ('view', 't', 't', 0,
                'CREATE VIEW t AS SELECT n FROM base ORDER BY n COLLATE "by name"');
            """)
        defer { withExtendedLifetime(sample) {} }
        let table = try table("t", file)
        #expect(table.schema.missingCollations == ["by name"])
        #expect(try rows(file, table) == [[.text("A")], [.text("b")]])
    }

    @Test(arguments: [
        ("fts5(body, tokenize = other)", "no such tokenizer: other"),
        ("fts4(body, tokenize=other)", "unknown tokenizer: other"),
        ("other(body)", "no such module: other"),
    ])
    func virtualTableIsListedWithTheReason(module: String, problem: String) throws {
        let available = module.prefix { $0 != "(" } == "fts4" ? "fts4" : "fts5"
        let (sample, file) = try make(
            """
            CREATE VIRTUAL TABLE words USING \(available)(body);
            INSERT INTO words VALUES ('hello'), ('bye');
            CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT);
            INSERT INTO t VALUES (1, 'a');
            CREATE TRIGGER t_u AFTER UPDATE ON t BEGIN INSERT INTO words VALUES (new.n); END;
            PRAGMA writable_schema = 1;
            UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE words USING \(module)'
                WHERE name = 'words';
            """)
        defer { withExtendedLifetime(sample) {} }
        #expect(try table("words", file).schema.problem == problem)
        #expect(
            try rows(file, try table("words_content", file)).map { $0[1] }
                == [.text("hello"), .text("bye")])
        #expect(try rows(file, try table("t", file)) == [[.integer(1), .text("a")]])
        let error = error(file, .update("t", RowKey(rowID: 1), [.init("n", .text("b"))]))
        #expect(error?.code == .refused && error?.message.contains("other is missing") == true)
        #expect(try rows(file, try table("t", file)) == [[.integer(1), .text("a")]])
        let failure = #expect(throws: TablesError.self) {
            _ = try file.read { try ReadOnlyQuery("SELECT * FROM words").run($0) { _ in true } }
        }
        #expect(failure?.code == .refused && failure?.message.contains("other is missing") == true)
    }

    @Test func namesInSQLAreFound() {
        func functions(_ sql: String) -> [String] { SQLMentions(sql).functions.map(\.name) }
        #expect(
            functions("CREATE TABLE t (a VARCHAR(10), b \"my type\"(1), c REFERENCES x (y))") == [])
        #expect(
            functions("SELECT f (1), -- g(1)\n 'h(1)', /* i( */ \"j\"(2), [k](3)") == [
                "f", "j", "k",
            ])
        #expect(functions("SELECT CAST(a AS DECIMAL(1)), b REGEXP 'c'") == ["regexp"])
        #expect(functions("SELECT f(g(1)") == ["f", "g"])
        #expect(functions("CREATE UNIQUE INDEX i ON t (f(a)) WHERE g(a)") == ["f", "g"])
        #expect(functions("SELECT * FROM t JOIN u ON f(a) = `g``h`(1)") == ["f", "g`h"])
        let check = SQLMentions("CREATE TABLE t (a CHECK (f((a)) > 1), b AS (g(a)))").functions
        #expect(check.filter(\.isInCheck).map(\.name) == ["f"])
        let window = SQLMentions("SELECT f(g(1)) OVER (), h(1), i(1) FILTER (WHERE 1)").functions
        #expect(window.filter(\.isAggregate).map(\.name) == ["f", "i"])
        let list = SQLMentions("SELECT f(a ORDER BY b), g(DISTINCT c), h((SELECT d ORDER BY e))")
        #expect(list.functions.filter(\.isAggregate).map(\.name) == ["f", "g"])
        #expect(SQLMentions("a COLLATE x, b collate [y z]").collations == ["x", "y z"])
        for broken in ["'", "\"", "[", "/*", "--", "(((", ")))", "f(", "\u{0}f(", "f(\"\"\""] {
            _ = SQLMentions(broken)
        }
    }
}
