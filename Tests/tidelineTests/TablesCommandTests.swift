import CoreDataSamples
import Foundation
import TestSupport
import Testing
import TidelineCore
import TidelineUI

/// `tideline tables` as scripts see it.
@Suite struct TablesCommandTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("shop.db")
        try run(
            """
            CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE "order" (
                id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer (id), total REAL,
                placed TEXT, note TEXT, blob BLOB);
            CREATE TABLE stock (shelf TEXT, place INT, n INT, PRIMARY KEY (shelf, place)) WITHOUT ROWID;
            CREATE VIEW large AS SELECT * FROM "order" WHERE total > 50;
            CREATE VIRTUAL TABLE words USING fts5(text);
            CREATE TABLE grdb_migrations (identifier TEXT);
            INSERT INTO customer VALUES (1, 'Ann'), (2, 'Ben');
            INSERT INTO "order" VALUES (1, 1, 12.5, '2026-01-02', NULL, x'0102'),
                (2, 2, 99.0, '2026-02-03', 'gift', NULL), (3, 1, 60, NULL, '', NULL);
            INSERT INTO stock VALUES ('a', 1, 5), ('a', 2, 6);
            """)
    }

    private func run(_ sql: String, _ file: String? = nil) throws {
        try runSQL(sql, at: file ?? path, isTransaction: false)
    }

    private func tables(_ arguments: String...) throws -> ProgramResult {
        try ProgramResult.tideline(["tables"] + arguments, home: folder, device: nil)
    }

    private func objects(_ result: ProgramResult) throws -> [[String: Any]] {
        try result.output.jsonObjects()
    }

    @Test func columnsAlignWhateverTheirContent() throws {
        let wide = String(repeating: "日本", count: 40)
        try run(
            """
            CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT, mark TEXT);
            INSERT INTO names VALUES (1, 'Ann', '|'), (2, '日本語', '|'), (3, '👩‍👩‍👧 e\u{301}', '|'),
                (4, '\(wide)', '|');
            """)
        let lines = try tables("show", path, "names").output.split(separator: "\n").dropFirst()
        #expect(lines.count == 4)
        let places = lines.map { line in
            CharacterWidth.width(of: String(line.prefix { $0 != "|" }))
        }
        #expect(Set(places).count == 1, "\(lines)")
        // The table shows sixty columns of a cell, not sixty characters.
        #expect(lines.last?.contains(String(wide.prefix(29)) + "…") == true, "\(lines)")
        let expected = "ROW".count + 2 + "id".count + 2 + 2 * 29 + 1 + 2
        #expect(places.first == expected, "\(places)")
    }

    @Test func schemasWithGeneratedColumnsIndexesAndTriggersWork() throws {
        let file = folder.appending("other.db")
        try run(
            """
            CREATE TABLE buoy (id INTEGER PRIMARY KEY, doc JSON CHECK (json_valid(doc)),
                sea AS (doc ->> '$.sea'));
            CREATE INDEX buoy_sea ON buoy (json_extract(doc, '$.sea'));
            INSERT INTO buoy (doc) VALUES ('{"sea":"north"}');
            CREATE VIEW seas AS SELECT json_extract(doc, '$.sea') AS sea FROM buoy;
            CREATE TABLE fixed (id INTEGER PRIMARY KEY, a); INSERT INTO fixed VALUES (1, 2);
            CREATE TRIGGER fixed_i BEFORE INSERT ON fixed BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER fixed_u BEFORE UPDATE ON fixed BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER fixed_d BEFORE DELETE ON fixed BEGIN SELECT RAISE(IGNORE); END;
            CREATE TABLE odd (k TEXT PRIMARY KEY, x REAL); INSERT INTO odd VALUES
                (CAST(x'ff41' AS TEXT), 9e999), (CAST(x'fe41' AS TEXT), 1);
            """, file)
        let seas = try objects(try tables("show", file, "seas", "--json"))
        #expect(seas.map { $0["sea"] as? String } == ["north"])
        #expect(try tables("set", file, "buoy", "1", "doc", #"{"sea":"south"}"#).status == 0)
        #expect(try tables("show", file, "seas").output.contains("south"))
        let checked = try ProgramResult.tideline(
            ["doctor", file, "--json"], home: folder, device: nil)
        #expect(!checked.output.contains("damaged"), "\(checked)")
        for words in [["insert", "a:=9"], ["set", "1", "a", "3"], ["delete", "1"]] {
            let result = try ProgramResult.tideline(
                ["tables", words[0], file, "fixed"] + words.dropFirst(), home: folder, device: nil)
            #expect(result.status == 65 && result.output.isEmpty, "\(result)")
        }
        let odd = try objects(try tables("show", file, "odd", "--json"))
        let keys = odd.map { ($0["k"] as? [String: Any])?["$text"] as? String }
        #expect(keys == ["/0E=", "/kE="])
        #expect(try tables("show", file, "odd").output.contains("Inf"))
    }

    @Test func rowsArePrintedInFileFormats() throws {
        let csv = try tables("show", path, "order", "--format", "csv", "--null", "NULL")
        #expect(
            csv.output == """
                id,customer,total,placed,note,blob\r
                1,1,12.5,2026-01-02,NULL,"{""$data"":""AQI=""}"\r
                2,2,99.0,2026-02-03,gift,NULL\r
                3,1,60.0,NULL,"",NULL\r

                """)
        let tsv = try tables(
            "query", path, "SELECT id, id AS ID, note FROM \"order\"", "--format", "tsv")
        #expect(
            tsv.output == "id\tID\tnote\r\n1\t1\t\r\n2\t2\tgift\r\n3\t3\t\"\"\r\n")
        let sql = try tables(
            "query", path, "SELECT 1 AS id, 'it''s' AS ID", "--format", "sql", "--schema")
        #expect(
            sql.output == """
                BEGIN;
                CREATE TABLE "query" ("id", "ID:2");
                INSERT INTO "query" ("id", "ID:2") VALUES (1, 'it''s');
                COMMIT;

                """)
        let array = try tables("show", path, "stock", "--format", "json").output
        #expect(
            array == """
                [
                {"n":5,"place":1,"shelf":"a"},
                {"n":6,"place":2,"shelf":"a"}
                ]

                """)
        #expect(
            try tables("show", path, "order", "--format", "jsonl").output
                == tables("show", path, "order", "--json").output)
        #expect(
            try tables("show", path, "order", "--limit", "0", "--format", "csv").output
                == "id,customer,total,placed,note,blob\r\n")
        #expect(
            try tables("query", path, "SELECT 1 AS a", "--limit", "0", "--format", "csv").output
                == "a\r\n")
    }

    @Test func exportedSchemaMakesTheSameTables() throws {
        try run(
            "CREATE INDEX placed ON \"order\" (placed); CREATE TABLE plain (a, b UNIQUE);"
                + "INSERT INTO plain (rowid, a) VALUES (5, 9e999), (7, x'00');")
        let copy = folder.appending("copy.db")
        for name in ["customer", "order", "stock", "plain", "large"] {
            let exported = try tables("show", path, name, "--format", "sql", "--schema")
            #expect(exported.status == 0, "\(exported)")
            try run(exported.output, copy)
            let rows = try ["show", "schema"].map { try tables($0, copy, name).output }
            guard name != "large" else {
                // The view has become a table.
                #expect(rows[1].hasPrefix("CREATE TABLE \"large\" (\"id\", \"customer\""))
                continue
            }
            #expect(try rows == ["show", "schema"].map { try tables($0, path, name).output })
        }
    }

    @Test func exportedFullTextTableHasTheColumnsOfItsRows() throws {
        try run("INSERT INTO words VALUES ('hello')")
        let exported = try tables("show", path, "words", "--format", "sql", "--schema")
        #expect(exported.output.contains("CREATE TABLE \"words\" (\"text\");"), "\(exported)")
        let copy = folder.appending("copy.db")
        try run(exported.output, copy)
        #expect(
            try tables("query", copy, "SELECT * FROM words", "--json").output
                == "{\"text\":\"hello\"}\n")
    }

    @Test func formatOptionsThatDoNotFitAreUsageErrors() throws {
        for options in [
            ["--format", "xml"], ["--format", "csv", "--json"], ["--null", "x"],
            ["--format", "csv", "--null", "a,b"], ["--format", "csv", "--schema"],
        ] {
            let result = try ProgramResult.tideline(
                ["tables", "show", path, "stock"] + options, home: folder, device: nil)
            #expect(result.status == 64 && result.output.isEmpty, "\(options): \(result)")
        }
    }

    @Test func profileCountsTheValuesOfColumns() throws {
        let profiles = try objects(try tables("profile", path, "order", "total", "note", "--json"))
        #expect(profiles.map { $0["column"] as? String } == ["total", "note"])
        #expect(profiles.map { $0["rows"] as? Int } == [3, 3])
        #expect(profiles.map { $0["nulls"] as? Int } == [0, 1])
        #expect(profiles.map { $0["empties"] as? Int } == [0, 1])
        #expect(profiles.map { $0["distinct"] as? Int } == [3, 2])
        #expect(profiles[0]["types"] as? [String: Int] == ["real": 3])
        let numbers = try #require(profiles[0]["numbers"] as? [String: Any])
        #expect(numbers["min"] as? Double == 12.5 && numbers["max"] as? Double == 99)
        #expect((numbers["quantiles"] as? [String: Double])?["p50"] == 60)
        #expect(profiles[1]["numbers"] == nil)
        let frequent = try #require(profiles[1]["frequent"] as? [[String: Any]])
        #expect(frequent.map { $0["value"] as? String } == ["", "gift"])

        let text = try tables("profile", path, "order")
        #expect(text.status == 0)
        let lines = text.output.split(separator: "\n")
        #expect(lines.allSatisfy { CharacterWidth.width(of: String($0)) <= 80 }, "\(text.output)")
        #expect(lines.filter { !$0.hasPrefix(" ") }.count == 6)
        #expect(try tables("profile", path, "order", "nowhere").status == 1)
        #expect(try tables("profile", path, "large", "total", "--json").status == 0)
    }

    @Test func tablesAreListedWithTheMembersOfTheContract() throws {
        let list = try objects(try tables("list", path, "--json"))
        #expect(
            list.compactMap { $0["name"] as? String } == [
                "customer", "large", "order", "stock", "words",
            ])
        #expect(list.map { $0["rows"] as? Int } == [2, 2, 3, 2, 0])
        #expect(
            list.map { $0["type"] as? String } == ["table", "view", "table", "table", "virtual"])
        let column = try #require((list[0]["columns"] as? [[String: Any]])?[1])
        #expect(column["name"] as? String == "name" && column["type"] as? String == "TEXT")
        #expect(column["notNull"] as? Bool == true && column["primaryKey"] as? Bool == false)
        let raw = try objects(try tables("list", path, "--json", "--raw"))
        #expect(raw.contains { $0["name"] as? String == "grdb_migrations" })
        #expect(try tables("list", path).output.contains("GRDB's migrations: 1 internal table"))
        // The tables of the full-text index and the view aren't counted.
        let info = try objects(
            try ProgramResult.tideline(["info", path, "--json"], home: folder, device: nil))[0]
        #expect((info["counts"] as? [String: Int])?["tables"] == 5, "\(info)")
    }

    @Test func endlessViewIsNamedAndDoesNotHideOtherTables() throws {
        try run(
            """
            CREATE VIEW endless AS
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT customer.* FROM customer, n;
            """)
        let list = try objects(try tables("list", path, "--json"))
        #expect(list.map { $0["rows"] as? Int } == [2, nil, 2, 3, 2, 0])
        let shown = try tables("show", path, "endless", "--limit", "3")
        #expect(shown.status == 74)
        #expect(shown.errors.contains("time limit"))
        #expect(try tables("show", path, "customer").output.contains("Ann"))
    }

    @Test(arguments: ["nan", "infinity", "0x10", "0x1p3"])
    func wordsThatSQLiteDoesNotConvertAreRefusedInColumnsOfNumbers(_ word: String) throws {
        let file = folder.appending("numbers.db")
        try run(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL); INSERT INTO t VALUES (1, 2.5)", file)
        #expect(try tables("insert", file, "t", "r=\(word)").status == 64)
        #expect(try tables("set", file, "t", "1", "r", word).status == 64)
        let csv = folder.appending("numbers.csv")
        try Data("r\n\(word)\n".utf8).write(to: URL(filePath: csv))
        #expect(try tables("import", file, "t", csv).status == 65)
        let nan = try tables("set", file, "t", "1", "r", "nan", "--as", "real")
        #expect(nan.status == 64 && nan.errors.contains("NaN"), "\(nan)")
        let left = try tables("query", file, "SELECT count(*) AS n, sum(r) AS s FROM t", "--json")
        #expect(left.output == "{\"n\":1,\"s\":2.5}\n")
    }

    @Test func insertedValueCanStartWithACombiningCharacter() throws {
        let file = folder.appending("accents.db")
        try run("CREATE TABLE t (a)", file)
        try #require(tables("insert", file, "t", "a=\u{301}=x").status == 0)
        let found = try tables("query", file, "SELECT hex(a) AS h FROM t", "--json").output
        #expect(found == #"{"h":"CC813D78"}"# + "\n")
    }

    @Test func columnsWhoseNamesLookTheSameAreInsertedSeparately() throws {
        let file = folder.appending("names.db")
        try run("CREATE TABLE t (\"\u{e9}\", \"e\u{301}\")", file)
        let added = try tables("insert", file, "t", "\u{e9}=1", "e\u{301}=2")
        #expect(added.status == 0, "\(added)")
        let query = "SELECT \"\u{e9}\" + \"e\u{301}\" AS sum FROM t"
        let sum = try tables("query", file, query, "--json")
        #expect(sum.output == "{\"sum\":3}\n", "\(sum)")
    }

    @Test func profileCountsInfiniteNumbers() throws {
        let file = folder.appending("infinite.db")
        try run(
            "CREATE TABLE n (a REAL); INSERT INTO n VALUES (1), (2), (9e999), (-9e999)", file)
        #expect(try tables("profile", file, "n").output.contains("infinite 2 (50.0%)"))
        let profiles = try objects(try tables("profile", file, "n", "--json"))
        let numbers = try #require(profiles.first?["numbers"] as? [String: Any])
        #expect(numbers["infinite"] as? Int == 2 && numbers["count"] as? Int == 4)
    }

    @Test func rangesOfAHistogramAreShort() throws {
        let file = folder.appending("tenths.db")
        try run(
            """
            CREATE TABLE n (a REAL);
            WITH RECURSIVE i (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 300)
            INSERT INTO n SELECT x * 0.1 + 0.05 FROM i;
            """, file)
        let ranges = try tables("profile", file, "n").output.matches(of: /(\S+) … (\S+)/)
        #expect(ranges.count > 1)
        for range in ranges {
            #expect(range.1.count <= 6 && range.2.count <= 6, "\(range.0)")
        }
    }

    @Test func filtersCompareIntegersExactly() throws {
        let file = folder.appending("large.db")
        try run(
            "CREATE TABLE n (a INTEGER); INSERT INTO n VALUES (\(Int64.max)), (\(Int64.max - 1))",
            file)
        for (filter, count) in [
            ("a>\(Int64.max - 1)", 1), ("a>=\(Int64.max)", 1), ("a<\(Int64.max)", 1),
            ("a<=\(Int64.max)", 2), ("a>9.3e18", 0), ("a>9223372036854775808", 0), ("a>1k", 2),
        ] {
            let result = try tables("show", file, "n", "--filter", filter, "--json")
            #expect(result.output.split(separator: "\n").count == count, "\(filter)")
        }
    }

    @Test func rowsAreObjectsInTheRequestedOrder() throws {
        let result = try tables("show", path, "order", "--order", "total", "--descending", "--json")
        #expect(
            result.output == """
                {"blob":null,"customer":2,"id":2,"note":"gift","placed":"2026-02-03","rowid":2,"total":99.0}
                {"blob":null,"customer":1,"id":3,"note":"","placed":null,"rowid":3,"total":60.0}
                {"blob":{"$data":"AQI="},"customer":1,"id":1,"note":null,"placed":"2026-01-02","rowid":1,"total":12.5}

                """)
        func ids(_ more: String...) throws -> [Int] {
            try objects(
                try ProgramResult.tideline(
                    ["tables", "show", path, "order", "--json"] + more, home: folder, device: nil)
            ).compactMap { $0["id"] as? Int }
        }
        #expect(try ids("--where", "total > 50 AND note <> ''") == [2])
        #expect(try ids("--filter", "total>50 -note:gift") == [3])
        #expect(try ids("--filter", "null:note") == [1])
        #expect(try ids("--filter", "GIFT") == [])
        #expect(try ids("--filter", "gift | 2026-01") == [1, 2])
        #expect(try ids("--limit", "2") == [1, 2])
        #expect(try objects(try tables("show", path, "large", "--json")).count == 2)
        #expect(try objects(try tables("show", path, "stock", "--json"))[0]["rowid"] == nil)
    }

    @Test(arguments: [
        ("at<2026-11-21T08:00:00Z", [1, 2, 3, 4]), ("at>=2026-11-21T08:00:00Z", [5, 6, 7, 8]),
        ("at<=2026-11-21T09:00:00+02:00", [1, 2, 3, 4]), ("at<2026-11-21", [3]),
        ("at>2026-11-21T13:59:59Z", [7]), ("at>2026-11-21T09:15:00.123455Z", [7, 8]),
        ("at>2026-11-21T09:15:00.123456Z", [7]),
    ])
    func filterOfTextDatesAppliesTheirOffsets(_ filter: String, _ ids: [Int]) throws {
        let other = folder.appending("offsets.db")
        try run(
            """
            CREATE TABLE d (id INTEGER PRIMARY KEY, at TEXT);
            INSERT INTO d VALUES (1, '2026-11-21T09:00:00+02:00'),
                (2, '2026-11-21 09:00:00 +0200 CEST'), (3, '2026-11-21 00:30:00.000 +05:30'),
                (4, '2026-11-21 07:00:00'), (5, '2026-11-21T09:00:00Z'),
                (6, '2026-11-21 09:00:00 UTC'), (7, '2026-11-21T09:00-05'),
                (8, '2026-11-21T09:15:00.123456Z'), (9, '2026-13-99T09:00:00Z'),
                (10, CAST('2026-11-21' AS BLOB));
            """, other)
        let rows = try objects(try tables("show", other, "d", "--filter", filter, "--json"))
        #expect(rows.map { $0["id"] as? Int } == ids)
    }

    @Test func filterComparesNumbersThatAreDatesWithInstants() throws {
        let other = folder.appending("messages.db")
        try run(
            """
            CREATE TABLE message (id INTEGER PRIMARY KEY, date INTEGER, n INTEGER);
            INSERT INTO message VALUES (1, 690000000000000000, 1), (2, 0, 2),
                (3, 700000000000000000, 3);
            CREATE VIEW messages AS SELECT id, date FROM message;
            """, other)
        for name in ["message", "messages"] {
            let rows = try objects(
                try tables("show", other, name, "--filter", "date>2022-12-01", "--json"))
            #expect(rows.map { $0["id"] as? Int } == [3], "\(name)")
        }
    }

    @Test(arguments: ["amount>2025-11-01", "-share<2025-11-01", "id=1 | n>=2025-11-01"])
    func filterOfNumbersThatAreNotDatesRefusesDates(_ filter: String) throws {
        let other = folder.appending("amounts.db")
        try run(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, amount INTEGER, share REAL, n DECIMAL);
            INSERT INTO t VALUES (1, NULL, NULL, NULL), (2, 3, 0.5, 7);
            """, other)
        let result = try tables("show", other, "t", "--filter", filter)
        #expect(result.status == 64 && result.output.isEmpty)
        let name = try #require(["amount", "share", "n"].first { filter.contains($0) })
        #expect(result.errors.contains("\(name) is not recognized as a date"), "\(result.errors)")
        #expect(try tables("show", other, "t", "--filter", "amount>2").status == 0)
    }

    @Test(arguments: ["mixed", "day", "any", "word", "empty"])
    func filterAcceptsDatesForColumnsThatCanContainThem(_ column: String) throws {
        let other = folder.appending("mixed.db")
        try run(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, mixed INTEGER, day DATE, any, word TEXT,
                empty INTEGER);
            INSERT INTO t VALUES (1, 5, NULL, 5, '5', NULL),
                (2, '2026-11-22', '2026-11-22', '2026-11-22', '2026-11-22', NULL);
            """, other)
        let result = try tables("show", other, "t", "--filter", "\(column)>2025-11-01", "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try objects(result).map { $0["id"] as? Int } == (column == "empty" ? [] : [2]))
    }

    @Test(arguments: [
        ("day<2026-11-21", [1]), ("day<=2026-11-21", [1, 2]), ("day>=2026-11-21", [2, 3, 4]),
        ("day>2026-11-21", [3, 4]), ("day>2026-11-21T09:15:00Z", [4]),
        ("createdAt>=2026-11-21T09:15:00.6Z", [3]), ("createdAt<=2026-11-21T09:15:00.4Z", [1, 2]),
        ("visitedAt>=2026-11-21T09:15:00.001Z", [3]), ("visitedAt>=2026-11-21T09:15:00.0015Z", []),
    ])
    func filterComparesDaysTimesAndFractionsOfSeconds(_ filter: String, _ ids: [Int]) throws {
        let other = folder.appending("dates.db")
        try run(
            """
            CREATE TABLE d (id INTEGER PRIMARY KEY, day TEXT, createdAt REAL, visitedAt INTEGER);
            INSERT INTO d VALUES (1, '2026-11-20', 0, NULL),
                (2, '2026-11-21', 1795252500, 1795252500000),
                (3, '2026-11-21 09:15', 1795252501, 1795252500001),
                (4, '2026-11-21T09:15:01Z', NULL, NULL), (5, 'someday', NULL, NULL),
                (6, '', NULL, NULL), (7, NULL, NULL, NULL);
            """, other)
        let rows = try objects(try tables("show", other, "d", "--filter", filter, "--json"))
        #expect(rows.map { $0["id"] as? Int } == ids)
    }

    @Test(arguments: [
        ("a, rowid", #"{"a":1,"_rowid_":7,"rowid":2}"#),
        ("rowid, _rowid_", #"{"rowid":1,"_rowid_":2,"oid":7}"#),
        ("rowid INTEGER PRIMARY KEY, a", #"{"rowid":1,"a":2}"#),
        ("rowid INT PRIMARY KEY, a", #"{"rowid":1,"_rowid_":7,"a":2}"#),
        ("ROWID, a", #"{"ROWID":1,"_rowid_":7,"a":2}"#),
    ])
    func columnNamedRowidDoesNotHideTheRowid(_ columns: String, _ row: String) throws {
        try run("CREATE TABLE named (\(columns)); INSERT INTO named VALUES (1, 2)")
        if !columns.contains("INTEGER") {
            let name = row.contains("\"oid\"") ? "oid" : "_rowid_"
            try run("UPDATE named SET \(name) = 7")
        }
        let shown = try objects(try tables("show", path, "named", "--json"))
        let expected = try JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Int]
        #expect(shown.map { $0 as? [String: Int] } == [expected])
    }

    @Test func manyRowsAreStreamedWithoutLossOrRepetition() throws {
        try run(
            "CREATE TABLE many (a INT, b INT); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
                + "LIMIT 5000) INSERT INTO many SELECT i, -i FROM n;")
        for order in [["--order", "a"], [], ["--order", "b", "--descending"]] {
            let result = try ProgramResult.tideline(
                ["tables", "show", path, "many", "--json"] + order, home: folder, device: nil)
            #expect(try objects(result).compactMap { $0["a"] as? Int } == Array(0..<5000))
        }
    }

    @Test func rowsBeforeRepeatedRowsAreShownWithTheDamage() throws {
        let damaged = folder.appending("damaged.db")
        try run(
            """
            PRAGMA page_size = 4096; CREATE TABLE t (a);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
                INSERT INTO t SELECT i FROM n;
            """, damaged)
        // All leaf pages get the content of the first.
        var data = try Data(contentsOf: URL(filePath: damaged))
        let leaves = (1..<data.count / 4096).filter { data[$0 * 4096] == 13 }
        let first = try #require(leaves.first) * 4096
        let content = Data(data[first..<first + 4096])
        for leaf in leaves {
            data.replaceSubrange(leaf * 4096..<(leaf + 1) * 4096, with: content)
        }
        try data.write(to: URL(filePath: damaged))
        for format in ["jsonl", "csv"] {
            let result = try tables("show", damaged, "t", "--format", format)
            #expect(result.status == 65)
            let rows = result.output.split(whereSeparator: \.isNewline).count
            #expect(rows > 100 && rows < 3000)
            #expect(result.errors.contains("t is damaged: row 1 follows row "))
        }
        let text = try ProgramResult.tideline(
            ["git", "textconv", damaged], home: folder, device: nil)
        // git can't show a file whose conversion fails.
        #expect(text.status == 0 && text.output.contains("t is damaged"))
    }

    @Test func keysWithNULCharactersAreReadOnce() throws {
        let other = folder.appending("nul.db")
        try run(
            """
            CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
            INSERT INTO t VALUES ('a' || char(0) || 'b', 1), ('a', 2), (char(0), 3);
            """, other)
        let rows = try objects(try tables("show", other, "t", "--json"))
        #expect(rows.count == 3)
    }

    @Test func queryOnlyReads() throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let rows = try objects(
            try tables("query", path, "SELECT count(*) AS n, sum(total) FROM \"order\"", "--json"))
        #expect(rows[0]["n"] as? Int == 3)
        #expect(
            try tables("query", path, "SELECT * FROM \"order\" WHERE id = 1", "--plan").output
                .contains("SEARCH"))
        for sql in [
            "DELETE FROM customer", "ATTACH '/tmp/x.db' AS x", "SELEC 1",
            "SELECT load_extension('x')",
        ] {
            let result = try tables("query", path, sql)
            #expect(result.status == 64 && result.output.isEmpty, "\(sql): \(result)")
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasPrefix("shop")
            } == ["shop.db"])
    }

    @Test func nullIsNotReadFromStandardInput() throws {
        // Reading it would fail, because it isn't UTF-8.
        let line = #"printf '\377' | "$0" tables set "$1" order 2 note - --as null"#
        let result = try ProgramResult.running(
            executable: "/bin/sh", ["-c", line, Programs.built("tideline"), path],
            environment: ["HOME": folder.path])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func valueKeepsItsTypeIncludingNull() throws {
        #expect(try tables("set", path, "order", "1", "note", "by hand").status == 0)
        #expect(try tables("set", path, "order", "2", "note", "--as", "null").status == 0)
        #expect(try tables("set", path, "order", "3", "total", "7.5", "--as", "real").status == 0)
        #expect(
            try tables("set", path, "stock", "[\"a\",1]", "n", "-4", "--as", "integer").status == 0)
        #expect(try tables("set", path, "order", "1", "blob", "AAEC", "--as", "data").status == 0)
        let rows = try objects(
            try tables("query", path, "SELECT note, total, hex(blob) AS b FROM \"order\"", "--json")
        )
        #expect(rows[0]["note"] as? String == "by hand" && rows[0]["b"] as? String == "000102")
        #expect(rows[1]["note"] is NSNull && rows[2]["total"] as? Double == 7.5)
        #expect(try objects(try tables("show", path, "stock", "--json"))[0]["n"] as? Int == -4)
    }

    @Test func errorForAMissingTableListsTheTables() throws {
        let lines = try tables("show", path, "nothing").errors.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("nothing"), "\(lines)")
        #expect(lines.last?.contains("customer") == true, "\(lines)")
    }

    @Test func valueOfASpecifiedTypeIsWrittenToAnyColumn() throws {
        let types = "SELECT typeof(total) AS t, typeof(blob) AS b FROM \"order\" ORDER BY id"
        for column in ["total", "blob"] {
            let set = try tables("set", path, "order", "1", column, "x", "--as", "string")
            #expect(set.status == 0, "\(set)")
        }
        #expect(
            try tables("insert", path, "order", "customer=1", "blob:=\"x\"", "total:=\"much\"")
                .status == 0)
        let rows = try objects(try tables("query", path, types, "--json"))
        for row in [rows[0], rows[3]] {
            #expect(row["t"] as? String == "text" && row["b"] as? String == "text")
        }
        // The database had the values before, so undo accepts them, too.
        #expect(try tables("delete", path, "order", "1").status == 0)
        let undone = try ProgramResult.tideline(["undo", path], home: folder, device: nil)
        #expect(undone.status == 0, "\(undone)")
        let restored = try objects(try tables("query", path, types, "--json"))
        #expect(restored[0]["t"] as? String == "text")
        let refused = try tables("insert", path, "order", "customer=1", "blob=x")
        #expect(refused.status == 64 && refused.errors.contains("blob:=JSON"), "\(refused)")
    }

    @Test func invalidEditsAreRefusedWithTheirExitCodes() throws {
        let refusals: [([String], Int32)] = [
            (["set", path, "order", "1", "customer", "Ann"], 64),
            (["set", path, "order", "1", "total", "much"], 64),
            (["insert", path, "order", "customer=1", "total=much"], 64),
            (["set", path, "customer", "1", "name", "--as", "null"], 64),
            (["set", path, "order", "1", "customer", "99", "--as", "integer"], 65),
            (["set", path, "order", "9", "note", "x"], 1),
            (["set", path, "nothing", "1", "note", "x"], 1),
            (["set", path, "order", "1", "nothing", "x"], 1),
            (["set", path, "order", "one", "note", "x"], 64),
            (["set", path, "large", "1", "note", "x"], 77), (["delete", path, "order", "9"], 1),
            (["show", path, "order", "--order", "nothing"], 1),
            (["show", path, "order", "--where", "nothing > 1"], 64),
            (["show", folder.appending("none.db"), "order"], 66),
            (["insert", path, "order", "total"], 64),
        ]
        let before = try Data(contentsOf: URL(filePath: path))
        for (arguments, status) in refusals {
            let result = try ProgramResult.tideline(
                ["tables"] + arguments, home: folder, device: nil)
            #expect(result.status == status, "\(arguments): \(result)")
            #expect(result.output.isEmpty && result.errors.hasPrefix("tideline: "))
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func rowsAreAddedAndDeleted() throws {
        let added = try tables(
            "insert", path, "order", "customer=1", "total:=3", "note:=null", "placed=a=b")
        #expect(added.output == "4\n")
        let row = try objects(try tables("show", path, "order", "--where", "id = 4", "--json"))[0]
        #expect(
            row["customer"] as? Int == 1 && row["placed"] as? String == "a=b"
                && row["note"] is NSNull)
        #expect(try tables("delete", path, "order", "4").status == 0)
        #expect(try objects(try tables("show", path, "order", "--json")).count == 3)
        #expect(try tables("insert", path, "stock", "shelf=z", "place:=7").output == "[\"z\",7]\n")
    }

    @Test func schemaIsTheOriginalSQL() throws {
        let one = try tables("schema", path, "stock").output
        #expect(one.hasPrefix("CREATE TABLE stock") && one.hasSuffix("WITHOUT ROWID;\n"))
        #expect(try tables("schema", path).output.contains("CREATE VIEW large"))
    }

    @Test func fileThatIsNotADatabaseIsRejectedClearly() throws {
        let text = folder.appending("text.db")
        try Data("no database at all".utf8).write(to: URL(filePath: text))
        var random = SeededRandom(seed: 4)
        let noise = folder.appending("noise.db")
        try Data((0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) }).write(
            to: URL(filePath: noise))
        let half = folder.appending("half.db")
        try Data(try Data(contentsOf: URL(filePath: path)).prefix(5000)).write(
            to: URL(filePath: half))
        for (file, word) in [(text, "not an SQLite database"), (noise, "encrypted"), (half, "of")] {
            let result = try tables("list", file)
            #expect(result.status == 65 && result.errors.contains(word), "\(result)")
        }
    }

    @Test func coreDataStoreIsShownByItsEntities() throws {
        let store = folder.appending("Notes.sqlite")
        try run(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
            CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFOLDER INTEGER,
                ZCREATED TIMESTAMP, ZTITLE VARCHAR);
            CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZICON VARCHAR);
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZAUTHORTS INTEGER, ZPROCESSIDTS INTEGER, ZBUNDLEIDTS INTEGER, ZTIMESTAMP FLOAT);
            CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
                ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
            CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Folder', 0, 2), (2, 'Note', 0, 1), (3, 'SmartFolder', 1, 0);
            INSERT INTO ZFOLDER VALUES (1, 1, 1, 'Home', NULL), (2, 3, 1, 'Recent', 'clock');
            INSERT INTO ZNOTE VALUES (1, 2, 1, 1, 781692800.5, 'Buy milk');
            INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 1, NULL, NULL, 781692801);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'app');
            INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 2, 1, 1, NULL);
            """, store)
        let list = try objects(try tables("list", store, "--json"))
        #expect(list.compactMap { $0["name"] as? String } == ["Folder", "Note", "SmartFolder"])
        #expect(list.map { $0["rows"] as? Int } == [2, 1, 1])
        let note = try objects(try tables("show", store, "Note", "--json"))[0]
        #expect(note["title"] as? String == "Buy milk" && note["folder"] as? Int == 1)
        #expect(
            (note["created"] as? [String: Any])?["$date"] as? String
                == "2025-10-09T08:53:20.500000Z")
        let history = try objects(try tables("history", store, "--json"))
        #expect(history.count == 1 && history[0]["entity"] as? String == "Note")
        #expect(
            history[0]["author"] as? String == "app" && history[0]["change"] as? String == "insert")
        // One save is one change.
        #expect(try tables("set", store, "Note", "1", "title", "Buy tea").status == 0)
        #expect(
            try tables("set", store, "Note", "1", "created", "2026-01-01T00:00:00Z", "--as", "date")
                .status == 0)
        let raw = try objects(try tables("show", store, "ZNOTE", "--raw", "--json"))[0]
        #expect(raw["Z_OPT"] as? Int == 3 && raw["ZTITLE"] as? String == "Buy tea")
        #expect(raw["ZCREATED"] as? Double == 788_918_400)
        #expect(try tables("insert", store, "Note", "title=x").status == 77)
        #expect(try tables("delete", store, "Note", "1").status == 77)
        let info = try objects(
            try ProgramResult.tideline(["info", store, "--json"], home: folder, device: nil))[0]
        #expect(info["kind"] as? String == "tables" && info["format"] as? String == "core-data")
        #expect((info["counts"] as? [String: Int])?["entities"] == 3)
    }

    @Test func coreDataModelNamesAttributesAndChanges() throws {
        let store = try GalleryStore()
        let list = try objects(try tables("list", store.path, "--json"))
        let album = try #require(list.first { $0["name"] as? String == "Album" })
        let columns = try #require(album["columns"] as? [[String: Any]])
        #expect(
            columns.contains {
                $0["name"] as? String == "identifier" && $0["attribute"] as? String == "uuid"
            })
        let photos = (album["relationships"] as? [[String: Any]])?.first
        #expect(photos?["target"] as? String == "Photo" && photos?["isOrdered"] as? Bool == true)
        try store.addModels(
            [("Other", GalleryStore.model(title: "tiTle"), 1)], current: "Other")
        let model = store.folder.appending("Gallery.momd")
        let shown = try objects(
            try tables("show", store.path, "Photo", "--json", "--model", model))
        #expect(shown.first?["tiTle"] as? String == "second")
        #expect(try tables("list", store.path, "--model", store.path).status == 65)
        #expect(try tables("list", store.path, "--model", model + "-2").status == 66)
        let history = try objects(try tables("history", store.path, "--json"))
        #expect(history[1]["properties"] as? [String] == ["taken", "title"])
        let newest = try objects(try tables("history", store.path, "--json", "--limit", "2"))
        #expect(newest.map { $0["id"] as? Int } == [5, 6])
        #expect(try tables("history", store.path, "--limit=-1").status == 64)
        let preserved = history[3]["preserved"] as? [String: Any]
        #expect(preserved?["title"] as? String == "gone")
        let text = "4C85328F-80CC-4E58-AF6C-068FC3D901AA"
        #expect(try tables("set", store.path, "Album", "1", "identifier", text).status == 0)
        #expect(try tables("set", store.path, "Album", "1", "identifier", "no UUID").status == 64)
        let raw = try tables(
            "query", store.path, "SELECT hex(ZIDENTIFIER) AS id FROM ZALBUM", "--json")
        #expect(
            try objects(raw).first?["id"] as? String == text.replacing("-", with: ""))
        let entity = try tables("query", store.path, "SELECT * FROM Photo")
        #expect(entity.status == 64 && entity.errors.contains("ZPHOTO"), "\(entity)")
    }

    @Test func valuesInFilesHaveSizesAndCanBePrinted() throws {
        let store = try GalleryStore()
        let photos = try objects(try tables("show", store.path, "Photo", "--json"))
        let images = photos.map { $0["image"] as? [String: Any] ?? [:] }
        #expect(images[0]["$external"] as? String == GalleryStore.file)
        #expect(images[0]["size"] as? Int == 4)
        #expect(images[1]["$data"] as? String == "iVBORw==")
        #expect(images[2]["$external"] as? String == GalleryStore.missingFile)
        #expect(images[2]["size"] is NSNull)
        let table = try tables("show", store.path, "Photo").output
        #expect(table.contains("file \(GalleryStore.file), 4 B"), "\(table)")
        #expect(table.contains("file \(GalleryStore.missingFile), missing"), "\(table)")
        let whole = try tables("show", store.path, "Photo", "--json", "--external-data")
        let first = try objects(whole)[0]["image"] as? [String: Any]
        #expect(first?["$data"] as? String == "iVBORw==" && whole.status == 0)
        #expect(whole.errors.contains("1 file "), "\(whole.errors)")
        // A folder that can't be read isn't missing.
        let folder = URL(filePath: store.path).deletingLastPathComponent()
        let (files, elsewhere) = (
            folder.appending(path: ".Gallery_SUPPORT"), folder.appending(path: "Elsewhere")
        )
        try FileManager.default.moveItem(at: files, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: files, withDestinationURL: elsewhere)
        let unread = try tables("show", store.path, "Photo").output
        #expect(unread.contains("file \(GalleryStore.file), "), "\(unread)")
        #expect(!unread.contains(", missing"), "\(unread)")
    }

    @Test func errorsInAStatementAreExplained() throws {
        let several = try tables("query", path, "SELECT 1; SELECT 2")
        #expect(
            several.errors == """
                tideline: query: there is more than one statement
                  run them one at a time

                """)
        for sql in ["SELECT ?", "SELECT :name"] {
            let result = try tables("query", path, sql)
            #expect(result.status == 64 && result.errors.contains("it has parameters"))
        }
    }

    @Test func errorsInAConditionNameOnlyTheCondition() throws {
        for (condition, reason) in [
            ("", "the expression is empty"), ("total >", "incomplete input"),
            ("no_such > 1", "no such column: no_such"), ("total > ?", "it has parameters, such as"),
            ("note = 'a", "unrecognized token: \"'a\""),
            ("1; SELECT 2", "near \";\": syntax error"),
        ] {
            let result = try tables("show", path, "order", "--where", condition)
            #expect(result.status == 64, "\(condition)")
            #expect(
                result.errors.hasPrefix("tideline: --where: \(reason)"),
                "\(condition): \(result.errors)")
        }
        let commented = try tables("show", path, "order", "--where", "total > 70 -- much", "--json")
        #expect(try objects(commented).map { $0["id"] as? Int } == [2])
        #expect(
            try tables("show", path, "order", "--where", "-total < -70", "--json").status == 0)
    }

    @Test func rowWithANegativeKeyIsDeleted() throws {
        try run("INSERT INTO customer VALUES (-1, 'Cleo'), (-2, 'Dora')")
        let result = try tables("delete", path, "customer", "-1")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try tables("delete", path, "customer", "--", "-2").status == 0)
        let left = try objects(try tables("show", path, "customer", "--json"))
        #expect(left.map { $0["name"] as? String } == ["Ann", "Ben"])
        #expect(try tables("delete", path, "customer").status == 64)
        #expect(try tables("delete", path, "customer", "1", "2").status == 64)
    }

    @Test func importedFileIsPrintedAgain() throws {
        let file = folder.appending("more.csv")
        try Data("id,name\n7,Cem\n8,\"\"\n".utf8).write(to: URL(filePath: file))
        let added = try tables("import", path, "customer", file)
        #expect(added.output == "2 rows\n")
        #expect(try tables("import", path, "copy", file).status == 1)
        #expect(try tables("import", path, "customer", file, "--create").status == 64)
        #expect(try tables("import", path, "customer", folder.appending("none.csv")).status == 66)
        #expect(try tables("import", path, "large", file).status == 77)
        let printed = try tables("show", path, "customer", "--json")
        let copy = folder.appending("copy.jsonl")
        try Data(printed.output.utf8).write(to: URL(filePath: copy))
        let created = try tables("import", path, "copy", copy, "--create")
        #expect(created.status == 0)
        #expect(created.errors.contains("\"name\" TEXT"))
        let values = { (table: String) in
            try objects(tables("show", path, table, "--json")).map { $0["name"] as? String }
        }
        #expect(try values("copy") == values("customer"))
    }

    @Test(arguments: [
        ("a.csv", "\n"), ("a.csv", ",b\n"), ("a.csv", "a,A\n"), ("a.json", #"[{"a":1,"a":2}]"#),
        ("a.jsonl", #"{"a":{"$data":"*"}}"#),
    ])
    func invalidFileCreatesNoTable(name: String, text: String) throws {
        let file = folder.appending(name)
        try Data(text.utf8).write(to: URL(filePath: file))
        let created = try tables("import", path, "made", file, "--create")
        #expect(created.status == 65, "\(created.errors)")
        #expect(!created.errors.contains("creating"), "\(created.errors)")
        #expect(try tables("import", path, "customer", file).status == 65)
        #expect(try tables("schema", path, "made").status == 1)
    }

    @Test func importReportsReplacedRows() throws {
        let database = folder.appending("replacing.db")
        try run(
            "CREATE TABLE t (a PRIMARY KEY ON CONFLICT REPLACE); INSERT INTO t VALUES ('x')",
            database)
        let file = folder.appending("t.csv")
        try Data("a\nx\ny\n".utf8).write(to: URL(filePath: file))
        let output = try tables("import", database, "t", file).output
        #expect(output.hasPrefix("2 rows") && output.hasSuffix(" 1 row\n"), "\(output)")
    }

    @Test func failedImportChangesNothing() throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let file = folder.appending("more.tsv")
        try Data("id\tname\n7\tCem\n8\n".utf8).write(to: URL(filePath: file))
        let result = try tables("import", path, "customer", file)
        #expect(result.status == 65)
        #expect(result.errors.contains("line 3, column 1"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try tables("import", path, "customer", file, "--null").status == 64)
        #expect(try tables("import", path, "customer", "-").status == 64)
    }
}
