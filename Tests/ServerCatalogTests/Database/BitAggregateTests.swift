import GRDB
import ServerCatalogGRDB
import TestSupport
import Testing

@Suite struct BitAggregateTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            try CatalogDatabase.prepare(db)
            try db.execute(sql: "CREATE TABLE t (x)")
        }
    }

    private func bits(_ values: [Int64?]) throws -> [Int64?] {
        try queue.write { db in
            try db.execute(sql: "DELETE FROM t")
            for value in values {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
            }
            let row = try #require(try Row.fetchOne(db, sql: "SELECT BIT_OR(x), BIT_AND(x) FROM t"))
            return [row[0], row[1]]
        }
    }

    @Test func resultWithoutRowsIsNull() throws {
        #expect(try bits([]) == [nil, nil])
        #expect(try bits([nil, nil]) == [nil, nil])
    }

    @Test func nullIsIgnored() throws { #expect(try bits([6, nil, 3]) == [7, 2]) }

    @Test func otherTypesAreIgnored() throws {
        let row = try queue.read { try Row.fetchOne($0, sql: "SELECT BIT_OR('x'), BIT_AND(x'01')") }
        #expect(row.map { [$0[0] as Int64?, $0[1] as Int64?] } == [nil, nil])
    }

    @Test func all64BitsAreCombined() throws {
        for seed in seeds(20) {
            var random = SeededRandom(seed: seed)
            let values = (0..<5).map { _ in Int64.random(in: .min ... .max, using: &random) }
            #expect(
                try bits(values) == [values.reduce(0, |), values.reduce(-1, &)], "seed \(seed)")
        }
    }
}
