import Foundation
import GRDB
import TestSupport
import Testing

@testable import Tables

/// The distribution of a column's values, compared with values counted in memory.
@Suite struct ColumnProfileTests {
    private static let hostile = ["a", "select", "\"q\" 'x'", "a]b\n;--", "typeof"]

    private func profile(
        _ path: String, _ table: String, _ column: String, isRaw: Bool = false
    ) throws -> ColumnProfile {
        try TableFile(path).read { db in
            let table = try #require(DatabaseTables(db, isRaw: isRaw).table(table))
            return try ColumnProfile(db, of: try #require(table.column(column)), in: table)
        }.0
    }

    private static func value(using random: inout SeededRandom) -> TableValue {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .null
        case 1: .integer(Int64.random(in: -5...5, using: &random))
        case 2: .integer([.min, .max, 0].randomElement(using: &random) ?? 0)
        case 3: .real(Double(Int.random(in: -9...9, using: &random)) / 2 + 0.25)
        case 4: .real([1, 2, .infinity, 1e308].randomElement(using: &random) ?? 0)
        case 5: .text(["", "a", "A", "é", "12"].randomElement(using: &random) ?? "")
        case 6: .malformedText(Data([0xC3]))
        default: .blob(Data(repeating: 1, count: Int.random(in: 0...2, using: &random)))
        }
    }

    /// Compares a profile with the values of the column.
    private func expect(
        _ profile: ColumnProfile, of values: [TableValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let known = values.filter { $0 != .null }
        #expect(profile.rowCount == values.count, sourceLocation: sourceLocation)
        #expect(profile.nullCount == values.count - known.count, sourceLocation: sourceLocation)
        #expect(
            profile.emptyCount == known.count { $0 == .text("") || $0 == .blob(Data()) },
            sourceLocation: sourceLocation)
        let types = Dictionary(grouping: values, by: \.typeName).mapValues(\.count)
        #expect(profile.types == types, sourceLocation: sourceLocation)
        let counts = Dictionary(grouping: known, by: \.self).mapValues(\.count)
        #expect(profile.distinctCount == counts.count, sourceLocation: sourceLocation)
        let frequent = profile.frequent
        #expect(
            frequent.map(\.count) == Array(counts.values.sorted(by: >).prefix(10)),
            sourceLocation: sourceLocation)
        #expect(
            frequent.allSatisfy { counts[$0.value] == $0.count }, sourceLocation: sourceLocation)
        #expect(
            Set(frequent.map(\.value)).count == frequent.count, sourceLocation: sourceLocation)

        let numbers = known.compactMap { value -> Double? in
            switch value {
            case .integer(let number): Double(number)
            case .real(let number): number
            default: nil
            }
        }.sorted()
        let distribution = profile.numbers
        func number(_ value: TableValue?) -> Double? {
            switch value {
            case .integer(let number): Double(number)
            case .real(let number): number
            default: nil
            }
        }
        #expect(distribution.count == numbers.count, sourceLocation: sourceLocation)
        #expect(number(distribution.minimum) == numbers.first, sourceLocation: sourceLocation)
        #expect(number(distribution.maximum) == numbers.last, sourceLocation: sourceLocation)
        for part in [0.05, 0.25, 0.5, 0.75, 0.95] where !numbers.isEmpty {
            let rank = max(1, Int((part * Double(numbers.count)).rounded(.up)))
            #expect(
                number(distribution.quantile(part)) == numbers[rank - 1],
                sourceLocation: sourceLocation)
        }
        let finite = numbers.filter(\.isFinite)
        let bins = distribution.histogram()
        #expect(bins.reduce(0) { $0 + $1.count } == finite.count, sourceLocation: sourceLocation)
        #expect(bins.first?.lowerBound == finite.first, sourceLocation: sourceLocation)
        #expect(bins.last?.upperBound == finite.last, sourceLocation: sourceLocation)
    }

    @Test(arguments: 0..<6, ["", " WITHOUT ROWID"])
    func profileDescribesTheValues(seed: UInt64, suffix: String) throws {
        var random = SeededRandom(seed: seed)
        let names = Self.hostile.map(SQLName.quoted)
        let types = ["INTEGER", "REAL COLLATE NOCASE", "TEXT COLLATE NOCASE", "BLOB", "NUMERIC"]
        let columns = zip(names, types).map { "\($0) \($1)" }.joined(separator: ", ")
        let sample = try SampleDatabase(
            "CREATE TABLE \"t \"\"1\" (\(columns), id INTEGER PRIMARY KEY)\(suffix)")
        let queue = try DatabaseQueue(path: sample.path)
        try queue.write { db in
            for number in 0..<Int64.random(in: 1...300, using: &random) {
                try RowStepper.run(
                    db, "INSERT INTO \"t \"\"1\" VALUES (?, ?, ?, ?, ?, ?)",
                    names.map { _ in Self.value(using: &random) } + [.integer(number)])
            }
            try db.execute(sql: "CREATE VIEW v AS SELECT * FROM \"t \"\"1\"")
        }
        try queue.close()
        for name in Self.hostile {
            var values: [TableValue] = []
            try TableFile(sample.path).read { db in
                try ReadOnlyQuery("SELECT \(SQLName.quoted(name)) FROM \"t \"\"1\"").run(db) {
                    values += $0
                    return true
                }
            }
            expect(try profile(sample.path, "t \"1", name), of: values)
            expect(try profile(sample.path, "v", name), of: values)
        }
    }

    @Test func emptyTableHasAnEmptyProfile() throws {
        let sample = try SampleDatabase("CREATE TABLE t (a)")
        let profile = try profile(sample.path, "t", "a")
        expect(profile, of: [])
        #expect(profile.numbers.mean == nil && profile.numbers.quantile(0.5) == nil)
        #expect(profile.numbers.histogram().isEmpty)
    }

    @Test func equallyFrequentValuesAreSorted() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (a);
            INSERT INTO t WITH n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 29)
                SELECT i % 20 FROM n;
            """)
        let frequent = try profile(sample.path, "t", "a").frequent
        #expect(frequent.map(\.value) == (0..<10).map { .integer($0) })
        #expect(frequent.allSatisfy { $0.count == 2 })
    }

    @Test func largeDistributionsAreCloseAndBounded() throws {
        var numbers = NumberDistribution()
        let count = 300_000
        var sum = 0.0
        for number in 0..<count {
            // One number is on a third of all rows.
            let rows = number == count / 2 ? count / 2 : 1
            numbers.add(.integer(Int64(number)), rows)
            sum += Double(number) * Double(rows)
        }
        let total = count + count / 2 - 1
        #expect(numbers.count == total)
        #expect(numbers.mean == sum / Double(total))
        #expect(numbers.minimum == .integer(0) && numbers.maximum == .integer(Int64(count - 1)))
        #expect(numbers.quantile(0.5) == .integer(Int64(count / 2)))
        for part in [0.05, 0.25, 0.75, 0.95] {
            guard case .integer(let value)? = numbers.quantile(part) else {
                Issue.record("no quantile \(part)")
                continue
            }
            let passed = Int(value) + 1 + (Int(value) >= count / 2 ? count / 2 - 1 : 0)
            let rank = part * Double(total)
            #expect(abs(Double(passed) - rank) <= Double(total) / 1000, "\(part): \(value)")
        }
        #expect(numbers.histogram(3).map(\.count).reduce(0, +) == total)
    }

    @Test func extremeNumbersHaveAMeanAndAHistogram() throws {
        var numbers = NumberDistribution()
        numbers.add(.real(-.greatestFiniteMagnitude), 2)
        numbers.add(.real(.greatestFiniteMagnitude), 2)
        #expect(numbers.mean == 0)
        #expect(numbers.histogram(2).map(\.count) == [2, 2])
        let bounds = numbers.histogram().flatMap { [$0.lowerBound, $0.upperBound] }
        #expect(bounds.allSatisfy(\.isFinite) && bounds == bounds.sorted())
        numbers.add(.real(.infinity), 1)
        #expect(numbers.mean == .infinity)
        #expect(numbers.histogram(2).map(\.count) == [2, 2])
        #expect(numbers.infiniteCount == 1)
    }

    @Test func infiniteNumbersAreCountedApartFromManyFiniteOnes() throws {
        var numbers = NumberDistribution()
        let count = 50_000
        numbers.add(.real(-.infinity), 1)
        for number in 0..<count { numbers.add(.integer(Int64(number)), 1) }
        numbers.add(.real(.infinity), 2)
        #expect(numbers.infiniteCount == 3 && numbers.count == count + 3)
        #expect(numbers.histogram().reduce(0) { $0 + $1.count } == count)
        #expect(numbers.histogram().first?.lowerBound == 0)
    }

    @Test func numbersThatAreDatesHaveAnEpoch() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (created_at INT, n INT);
            INSERT INTO t VALUES (1700000000, 1700000000), (1710000000, 3), (NULL, NULL);
            """)
        for (name, epoch) in [("created_at", Epoch.unixSeconds), ("n", nil)] {
            let column = try #require(
                try TableFile(sample.path).read { try DatabaseSchema($0).table("t")?.column(name) }
                    .0)
            #expect(try profile(sample.path, "t", name).numbers.epoch(of: column) == epoch)
        }
    }

    @Test func profileCanBeCanceled() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (a);
            INSERT INTO t WITH n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
                SELECT hex(randomblob(8)) FROM n;
            """)
        let table = try #require(
            try TableFile(sample.path).read { try DatabaseTables($0).table("t") }.0)
        let column = table.columns[0]
        #expect {
            try TableFile(sample.path).read(isCancelled: { true }) {
                try ColumnProfile($0, of: column, in: table)
            }
        } throws: {
            ($0 as? TablesError)?.code == .interrupted
        }
    }
}
