import Foundation
import GRDB
import TestSupport
import Testing

@testable import Tables

/// The rows that differ between two databases.
@Suite struct RowComparisonTests {
    /// The columns of a table `t`: its key, then two others.
    struct Shape: Sendable, CustomTestStringConvertible {
        let columns: String
        let keyCount: Int
        var options = ""
        var encodings = ["UTF-8", "UTF-8"]
        var keepsRealKeys = true

        var testDescription: String { "(\(columns)) \(options) \(encodings[1])" }
    }

    static let shapes = [
        Shape(columns: "id INTEGER PRIMARY KEY, a, b", keyCount: 1, keepsRealKeys: false),
        Shape(columns: "id PRIMARY KEY, a, b TEXT", keyCount: 1),
        Shape(columns: "id TEXT PRIMARY KEY, a, b", keyCount: 1, keepsRealKeys: false),
        Shape(columns: "id, part, a, b, PRIMARY KEY (part, id)", keyCount: 2),
        Shape(
            columns: "id, part, a, b, PRIMARY KEY (id, part DESC)", keyCount: 2,
            options: "WITHOUT ROWID"),
        Shape(columns: "id COLLATE NOCASE PRIMARY KEY, a, b", keyCount: 1),
        Shape(columns: "id PRIMARY KEY, a, b", keyCount: 1, encodings: ["UTF-16le", "UTF-16be"]),
        Shape(columns: "id PRIMARY KEY, a, b", keyCount: 1, encodings: ["UTF-8", "UTF-16le"]),
    ]

    private static let keys: [DatabaseValue] = [
        1.databaseValue, (-7).databaseValue, Int64.max.databaseValue,
        (Int64.max - 1).databaseValue, (1 << 53).databaseValue, ((1 << 53) + 1).databaseValue,
        1.5.databaseValue, (-1e300).databaseValue, 9.3e18.databaseValue, "a".databaseValue,
        "b".databaseValue, "é".databaseValue, "e\u{301}".databaseValue, "日本".databaseValue,
        "\u{FFFD}".databaseValue, "🙂".databaseValue, "".databaseValue, Data([0]).databaseValue,
        Data([255, 0]).databaseValue, "a\u{0}b".databaseValue,
    ]
    private static let values: [DatabaseValue] = [
        .null, 1.databaseValue, 1.0.databaseValue, "1".databaseValue, "Grüße".databaseValue,
        Data([1]).databaseValue, Data().databaseValue, "".databaseValue,
    ]

    @Test(.timeLimit(.minutes(30)), arguments: shapes)
    func differencesOfRandomTablesMatchAPlainModel(shape: Shape) throws {
        let folder = try TemporaryFolder()
        for seed in 0..<40 {
            var random = SeededRandom(seed: UInt64(seed))
            var rows: [[RowKey: [TableValue]]] = [[:], [:]]
            let paths = (0..<2).map { folder.appending("\(seed)-\($0).db") }
            let queues = try zip(paths, shape.encodings).map { path, encoding in
                let queue = try DatabaseQueue(path: path)
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA encoding = '\(encoding)'; PRAGMA synchronous = OFF")
                    try db.execute(sql: "CREATE TABLE t (\(shape.columns)) \(shape.options)")
                }
                return queue
            }
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                let key = (0..<shape.keyCount).map { _ in randomKey(for: shape, &random) }
                let values = (0..<2).map { _ in Self.values.randomElement(using: &random) ?? .null }
                // Most rows are the same on both sides.
                let sides =
                    Int.random(in: 0..<3, using: &random) > 0
                    ? [0, 1] : [Int.random(in: 0..<2, using: &random)]
                for side in sides {
                    try queues[side].write { db in
                        let marks = Self.marks(key.count + values.count)
                        try db.execute(
                            sql: "INSERT OR REPLACE INTO t VALUES (\(marks))",
                            arguments: StatementArguments(key + values))
                    }
                }
            }
            for side in 0..<2 {
                rows[side] = try queues[side].read { try Self.model($0) }
                try queues[side].close()
            }
            let found = try compared(paths[0], paths[1])
            var expected: [RowKey: [[TableValue]?]] = [:]
            for key in Set(rows[0].keys).union(rows[1].keys)
            where rows[0][key] != rows[1][key] {
                expected[key] = [rows[0][key], rows[1][key]]
            }
            try #require(found == expected, "seed \(seed)")
        }
    }

    @Test func rowsWithoutPrimaryKeyAreMatchedByRowID() throws {
        let folder = try TemporaryFolder()
        let paths = try (0..<2).map { side in
            try database(
                folder, "CREATE TABLE t (a); INSERT INTO t VALUES ('x'), ('\(side)'), ('z')")
        }
        #expect(
            try compared(paths[0], paths[1])
                == [RowKey(rowID: 2): [[.text("0")], [.text("1")]]])
    }

    @Test func columnOrderAndRowIDsAreNotDifferences() throws {
        let folder = try TemporaryFolder()
        let one = try database(
            folder, "CREATE TABLE t (k TEXT PRIMARY KEY, a, b); INSERT INTO t VALUES ('x', 1, 2)")
        let other = try database(
            folder,
            """
            CREATE TABLE t (B, K TEXT PRIMARY KEY, a);
            INSERT INTO t VALUES (9, 'w', 9), (2, 'x', 1); DELETE FROM t WHERE k = 'w'
            """)
        #expect(try compared(one, other).isEmpty)
    }

    @Test func tablesWithOtherKeysAreNotCompared() throws {
        let folder = try TemporaryFolder()
        let one = try database(folder, "CREATE TABLE t (a PRIMARY KEY, b)")
        let other = try database(folder, "CREATE TABLE t (a, b PRIMARY KEY)")
        let tables = try [one, other].map { path in
            try #require(try TableFile(path).read { try DatabaseTables($0) }.0.table("t"))
        }
        #expect(RowComparison(tables[0], tables[1]) == nil)
    }

    private func randomKey(for shape: Shape, _ random: inout SeededRandom) -> DatabaseValue {
        if shape.columns.hasPrefix("id INTEGER") {
            return Int.random(in: -5...20, using: &random).databaseValue
        }
        let keys =
            shape.keepsRealKeys
            ? Self.keys : Self.keys.filter { $0.storage.isText }
        return keys.randomElement(using: &random) ?? 0.databaseValue
    }

    private static func marks(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    /// All rows of a table, read without an order.
    private static func model(_ db: Database) throws -> [RowKey: [TableValue]] {
        let table = try #require(try DatabaseTables(db).table("t"))
        let key = table.schema.primaryKey.map(\.name)
        let stepper = try RowStepper(
            db, "SELECT \(key.map(SQLName.quoted).joined(separator: ", ")), * FROM t")
        var rows: [RowKey: [TableValue]] = [:]
        while try stepper.step() {
            rows[RowKey(stepper.values(0..<key.count))] =
                stepper.values(key.count..<stepper.columnCount)
        }
        return rows
    }

    private func database(_ folder: TemporaryFolder, _ sql: String) throws -> String {
        let path = folder.appending("\(UUID().uuidString).db")
        try runSQL(sql, at: path)
        return path
    }

    private func compared(
        _ from: String, _ to: String
    ) throws -> [RowKey: [[TableValue]?]] {
        try TableFile(from).read { old in
            try TableFile(to).read { new in
                let tables = try [old, new].map { db in
                    try #require(try DatabaseTables(db).table("t"))
                }
                let comparison = try #require(RowComparison(tables[0], tables[1]))
                var found: [RowKey: [[TableValue]?]] = [:]
                try comparison.forEach(old, new) { row in
                    #expect(found.updateValue([row.from, row.to], forKey: row.key) == nil)
                }
                return found
            }.0
        }.0
    }
}

extension DatabaseValue.Storage {
    fileprivate var isText: Bool { if case .string = self { true } else { false } }
}
