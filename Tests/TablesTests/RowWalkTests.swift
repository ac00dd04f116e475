import Foundation
import GRDB
import Replication
import Tables
import TestSupport
import Testing

/// Walking through rows by key.
@Suite struct RowWalkTests {
    /// An order to walk in, with the equivalent SQL.
    struct Order: Sendable, CustomStringConvertible {
        let table: String
        let column: String?
        let isDescending: Bool
        let sql: String
        var description: String { "\(table) \(sql)" }
    }

    static let orders = [
        Order(table: "r", column: nil, isDescending: false, sql: "rowid"),
        Order(table: "r", column: "id", isDescending: true, sql: "rowid DESC"),
        Order(table: "r", column: "a", isDescending: false, sql: "a, b, rowid"),
        Order(table: "r", column: "a", isDescending: true, sql: "a DESC, b DESC, rowid DESC"),
        Order(table: "r", column: "c", isDescending: false, sql: "c COLLATE NOCASE, rowid DESC"),
        Order(table: "r", column: "c", isDescending: true, sql: "c COLLATE NOCASE DESC, rowid"),
        Order(table: "r", column: "d", isDescending: false, sql: "d, rowid"),
        Order(table: "r", column: "d", isDescending: true, sql: "d DESC, rowid"),
        Order(table: "w", column: nil, isDescending: false, sql: "k COLLATE NOCASE, n DESC"),
        Order(table: "w", column: "k", isDescending: true, sql: "k COLLATE NOCASE DESC, n"),
        Order(table: "w", column: "v", isDescending: false, sql: "v, k COLLATE NOCASE, n DESC"),
    ]

    private static func sample(_ count: Int, seed: UInt64) throws -> SampleDatabase {
        var random = SeededRandom(seed: seed)
        var sql = """
            CREATE TABLE r (id INTEGER PRIMARY KEY, a, b, c TEXT COLLATE NOCASE, d);
            CREATE INDEX r_ab ON r (a, b); CREATE INDEX r_c ON r (c COLLATE NOCASE DESC);
            CREATE TABLE w (k TEXT COLLATE NOCASE, n INTEGER, v, PRIMARY KEY (k, n DESC)) WITHOUT ROWID;
            BEGIN;
            """
        let values = [
            "NULL", "1", "1.5", "-7", "'x'", "'X'", "'y'", "x'00'", "x'ff'", "''", "9e18",
        ]
        for number in 0..<count {
            func value() -> String { values.randomElement(using: &random) ?? "1" }
            sql += "INSERT INTO r VALUES (\(number * 3), \(value()), \(value()), "
            sql +=
                "\(["'p'", "'P'", "'q'", "NULL"].randomElement(using: &random) ?? "'p'"), \(value()));"
            sql += "INSERT INTO w VALUES ('\(["k", "L", "m"][number % 3])', \(number), \(value()));"
        }
        return try SampleDatabase(sql + "COMMIT;")
    }

    private func keys(_ db: Database, _ order: Order) throws -> [RowKey] {
        let key = order.table == "r" ? "rowid" : "k, n"
        return try Row.fetchAll(
            db, sql: "SELECT \(key) FROM \(order.table) ORDER BY \(order.sql)"
        ).map { row in
            order.table == "r"
                ? RowKey(rowID: row[0]) : RowKey([.text(row[0]), .integer(row[1])])
        }
    }

    @Test(arguments: orders) func windowsInBothDirectionsCoverTheWholeOrder(_ order: Order) throws {
        let sample = try Self.sample(200, seed: 5)
        try TableFile(sample.path).read { db in
            let table = try #require(try DatabaseSchema(db).table(order.table))
            let walk = try RowWalk(
                table,
                RowSelection(sort: order.column.map { .init($0, isDescending: order.isDescending) })
            )
            let expected = try keys(db, order)
            for backwards in [false, true] {
                var found: [RowKey] = []
                var bound: RowPosition?
                while true {
                    let rows = try walk.rows(
                        db, columns: [], from: bound, backwards: backwards, limit: 7)
                    found = backwards ? rows.map(\.key) + found : found + rows.map(\.key)
                    guard let next = backwards ? rows.first : rows.last else { break }
                    bound = next.position
                }
                #expect(found == expected)
            }
            let key = expected[100]
            let position = try #require(try walk.position(db, of: key))
            let around = try walk.rows(
                db, columns: [], from: position, isInclusive: true, limit: 3)
            #expect(around.map(\.key) == Array(expected[100..<103]))
        }
    }

    @Test func orderUsesAnIndexOnlyIfTheTableHasOne() throws {
        let sample = try Self.sample(3, seed: 1)
        let table = try #require(
            try TableFile(sample.path).read { try DatabaseSchema($0) }.0.table("r"))
        for (column, isIndexed) in [
            ("id", true), ("a", true), ("b", false), ("c", true), ("d", false),
        ] {
            #expect(try RowWalk(table, RowSelection(sort: .init(column))).isIndexed == isIndexed)
        }
    }

    @Test func indexedWalkNeitherSortsNorScans() throws {
        let sample = try Self.sample(50, seed: 2)
        try TableFile(sample.path).read { db in
            let walk = try RowWalk(
                try #require(try DatabaseSchema(db).table("r")),
                RowSelection(sort: .init("a", isDescending: true)))
            let first = try #require(try walk.rows(db, columns: ["d"], limit: 20).last)
            for sql in walk.statements(from: first.position) {
                let plan = try Row.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN \(sql.sql)", arguments: sql.arguments
                )
                .compactMap { $0.text("detail") }
                #expect(
                    !plan.isEmpty && plan.allSatisfy { $0.hasPrefix("SEARCH") },
                    "\(sql.sql): \(plan)")
            }
        }
    }

    @Test func keysSortedWithoutAnIndexCoverTheWholeOrder() throws {
        let sample = try Self.sample(100, seed: 3)
        try TableFile(sample.path).read { db in
            for order in Self.orders where order.column == "d" || order.column == "v" {
                let walk = try RowWalk(
                    try #require(try DatabaseSchema(db).table(order.table)),
                    RowSelection(sort: .init(order.column ?? "", isDescending: order.isDescending)))
                let sorted = try SortedKeys(walk, db)
                #expect(sorted[0..<sorted.count] == (try keys(db, order)))
                let rows = try walk.rows(
                    db, columns: ["rowid"].filter { _ in order.table == "r" }, keys: sorted[10..<12]
                )
                #expect(rows.map(\.key) == sorted[10..<12])
            }
        }
    }

    @Test func everyWindowHasOnlyRowsThatMeetTheCondition() throws {
        let sample = try Self.sample(300, seed: 4)
        try TableFile(sample.path).read { db in
            let table = try #require(try DatabaseSchema(db).table("r"))
            var condition = RowCondition("a = ? OR \"odd\"(id)", [.text("x")])
            condition.functions = [
                RowTest("odd") { if case .integer(let n) = $0 { n % 2 == 1 } else { false } }
            ]
            let walk = try RowWalk(table, RowSelection(condition: condition))
            let rows = try walk.rows(db, columns: ["id"], limit: 1000)
            let expected = try Int64.fetchAll(
                db, sql: "SELECT id FROM r WHERE a = 'x' OR id % 2 = 1 ORDER BY id")
            #expect(rows.map(\.key.rowID) == expected)
            #expect(try table.count(db, where: condition) == expected.count)
        }
    }

    @Test func longValuesAreMarkedAsNotLoaded() throws {
        let sample = try SampleDatabase(
            "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (zeroblob(9000000), 'short', "
                + "replace(hex(zeroblob(4000000)), '0', 'x')), (1, 2, 3)")
        try TableFile(sample.path).read { db in
            let walk = try RowWalk(try #require(try DatabaseSchema(db).table("t")))
            let rows = try walk.rows(db, columns: ["a", "b", "c"], limit: 10)
            #expect(
                rows.map(\.values) == [
                    [
                        .unread(isText: false, byteCount: 9_000_000), .text("short"),
                        .unread(isText: true, byteCount: nil),
                    ],
                    [.integer(1), .integer(2), .integer(3)],
                ])
            let whole = try walk.value(db, of: RowKey(rowID: 1), "a", limit: 16 << 20)
            #expect(whole == .blob(Data(count: 9_000_000)))
        }
    }

    @Test func textWithNULOrInvalidUTF8IsReadCompletely() throws {
        let sample = try SampleDatabase(
            "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('a' || char(0) || 'b'), (CAST(x'61ff62' AS TEXT))"
        )
        let rows = try TableFile(sample.path).read { db in
            try RowWalk(try #require(try DatabaseSchema(db).table("t"))).rows(
                db, columns: ["a"], limit: 9)
        }.0
        #expect(
            rows.map(\.values) == [[.text("a\0b")], [.malformedText(Data([0x61, 0xFF, 0x62]))]])
    }
}
