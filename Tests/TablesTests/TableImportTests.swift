import Foundation
import GRDB
@testable import Tables
import TestSupport
import Testing

/// Rows from CSV, TSV and JSON files.
@Suite struct TableImportTests {
    private let sample = Result {
        try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INT, r REAL, b BLOB,
                twice INT GENERATED ALWAYS AS (n * 2) VIRTUAL, d TEXT DEFAULT 'new');
            CREATE TABLE named (name TEXT NOT NULL UNIQUE);
            CREATE TABLE amounts (total DECIMAL(10, 2), paid BOOLEAN, day DATE, word STRING);
            """)
    }

    @Test(arguments: [ImportFormat.csv, .jsonLines])
    func canonicallyEquivalentNamesAreDifferentColumns(_ format: ImportFormat) throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let text =
            format == .csv
            ? "\(composed),\(decomposed)\n1,2\n3,4\n"
            : """
            {"\(composed)":1,"\(decomposed)":2}
            {"\(decomposed)":4,"\(composed)":3}
            """
        let content = file(Array(text.utf8), format)
        let columns = try content.inferredColumns()
        #expect(columns.map { Array($0.name.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
        let writer = try TableWriter(TableFile(try sample.get().path))
        #expect(try writer.insert(content, into: "twins", creating: columns).count == 2)
        #expect(
            try rows("SELECT \"\(composed)\", \"\(decomposed)\" FROM twins") == [
                [.integer(1), .integer(2)], [.integer(3), .integer(4)],
            ])
    }

    private func rows(_ sql: String) throws -> [[TableValue]] {
        var rows: [[TableValue]] = []
        try TableFile(try sample.get().path).read { db in
            rows = []
            try ReadOnlyQuery(sql).run(db) {
                rows.append($0)
                return true
            }
        }
        return rows
    }

    /// Splits the bytes into pieces of `size`.
    private func file(
        _ bytes: [UInt8], _ format: ImportFormat, null: String = "", size: Int = 1 << 20
    ) -> TableImport {
        TableImport(format, null: null) { body in
            for start in stride(from: 0, to: bytes.count, by: size) {
                try bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { try body($0) }
            }
        }
    }

    @discardableResult
    private func add(
        _ text: String, _ format: ImportFormat = .csv, null: String = "", to table: String = "t",
        creates: Bool = false
    ) throws -> Int {
        let rows = file(Array(text.utf8), format, null: null)
        return try TableWriter(TableFile(try sample.get().path)).insert(
            rows, into: table, creating: creates ? try rows.inferredColumns() : nil
        ).count
    }

    private func message(_ body: () throws -> Int) throws -> String {
        do {
            return "\(try body()) rows"
        } catch let error as TablesError {
            return error.message
        }
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func quotedFieldsAreReadTheSameInPiecesOfAnySize(size: Int) throws {
        let text = "\u{FEFF}name,d\r\n\"a \"\"b\"\"\r\nc,\",\"\"\rüñ,x\n,\"y\"\r\n5\"6,\"\""
        let count = try TableWriter(TableFile(try sample.get().path)).insert(
            file(Array(text.utf8), .csv, size: size), into: "t"
        ).count
        #expect(count == 4)
        #expect(
            try rows("SELECT name, d FROM t ORDER BY id") == [
                [.text("a \"b\"\r\nc,"), .text("")], [.text("üñ"), .text("x")],
                [.null, .text("y")], [.text("5\"6"), .text("")],
            ])
    }

    @Test func valuesKeepTheirTypes() throws {
        try add(
            """
            id\tname\tn\tr\tb\ttwice
            1\t007\t-9223372036854775808\t-Inf\t{"$data":"AAE="}\t5
            2\t{"$text":"/w=="}\t9223372036854775807\t1e300\t\t
            """, .tsv)
        #expect(
            try rows("SELECT name, n, r, b, d FROM t ORDER BY id") == [
                [
                    .text("007"), .integer(.min), .real(-.infinity), .blob(Data([0, 1])),
                    .text("new"),
                ],
                [
                    .malformedText(Data([0xFF])), .integer(.max), .real(1e300), .null,
                    .text("new"),
                ],
            ])
    }

    @Test func infinityIsANumberInColumnsOfNumbersAndDates() throws {
        let writer = try TableWriter(TableFile(try sample.get().path))
        let text = "total,paid,day,word\nInf,-Inf,Inf,Inf\n-Inf,1,infinity,-Inf\n"
        #expect(try writer.insert(file(Array(text.utf8), .csv), into: "amounts").count == 2)
        #expect(
            try rows("SELECT * FROM amounts") == [
                [.real(.infinity), .real(-.infinity), .real(.infinity), .text("Inf")],
                [.real(-.infinity), .integer(1), .text("infinity"), .text("-Inf")],
            ])
    }

    @Test func numbersKeepAllDigitsInColumnsOfText() throws {
        try add(#"{"name":1234567890.1234567,"d":12}"#, .jsonLines)
        #expect(
            try rows("SELECT name, d FROM t") == [[.text("1234567890.1234567"), .text("12")]])
    }

    @Test func emptyFieldIsTextIfAWordForNullIsSet() throws {
        try add("name,d\nNULL,\n\"NULL\",x", null: "NULL")
        #expect(
            try rows("SELECT name, d FROM t ORDER BY id") == [
                [.null, .text("")], [.text("NULL"), .text("x")],
            ])
    }

    @Test(arguments: [
        ("name,n\na,1\nb,2,3\n", "line 3, column 5: "), ("name,n\na,1\nb\n", "line 3, column 1: "),
        ("name,n\na,1\nb,two\n", "line 3, column 3: "), ("name\n\"a\"b\n", "line 2, column 4: "),
        ("name,n\n\"a\nb\",1\n\"c", "line 4, column 1: "),
        ("name,none\na,1\n", "line 1, column 6: "),
        ("name,NAME\na,1\n", "line 1, column 6: "), ("", "line 1, column 1: "),
        ("id\n1\n2\n1\n", "line 4: "),
    ])
    func invalidFileAddsNothingAndIsLocated(text: String, place: String) throws {
        #expect(try message { try add(text) }.hasPrefix(place))
        #expect(try rows("SELECT * FROM t") == [])
    }

    @Test(arguments: [
        (#"[{"n": 1}, {"n": }]"#, ImportFormat.json, "line 1, column 18: "),
        (#"[{"n": 1} {"n": 2}]"#, .json, "line 1, column 11: "),
        ("[{\"n\": 1},\n {\"n\": 2}", .json, "line 2, column 10: "),
        (#"{"n": 1}"#, .json, "line 1, column 1: "),
        ("{\"n\": 1}\n{\"n\": 2", .jsonLines, "line 2, column 1: "),
        ("{\"n\": 1}\n[2]", .jsonLines, "line 2, column 1: "),
        ("{\"n\": 1}\n  {\"none\": 2}", .jsonLines, "line 2, column 3: "),
    ])
    func invalidJSONAddsNothingAndIsLocated(
        text: String, format: ImportFormat, place: String
    ) throws {
        #expect(try message { try add(text, format) }.hasPrefix(place))
        #expect(try rows("SELECT * FROM t") == [])
    }

    @Test(arguments: [ImportFormat.json, .jsonLines], [1, 2, 1000])
    func byteOrderMarkOfJSONIsSkipped(format: ImportFormat, size: Int) throws {
        let text = format == .json ? #"[{"name": "a"}]"# : #"{"name": "a"}"#
        let count = try TableWriter(TableFile(try sample.get().path)).insert(
            file(Array("\u{FEFF}\(text)".utf8), format, size: size), into: "t"
        ).count
        #expect(count == 1)
        let torn = file([0xEF, 0xBB] + Array(text.utf8), format, size: size)
        #expect(throws: TablesError.self) { try torn.inferredColumns() }
    }

    @Test(arguments: [
        ("\n", ImportFormat.csv, "line 1, column 1: a column has no name"),
        (",b\n1,2\n", .csv, "line 1, column 1: a column has no name"),
        ("a;b\n1;2\n", .csv, "line 1, column 1: the fields are separated by semicolons"),
        (#"{"": 1}"#, .jsonLines, "line 1, column 1: a column has no name"),
        (#"{"a": 1, "a": 2}"#, .jsonLines, "line 1, column 1: the column a appears twice"),
        (
            "{\"a\": 1}\n{\"b\": 1, \"A\": 2, \"B\": 3}", .jsonLines,
            "line 2, column 1: the column B"
        ),
        (#"[{"a": {"$data": "*"}}]"#, .json, "line 1, column 2: $data of a must contain base64"),
        (#"[{"a": {"$text": 1}}]"#, .json, "line 1, column 2: $text of a must contain base64"),
        (#"{"a": {"$real": "nan"}}"#, .jsonLines, "line 1, column 1: $real of a must contain"),
    ])
    func columnsOfANewTableAreCheckedBeforeItIsCreated(
        text: String, format: ImportFormat, message: String
    ) throws {
        let rows = file(Array(text.utf8), format)
        #expect {
            try rows.inferredColumns()
        } throws: { error in
            guard let error = error as? TablesError else { return false }
            return error.code == .unreadable && error.message.hasPrefix(message)
        }
    }

    @Test(arguments: [
        ("name,NAME\na,1\n", ImportFormat.csv), ("none\n1\n", .csv),
        (#"{"name": 1, "name": 2}"#, .jsonLines), (#"[{"none": 1}]"#, .json),
        (#"{"n": 1, "b": {"$data": "*"}}"#, .jsonLines), (#"{"": 1}"#, .jsonLines),
    ])
    func faultyFileThrowsUnreadable(text: String, format: ImportFormat) throws {
        #expect { try add(text, format) } throws: { ($0 as? TablesError)?.code == .unreadable }
        #expect(try rows("SELECT * FROM t") == [])
    }

    @Test func integersBeyond64BitsAreNeverRounded() throws {
        let large = "18446744073709551615"
        for format in [ImportFormat.json, .csv] {
            let table = "made_\(format)"
            try add(
                format == .csv
                    ? "a,b\n\(large),1\n2,-\(large)\n"
                    : """
                    [{"a": \(large), "b": 1}, {"a": 2, "b": -\(large)}]
                    """, format, to: table, creates: true)
            #expect(
                try rows("SELECT * FROM \(table)") == [
                    [.text(large), .text("1")], [.text("2"), .text("-\(large)")],
                ])
        }
        try sample.get().run("CREATE TABLE typed (i INT, n NUMERIC, p POINT, r REAL, t TEXT, x)")
        for column in ["i", "n", "p", "rowid"] {
            for text in [#"{"\#(column)": \#(large)}"#, "\(column)\n\(large)\n"] {
                let format = text.hasPrefix("{") ? ImportFormat.jsonLines : .csv
                #expect {
                    try add(text, format, to: "typed")
                } throws: {
                    ($0 as? TablesError)?.code == .unreadable
                }
            }
        }
        try add(#"{"r": \#(large), "t": \#(large), "x": \#(large)}"#, .jsonLines, to: "typed")
        try add("r,t,x\n\(large),\(large),\(large)\n", to: "typed")
        #expect(
            try rows("SELECT r, t, x FROM typed")
                == Array(repeating: [.real(0x1p64), .text(large), .text(large)], count: 2))
        #expect(TableValue(jsonText: large) == nil)
        #expect(TableValue(jsonText: "\(Int64.min)") == .integer(.min))
    }

    @Test func memoryOfARowIsBounded() throws {
        let commas = file([UInt8](repeating: 0x2C, count: 1 << 20), .csv)
        #expect(throws: TablesError.self) { try commas.inferredColumns() }
        #expect(
            try message { try add("name" + String(repeating: ",", count: 5000)) }
                .hasPrefix("line 1, column 2005: "))
        let members = (0...2000).map { #""c\#($0)": 1"# }.joined(separator: ", ")
        #expect(
            try message {
                try add("{\(members)}", .jsonLines, to: "wide", creates: true)
            }.contains("2000 columns"))
        for bytes in [
            "\"" + String(repeating: "\n", count: 2000),
            "\"" + String(repeating: "\"\"", count: 2000),
        ] {
            var text = DelimitedText(delimiter: 0x2C, rowLimit: 1000)
            #expect(throws: TablesError.self) {
                try Array(bytes.utf8).withUnsafeBytes { try text.read($0) { _ in } }
            }
        }
    }

    @Test func bytesThatAreNotUTF8AreRefused() throws {
        let rows = file(Array("name\nb".utf8) + [0xFF], .csv)
        #expect(throws: TablesError.self) {
            try TableWriter(TableFile(try sample.get().path)).insert(rows, into: "t")
        }
        #expect(try self.rows("SELECT * FROM t") == [])
    }

    @Test func blankLineIsARowOnlyOfOneColumn() throws {
        #expect(try add("name,n\na,1\n\nb,2\n\n") == 2)
        #expect(try add("name\n\nx\n", to: "t") == 2)
    }

    @Test func membersMayDifferFromRowToRow() throws {
        try add(
            """
            {"name": "a", "n": 9007199254740993, "twice": 4, "d": null}
            {"d": {"x": [1.50, true]}, "r": {"$real": "inf"}, "NAME": ""}
            {}
            """, .jsonLines)
        #expect(
            try rows("SELECT name, n, r, d FROM t ORDER BY id") == [
                [.text("a"), .integer(9_007_199_254_740_993), .null, .null],
                [.text(""), .null, .real(.infinity), .text(#"{"x":[1.50,true]}"#)],
                [.null, .null, .null, .text("new")],
            ])
    }

    @Test func newTableGetsTypesThatKeepTheValues() throws {
        try add(
            """
            i,r,zip,huge,none,mixed
            1,1.5,01234,9007199254740993,,1
            -2,3,99999,0.5,,x
            """, to: "made", creates: true)
        #expect(
            try rows("SELECT name, type FROM pragma_table_info('made')") == [
                [.text("i"), .text("INTEGER")], [.text("r"), .text("REAL")],
                [.text("zip"), .text("TEXT")], [.text("huge"), .text("TEXT")],
                [.text("none"), .text("TEXT")], [.text("mixed"), .text("TEXT")],
            ])
        #expect(
            try rows("SELECT * FROM made LIMIT 1") == [
                [
                    .integer(1), .real(1.5), .text("01234"), .text("9007199254740993"), .null,
                    .text("1"),
                ]
            ])
    }

    @Test(arguments: [
        ("0.30000000000000004", "REAL"), ("1.10", "REAL"), ("5e-324", "REAL"), ("1e22", "REAL"),
        ("9007199254740993.0", "TEXT"), ("1234567890123456.7", "TEXT"), ("1e-400", "TEXT"),
        ("1.2345e-320", "TEXT"),
    ])
    func decimalThatARealWouldRoundStaysText(_ text: String, _ type: String) throws {
        let columns = try file(Array("a\n\(text)\n".utf8), .csv).inferredColumns()
        #expect(columns.map(\.declaredType) == [type])
    }

    @Test func newTableKeepsAColumnNamedLikeTheRowid() throws {
        let cases = [("ROWID", "upper", ["ROWID", "text"]), ("rowid", "lower", ["text"])]
        for (name, table, columns) in cases {
            let content = file(Array("\(name),text\n7,a\n".utf8), .csv)
            let inferred = try content.inferredColumns()
            #expect(inferred.map(\.name) == columns)
            let writer = try TableWriter(TableFile(try sample.get().path))
            let inserted = try writer.insert(content, into: table, creating: inferred)
            #expect(inserted.count == 1)
            #expect(
                try rows("SELECT rowid, text FROM \(table)")
                    == [[.integer(7), .text("a")]])
        }
    }

    @Test func invalidNameOfANewTableIsAnErrorOfTheUser() throws {
        #expect {
            try add("a\n1\n", to: "sqlite_made", creates: true)
        } throws: { error in
            let error = error as? TablesError
            return error?.code == .usage && error?.message.contains("reserved") == true
        }
    }

    @Test func failedImportLeavesNoNewTable() throws {
        let rows = file(Array("a\n1\nx\n".utf8), .csv)
        let columns = try file(Array("a\n1\n".utf8), .csv).inferredColumns()
        #expect(throws: TablesError.self) {
            try TableWriter(TableFile(try sample.get().path)).insert(
                rows, into: "made", creating: columns)
        }
        #expect(try self.rows("SELECT name FROM sqlite_master WHERE name = 'made'") == [])
    }

    @Test func replacedRowsAreCounted() throws {
        let path = try sample.get().path
        try runSQL(
            """
            CREATE TABLE r (a INT PRIMARY KEY ON CONFLICT REPLACE, b UNIQUE ON CONFLICT REPLACE);
            INSERT INTO r VALUES (1, 'x'), (2, 'y'), (3, 'z');
            """, at: path)
        func insertion(_ text: String) throws -> TableWriter.Insertion {
            try TableWriter(TableFile(path)).insert(file(Array(text.utf8), .csv), into: "r")
        }
        // The second row replaces two rows, and the last row replaces a row of the file.
        let replacing = try insertion("a,b\n4,v\n1,y\n4,w\n")
        #expect(replacing.count == 3 && replacing.replacedCount == 3)
        #expect(try rows("SELECT count(*) FROM r") == [[.integer(3)]])
        #expect(try insertion("a,b\n5,u\n").replacedCount == 0)
        try runSQL(
            "CREATE TRIGGER added AFTER INSERT ON r BEGIN DELETE FROM r WHERE a = 3; END", at: path)
        let unknown = try insertion("a,b\n6,t\n")
        #expect(unknown.count == 1 && unknown.replacedCount == nil)
    }

    @Test func constraintNamesTheLine() throws {
        #expect(try message { try add("name\na\nb\na\n", to: "named") }.hasPrefix("line 4: "))
        #expect(try message { try add("name\na\n\n", to: "named") }.hasPrefix("line 3: "))
        #expect(try rows("SELECT * FROM named") == [])
    }

    @Test func rowidIsThePrimaryKeyUnlessTheFileHasBoth() throws {
        try add(#"{"rowid":7,"id":7,"name":"a"}"#, .jsonLines)
        try add("oid,name\n9,b\n")
        #expect(
            try rows("SELECT id, name FROM t ORDER BY id") == [
                [.integer(7), .text("a")], [.integer(9), .text("b")],
            ])
    }

    /// SQLite's own conversion of some decimals is off by one unit in the last place.
    @Test func decimalsBecomeTheNearestReal() throws {
        var random = SeededRandom(seed: 1)
        let long = (0..<2_000).map { _ in
            Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
        }.filter(\.isFinite).map { "\($0)" }
        let short = (0..<2_000).map { _ in
            let sign = Bool.random(using: &random) ? "-" : ""
            let parts = (0..<2).map { _ in
                String(Int.random(in: 0..<10_000_000, using: &random) >> Int.random(in: 0..<24))
            }
            return "\(sign)\(parts[0]).\(parts[1])"
        }
        let texts = long + short + ["-0.0", "-0.5", "00.10", "1.", "5e-324", "0.000000000000001"]
        let numbers = try texts.map { try #require(Double($0)) }
        try add("r\n" + texts.map { "\($0)\n" }.joined())
        // SQLite doesn't store a negative zero.
        #expect(try rows("SELECT r FROM t ORDER BY id") == numbers.map { [.real($0 + 0)] })
    }

    @Test func viewIsRefused() throws {
        try sample.get().run("CREATE VIEW v AS SELECT name FROM t")
        #expect { try add("name\na\n", to: "v") } throws: {
            ($0 as? TablesError)?.code == .readOnly
        }
    }

    /// Every value of SQLite is exact in JSON Lines.
    @Test(arguments: 0..<8) func randomRowsAreEqualAfterARoundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var expected: [[TableValue]] = []
        var text = ""
        for number in 0..<200 {
            let values = (0..<4).map { _ in Self.value(using: &random) }
            expected.append(values)
            let members = zip(["a", "b", "c", "d"], values).map { "\"\($0)\": \($1.json)" }
            text += "{\"rowid\": \(number), \(members.joined(separator: ", "))}\n"
        }
        try sample.get().run("CREATE TABLE any_values (a, b, c, d)")
        try add(text, .jsonLines, to: "any_values")
        #expect(try rows("SELECT a, b, c, d FROM any_values ORDER BY rowid") == expected)
        let array = "[" + text.split(separator: "\n").joined(separator: ",\n") + "]"
        try add(array, .json, to: "made", creates: true)
        #expect(try rows("SELECT a, b, c, d FROM made ORDER BY rowid") == expected)
    }

    private static func value(using random: inout SeededRandom) -> TableValue {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: .null
        case 1: .integer(Int64.random(in: .min ... .max, using: &random))
        case 2: .real(Double(Int.random(in: -9...9, using: &random)) / 8)
        case 3: .real([.infinity, -.infinity, 1e-300, -1.5e308].randomElement(using: &random) ?? 0)
        case 4: .text(["", "\0", "a\"\\\n", "é\u{1F469}", "{"].randomElement(using: &random) ?? "")
        case 5: .malformedText(Data([0xC3, UInt8.random(in: 0...0x7F, using: &random)]))
        default: .blob(Data([0, UInt8.random(in: 0...255, using: &random)]))
        }
    }
}
