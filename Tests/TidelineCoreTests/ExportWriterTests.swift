import Foundation
import GRDB
import TestSupport
import Testing
import TidelineCore

@testable import Tables

/// The file formats of exported rows.
@Suite struct ExportWriterTests {
    private func text(
        _ record: RowRecord, _ format: ExportFormat = .csv, null: String = ""
    ) -> String {
        var writer = ExportWriter(format, null: null)
        writer.add(record)
        return String(decoding: writer.end(), as: UTF8.self)
    }

    @Test func nullEmptyTextAndInfinityDifferInATable() {
        let text = text(
            RowRecord([
                .init("null", .null), .init("none", .verbatim("null")), .init("empty", .string("")),
                .init("text", .verbatim(#""""#)), .init("word", .string("NULL")),
                .init("large", .verbatim(#"{"$real":"inf"}"#)), .init("small", ["$real": "-inf"]),
            ]))
        #expect(
            text
                == "null,none,empty,text,word,large,small\r\n,,\"\",\"\",NULL,Inf,-Inf\r\n")
    }

    @Test func csvWritesStringsWithoutModelQuotes() {
        let text = text(
            RowRecord([
                .init("plain", .string("milk")), .init("whole", .verbatim(#""say \"milk\"""#)),
                .init("number", .verbatim("1.0")), .init("none", .verbatim("null")),
                .init("list", .verbatim(#"["milk"]"#)),
            ]))
        #expect(
            text
                == #"""
                plain,whole,number,none,list\#r
                milk,"say ""milk""",1.0,,"[""milk""]"\#r

                """#)
    }

    @Test func csvKeepsTheSpellingOfJSON() {
        let record = RowRecord([
            .init("a", .verbatim("true")), .init("b", .verbatim("18446744073709551615")),
            .init("c", .verbatim("1e5")), .init("d", .boolean(false)),
            .init("e", .verbatim(#"{"$data":"AA=="}"#)),
            .init("f", ["$date": "2026-01-02T03:04:05.000000Z"]),
        ])
        #expect(
            text(record) == """
                a,b,c,d,e,f\r
                true,18446744073709551615,1e5,false,"{""$data"":""AA==""}",\
                2026-01-02T03:04:05.000000Z\r

                """)
    }

    @Test func textThatEqualsTheNullWordIsQuoted() {
        let record = RowRecord([
            .init("a", .null), .init("b", .string("NULL")), .init("c", .string("")),
            .init("d", .string("x\ty,z")),
        ])
        #expect(
            text(record, null: "NULL") == "a,b,c,d\r\nNULL,\"NULL\",\"\",\"x\ty,z\"\r\n")
        #expect(
            text(record, .tsv, null: "NULL")
                == "a\tb\tc\td\r\nNULL\t\"NULL\"\t\"\"\t\"x\ty,z\"\r\n")
    }

    @Test(arguments: ExportFormat.allCases) func fileWithoutRowsIsComplete(format: ExportFormat) {
        var writer = ExportWriter(format, sql: .init("t", before: ["CREATE TABLE t (a)"]))
        writer.names = ["a", ""]
        let expected =
            switch format {
            case .json: "[]\n"
            case .jsonLines: ""
            case .csv: "a,\"\"\r\n"
            case .tsv: "a\t\"\"\r\n"
            case .sql: "BEGIN;\nCREATE TABLE t (a);\nCOMMIT;\n"
            }
        #expect(String(decoding: writer.end(), as: UTF8.self) == expected)
    }

    @Test func fileOfAListCreatesItsTable() throws {
        var names = ExportWriter.SQLNames("Log")
        names.createsTable = true
        var writer = ExportWriter(.sql, sql: names)
        writer.add(RowRecord([.init("key", .string("a")), .init("it's", .integer(5))]))
        let text = String(decoding: writer.end(), as: UTF8.self)
        #expect(text.hasPrefix("BEGIN;\nCREATE TABLE \"Log\" (\"key\", \"it's\");\nINSERT INTO"))
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { try $0.execute(sql: text) }
        let count = try queue.read { try Int.fetchOne($0, sql: "SELECT \"it's\" FROM Log") }
        #expect(count == 5)
    }

    @Test func sqlHasNoCarriageReturnsThatTheSQLiteProgramWouldRemove() throws {
        let texts = [
            "a\r\nb", "\r", "it's\r\n'", "\\r\r\n", "(\\r1)\\r\r\n", "\u{301}\r\n\u{301}", "\\\r\n",
            "\\r(\\r1)(\\r2)\r\n",
        ]
        var names = ExportWriter.SQLNames("t")
        names.createsTable = true
        var writer = ExportWriter(.sql, sql: names)
        for text in texts { writer.add(RowRecord([.init("a", .string(text))])) }
        let bytes = writer.end()
        #expect(!bytes.contains(UInt8(ascii: "\r")))
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction {
            try $0.execute(sql: String(decoding: bytes, as: UTF8.self))
        }
        let read = try queue.read { try String.fetchAll($0, sql: "SELECT a FROM t") }
        #expect(read.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }

    @Test func valuesOfOtherListsAreWrittenAsSQL() {
        let record = RowRecord([
            .init("it's \"a\"", .string("it's")), .init("b", .boolean(true)),
            .init("c", ["$date": "2026-01-02T03:04:05.000000Z"]), .init("d", ["$data": "AAE="]),
            .init("e", [1, "x"]), .init("f", .unsigned(.max)),
        ])
        #expect(
            text(record, .sql) == """
                BEGIN;
                INSERT INTO "rows" ("it's ""a""\", "b", "c", "d", "e", "f") VALUES ('it''s', 1, \
                '2026-01-02T03:04:05.000000Z', X'0001', '[1,"x"]', '18446744073709551615');
                COMMIT;

                """)
    }
}

/// Tables that are exported and imported again.
@Suite struct TableRoundTripTests {
    private let folder = Result { try TemporaryFolder() }

    /// The columns of the tables, with names that a format has to quote.
    private static let columns = [
        ("i", "INTEGER"), ("r,\t", "REAL"), ("t \"x\"", "TEXT"), ("b\n;", "BLOB"), ("v'", ""),
    ]
    private static let schemas = [
        "", "\"key\" INTEGER PRIMARY KEY", "\"key\" TEXT PRIMARY KEY) WITHOUT ROWID",
        "rowid TEXT", "twice AS (i * 2)",
    ]

    private static func create(_ schema: String) -> String {
        let names = columns.map { "\(SQLName.quoted($0.0)) \($0.1)" }.joined(separator: ", ")
        let hasEnd = schema.contains(")") && schema.contains("WITHOUT")
        let comma = schema.isEmpty ? "" : ", "
        return "CREATE TABLE t (\(names)\(comma)\(schema)\(hasEnd ? "" : ")")"
    }

    /// A value of a column; of any type if `isAny`.
    private func value(
        _ type: String, isAny: Bool, using random: inout SeededRandom
    ) -> TableValue {
        if Int.random(in: 0..<6, using: &random) == 0 { return .null }
        let type = isAny ? ["INTEGER", "REAL", "TEXT", "BLOB"].randomElement(using: &random) : type
        switch type {
        case "INTEGER":
            return .integer(
                [0, -1, .min, .max, Int64.random(in: .min ... .max, using: &random)]
                    .randomElement(using: &random) ?? 0)
        case "REAL":
            let number = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
            let cents = Double(Int.random(in: -99_999...99_999, using: &random)) / 100
            return .real(
                [
                    .infinity, -.infinity, 0.1, .leastNonzeroMagnitude, number.isNaN ? 1 : number,
                    cents, cents,
                ]
                .randomElement(using: &random) ?? 0)
        case "BLOB":
            return .blob(Data((0..<Int.random(in: 0...9, using: &random)).map { UInt8($0 * 31) }))
        default:
            if Int.random(in: 0..<8, using: &random) == 0 {
                return .malformedText(Data([0xC3, 0x28, 0]))
            }
            return .text(
                [
                    "", " ", "NULL", "Inf", "1", "01", "1e5", "a,b", "a\tb", "a\r\nb", "\r",
                    "\"", "''", "\0", "x\0y'", "é\u{1F469}", "{", "-- ;",
                    #"{"$data":"AAE="}"#, #"{"$x":1}"#,
                ].randomElement(using: &random) ?? "")
        }
    }

    private func fill(
        _ path: String, _ schema: String, isAny: Bool, using random: inout SeededRandom
    ) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: Self.create(schema))
            let extra = ["key", "rowid"].filter(schema.contains)
                .filter { $0 == "key" || schema.hasPrefix($0) }
            let names = (Self.columns.map(\.0) + extra).map(SQLName.quoted)
            let marks = names.map { _ in "?" }.joined(separator: ", ")
            for number in 0..<50 {
                var values = Self.columns.map {
                    value($0.1, isAny: isAny || $0.1.isEmpty, using: &random)
                }
                // CSV has no types: a column without one takes every value as text.
                if !isAny { values[4] = value("TEXT", isAny: false, using: &random) }
                if !extra.isEmpty { values.append(.text("\(number * 3)")) }
                try RowStepper.run(
                    db,
                    "INSERT INTO t (\(names.joined(separator: ", "))) VALUES (\(marks))", values)
            }
            try db.execute(sql: "DELETE FROM t WHERE i = 0")
        }
        try queue.close()
    }

    private func contents(_ path: String) throws -> [[TableValue]] {
        var rows: [[TableValue]] = []
        let table = try table(path)
        try TableFile(path).read { db in
            let key = table.schema.rowID.map { "\($0), " } ?? ""
            try ReadOnlyQuery("SELECT \(key)* FROM t ORDER BY 1, 6").run(db) {
                rows.append($0)
                return true
            }
        }
        return rows
    }

    private func table(_ path: String) throws -> NamedTable {
        try #require(try TableFile(path).read { try DatabaseTables($0).table("t") }.0)
    }

    private func export(
        _ path: String, _ format: ExportFormat, null: String, sql: ExportWriter.SQLNames
    ) throws -> [UInt8] {
        let table = try table(path)
        var writer = ExportWriter(format, null: null, sql: sql)
        var bytes: [UInt8] = []
        try RowStream(TableFile(path), table, table.selection()).forEachRow(limit: .max) {
            writer.add(table.record($0, $1, repeatsRowID: format == .json))
            if writer.isFull { bytes += writer.take() }
        }
        return bytes + writer.end()
    }

    @Test(arguments: 0..<5, [ImportFormat.csv, .tsv, .json, .jsonLines])
    func importedRowsAreEqual(schema: Int, format: ImportFormat) throws {
        let schema = Self.schemas[schema]
        let path = try folder.get().appending("from.db")
        let isText = format == .csv || format == .tsv
        var random = SeededRandom(seed: UInt64(schema.utf8.count))
        try fill(path, schema, isAny: !isText, using: &random)
        let form = try #require(ExportFormat(rawValue: format.rawValue))
        for null in isText ? ["", "NULL"] : [""] {
            let bytes = try export(path, form, null: null, sql: .init("t"))
            let copy = try folder.get().appending("to\(null.utf8.count).db")
            try runSQL(Self.create(schema), at: copy)
            let rows = TableImport(format, null: null) { body in
                try bytes.withUnsafeBytes { try body($0) }
            }
            let count = try TableWriter(TableFile(copy)).insert(rows, into: "t").count
            let expected = try contents(path)
            #expect(count == expected.count && count > 20)
            #expect(try contents(copy) == expected)
        }
    }

    @Test(arguments: 0..<5, [UInt64(1), 2, 3])
    func executedSQLCreatesTheSameTable(schema: Int, seed: UInt64) throws {
        let schema = Self.schemas[schema]
        let path = try folder.get().appending("from.db")
        var random = SeededRandom(seed: seed)
        try fill(path, schema, isAny: true, using: &random)
        let bytes = try export(
            path, .sql, null: "",
            sql: .init(
                "t", before: [Self.create(schema)], after: ["CREATE INDEX made ON t (i)"]))
        let copy = try folder.get().appending("to.db")
        let queue = try DatabaseQueue(path: copy)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: String(decoding: bytes, as: UTF8.self))
            #expect(try Row.fetchOne(db, sql: "SELECT 1 FROM pragma_index_list('t')") != nil)
        }
        try queue.close()
        #expect(try contents(copy) == contents(path))
    }

    @Test func everyRealIsReadBackFromSQL() throws {
        var random = SeededRandom(seed: 38)
        let numbers =
            (0..<3_000).map { index in
                index % 3 == 0
                    ? Double(Int.random(in: -9_999_999...9_999_999, using: &random)) / 1000
                    : Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
            }.filter { !$0.isNaN } + [
                -0.0, .leastNonzeroMagnitude, 2.2250738585072014e-308, .greatestFiniteMagnitude,
            ]
        let literals = SQLLiterals().literals(numbers.map { .real($0) })
        let queue = try DatabaseQueue()
        let read = try queue.read { db in
            try literals.map { try RowStepper.first(db, "SELECT \($0)") }
        }
        #expect(read == numbers.map { .real($0) })
        // Only numbers that SQLite would round differently are written as quotients.
        #expect(literals.filter { $0.contains("/") || $0.contains("*") }.count < 100)
        #expect(SQLLiterals().literals([.real(0.1), .real(19.99)]) == ["0.1", "19.99"])
    }
}

extension RowStepper {
    /// Returns the first value of a query.
    fileprivate static func first(_ db: Database, _ sql: String) throws -> TableValue? {
        let stepper = try RowStepper(db, sql)
        return try stepper.step() ? stepper.value(0) : nil
    }
}
