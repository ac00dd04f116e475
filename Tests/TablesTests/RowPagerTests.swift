import Foundation
import GRDB
import Tables
import Testing

/// Rows by number.
@Suite struct RowPagerTests {
    private func pager(
        _ sample: SampleDatabase, sort: RowSelection.Sort? = nil, condition: RowCondition? = nil
    ) throws -> RowPager {
        let file = TableFile(sample.path)
        let table = try #require(try file.read { try DatabaseTables($0) }.0.table("t"))
        return try RowPager(file, table, table.selection(where: condition, sort: sort))
    }

    private func sample(_ count: Int, gaps: Int = 1) throws -> SampleDatabase {
        try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER); CREATE INDEX t_a ON t (a);
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
            INSERT INTO t SELECT i * \(gaps), (i * 7919) % 1009, -i FROM n;
            """)
    }

    private func numbers(_ window: RowPager.Window, gaps: Int = 1) -> [Int] {
        window.rows.compactMap { $0.key.rowID.map { Int($0) / gaps } }
    }

    @Test(arguments: [0, 1, 5, 4095, 4096, 5000, 12_345, 29_950, 29_999, 40_000, Int.max])
    func windowContainsTheRowsAtTheRequestedNumbers(_ number: Int) throws {
        let sample = try sample(30_000, gaps: 3)
        let start = min(number, 30_000 - 50)
        for walks in [false, true] {
            let pager = try pager(sample)
            if walks { while try pager.advance(by: 10_000) {} }
            let window = try pager.window(.number(number), count: 50, columns: ["b"])
            #expect(window.start == start && window.total == 30_000 && window.isTotalExact)
            #expect(numbers(window, gaps: 3) == Array(start..<start + 50))
            #expect(window.rows.first?.values == [.integer(Int64(-start))])
        }
    }

    @Test func rowIsFoundByKeyAnywhere() throws {
        let sample = try sample(30_000)
        for sort in [nil, RowSelection.Sort("a"), .init("a", isDescending: true), .init("b")] {
            let pager = try pager(sample, sort: sort)
            while try pager.advance(by: 10_000) {}
            for number in [0, 3, 9000, 20_001, 29_999] {
                let there = try pager.window(.number(number), count: 1, columns: [])
                let key = try #require(there.rows.first?.key)
                let window = try pager.window(
                    .row(key, offset: 4, fallback: 0), count: 10, columns: [])
                #expect(window.found == number)
                let place = number - window.start
                #expect(window.rows[place].key == key)
                #expect(window.rows.count == 10)
            }
        }
    }

    @Test func steppingBackFromTheEndVisitsTheWholeTable() throws {
        let sample = try sample(3000)
        let pager = try pager(sample, sort: .init("a"))
        var seen: [RowKey] = []
        var number = 2990
        while true {
            let window = try pager.window(.number(number), count: 10, columns: [])
            seen = window.rows.map(\.key) + seen
            if number == 0 { break }
            number -= 10
        }
        let expected = try TableFile(sample.path).read { db in
            try Int64.fetchAll(db, sql: "SELECT id FROM t ORDER BY a, id")
        }.0
        #expect(seen.map(\.rowID) == expected)
    }

    @Test func windowCostDoesNotGrowWithTheTable() throws {
        // The end of a table with uncounted rows is located by rowid.
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
            INSERT INTO t VALUES (1, 1, 1), (5000000, 2, 2), (9999999, 3, 3), (10000000, 4, 4);
            """)
        let pager = try pager(sample)
        let end = try pager.window(.number(.max), count: 2, columns: ["a"])
        #expect(end.rows.map(\.values) == [[.integer(3)], [.integer(4)]])
        while try pager.advance(by: 1000) {}
        #expect(pager.count.total == 4 && pager.count.isExact)
    }

    @Test func filteredRowsAreCountedDuringTheWalk() throws {
        let sample = try sample(20_000)
        let pager = try pager(sample, condition: RowCondition("a = 5"))
        let first = try pager.window(.number(0), count: 10, columns: ["a"])
        #expect(first.rows.count == 10 && first.total > 10)
        while try pager.advance(by: 5000) {}
        let expected = try TableFile(sample.path).read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE a = 5") ?? 0
        }.0
        let last = try pager.window(.number(.max), count: 3, columns: ["a"])
        #expect(last.total == expected && last.start == expected - 3)
    }

    @Test func endOfManyFilteredRowsHasRowNumbers() throws {
        let sample = try sample(120_001)
        let pager = try pager(sample, condition: RowCondition("id % 2 = 0"))
        let end = try pager.window(.number(.max), count: 10, columns: [])
        #expect(end.start == 59_991 && end.total == 60_001 && end.isTotalExact)
        #expect(numbers(end).last == 120_000)
        let beginning = try pager.window(.number(5), count: 2, columns: [])
        #expect(beginning.start == 5 && numbers(beginning) == [10, 12])
    }

    @Test func nextWindowShowsConcurrentWrites() throws {
        let sample = try sample(500)
        let pager = try pager(sample)
        _ = try pager.window(.number(0), count: 10, columns: [])
        try sample.run("DELETE FROM t WHERE id < 100; INSERT INTO t VALUES (900, 1, 1)")
        let window = try pager.window(.number(0), count: 10, columns: [])
        #expect(numbers(window) == Array(100..<110))
        while try pager.advance(by: 1000) {}
        let end = try pager.window(.number(.max), count: 2, columns: [])
        #expect(numbers(end) == [499, 900] && end.total == 401)
    }

    @Test func nextMatchWrapsAroundOnce() throws {
        let sample = try sample(9000)
        for sort in [nil, RowSelection.Sort("b")] {
            let pager = try pager(sample, sort: sort)
            func next(_ from: Int, backwards: Bool = false) throws -> Int64? {
                try pager.row(
                    meeting: RowCondition("id IN (10, 8000)"), from: from, backwards: backwards)?
                    .rowID
            }
            let isReversed = sort != nil
            #expect(try next(isReversed ? 8989 : 10) == (isReversed ? 10 : 8000) || isReversed)
            #expect(try next(8999) == (isReversed ? 8000 : 10))
            #expect(try next(0, backwards: true) == (isReversed ? 10 : 8000))
        }
    }
}
