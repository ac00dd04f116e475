import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Lists as of an instant, compared with a scan of all rows.
@Suite struct PastEntryListTests {
    /// The values as of an instant by definition: the newest row wins; if times are equal, that of
    /// the greater device, then the later row.
    private static func expected(
        _ rows: [LogRow], at instant: Timestamp, removed: Bool = false
    ) -> [Name: LogRow] {
        var newest: [Name: LogRow] = [:]
        for row in rows where row.timestamp <= instant {
            if newest[row.key].map({ $0.position < row.position }) ?? true { newest[row.key] = row }
        }
        return removed ? newest : newest.filter { !$0.value.isDeletion }
    }

    private static func compare(
        _ store: KeyValueStore, at instant: Timestamp,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> KeyValueStore.PastEntryList {
        let list = try store.entryList(at: instant)
        let rows = try #require(
            try store.rows(list, 0..<list.count), sourceLocation: sourceLocation)
        let wanted = expected(try store.rows(since: nil), at: instant)
        let sorted = wanted.values.sorted { Name($0.key) < Name($1.key) }
        #expect(rows.map(\.key) == sorted.map(\.key), sourceLocation: sourceLocation)
        #expect(store.keys(of: list) == rows.map(\.key), sourceLocation: sourceLocation)
        #expect(rows.map(\.reference) == sorted.map(\.reference), sourceLocation: sourceLocation)
        #expect(rows.map(\.bytes) == sorted.map(\.bytes), sourceLocation: sourceLocation)
        for (number, row) in rows.enumerated() {
            #expect(
                store.position(of: row.key, in: list) == number, sourceLocation: sourceLocation)
        }
        return list
    }

    /// Checks lists of random rows.
    ///
    /// - Parameter keys: Few keys are searched one by one; many are looked up in the index of all
    ///   rows.
    @Test(arguments: [40, 1_500]) func listMatchesTheLogsAtTheInstant(keys: Int) throws {
        let fixture = try StoreFixture()
        var random = SeededRandom(seed: 3)
        _ = try ParstoreFile(
            at: fixture.logPath("mac"),
            rows: (0..<keys / 2).map { number in
                .init(
                    timestamp: 799_999_999_000_000 + Int64(number) * 40, key: "key/\(number * 2)",
                    value: number % 5 == 0 ? nil : .string("mac \(number)"))
            })
        let devices = try ["a", "b", "c"].map { try fixture.store($0) }
        let reader = try fixture.store(nil)
        var held: KeyValueStore.PastEntryList?
        for round in 0..<6 {
            for device in devices {
                try device.sync()
                for _ in 0..<keys {
                    let key = "key/\(Int.random(in: 0..<keys, using: &random))"
                    if Int.random(in: 0..<6, using: &random) == 0 {
                        try device.removeValue(forKey: key)
                    } else {
                        try device.set(
                            .integer(Int64.random(in: 0..<99, using: &random)), forKey: key)
                    }
                    fixture.clock.advance(microseconds: Int64.random(in: 0..<3, using: &random))
                }
                try device.save()
            }
            try reader.sync()
            let times = try reader.rows(since: nil).map(\.timestamp)
            for _ in 0..<(round == 5 ? 12 : 2) {
                guard let instant = times.randomElement(using: &random) else { continue }
                held = try Self.compare(reader, at: instant)
                let count = times.count { $0 <= instant }
                #expect(try reader.rowCount(.init(through: instant)) == count)
            }
            let early = Timestamp(microseconds: 1)
            #expect(try Self.compare(reader, at: early).count == 0)
        }
        #expect(held != nil)
    }

    @Test func storeCanBeClosedWhileListsAreCreated() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        func setAll(to value: Int64) throws {
            for number in 0..<200 { try store.set(.integer(value), forKey: "key/\(number)") }
            try store.save()
        }
        try setAll(to: 1)
        let instant = fixture.clock.now
        fixture.clock.advance(microseconds: 1_000)
        try setAll(to: 2)
        try store.close()
        for round in 0..<20 {
            let opened = try fixture.store("a")
            let reading = Task.detached {
                for _ in 0..<1_000 { _ = try opened.entryList(at: instant) }
            }
            for _ in 0..<round { _ = try opened.entryList(at: instant) }
            try opened.close()
            _ = await reading.result
            #expect(throws: KeyValueError.self) { try opened.entryList(at: instant) }
        }
    }

    /// Rows that were inserted with their original times are out of order in their log.
    @Test func steppingThroughAnUnorderedLogMatchesItsRows() throws {
        let fixture = try StoreFixture()
        var random = SeededRandom(seed: 11)
        let writer = try fixture.store("a")
        let start = fixture.clock.now.microseconds
        for number in 0..<1_500 {
            try writer.set(.integer(Int64(number)), forKey: "key/\(number)")
        }
        try writer.save()
        for number in 0..<1_500 {
            fixture.clock.advance(microseconds: 1)
            try writer.set(.integer(Int64(-number)), forKey: "key/\(number)")
        }
        try writer.save()
        try writer.insertChanges(
            (0..<400).map { number in
                try Change(
                    timestamp: Timestamp(
                        microseconds: start + Int64.random(in: 0..<4_000, using: &random)),
                    key: "key/\(number)", value: "inserted")
            }, into: DeviceID("b"), appendOnly: false)
        try writer.insertChanges(
            (400..<800).map { number in
                Change(
                    timestamp: Timestamp(
                        microseconds: start + Int64.random(in: 0..<4_000, using: &random)),
                    key: "key/\(number)", bytes: nil)
            }, into: DeviceID("b"), appendOnly: false)
        let reader = try fixture.store(nil)
        let times = try reader.rows(since: nil).map(\.timestamp)
        var held: KeyValueStore.PastEntryList?
        for _ in 0..<20 {
            guard let instant = times.randomElement(using: &random) else { continue }
            held = try Self.compare(reader, at: instant)
            for isBackward in [true, true, false, false, false] {
                guard
                    let next = try reader.nearestTimestamp(
                        to: held?.instant ?? instant, backwards: isBackward)
                else { continue }
                held = try Self.compare(reader, at: next)
            }
        }
        #expect(held != nil)
    }

    /// Rows that arrive during time travel are added to the index.
    @Test func listIncludesRowsAndKeysAddedSinceTheLastOne() throws {
        let fixture = try StoreFixture()
        var random = SeededRandom(seed: 5)
        let (one, other) = (try fixture.store("a"), try fixture.store("b"))
        let reader = try fixture.store(nil)
        var held: KeyValueStore.PastEntryList?
        for round in 0..<5 {
            for store in [one, other] {
                try store.sync()
                for _ in 0..<1_200 {
                    fixture.clock.advance(microseconds: Int64.random(in: 0..<2, using: &random))
                    let key = "key/\(Int.random(in: 0..<(900 * (round + 1)), using: &random))"
                    try store.set(.integer(Int64(round)), forKey: key)
                }
                try store.save()
            }
            // Insert late rows between existing ones.
            let start = try reader.nearestTimestamp(to: .distantPast, backwards: false)
            if let start {
                try one.insertChanges(
                    (0..<50).map { number in
                        try Change(
                            timestamp: Timestamp(
                                microseconds: start.microseconds
                                    + Int64.random(in: 0..<2_000, using: &random)),
                            key: "key/\(number * 7)", value: .string("late \(round)"))
                    }, into: DeviceID("c"), appendOnly: false)
            }
            try reader.sync()
            let times = try reader.rows(since: nil).map(\.timestamp)
            for _ in 0..<3 {
                guard let instant = times.randomElement(using: &random) else { continue }
                held = try Self.compare(reader, at: instant)
            }
        }
        #expect(held != nil)
    }

    @Test func newestRowsIncludeRemovals() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        for number in 0..<2_000 { try store.set(.integer(1), forKey: "\(number % 1_500)") }
        for number in 0..<700 { try store.removeValue(forKey: "\(number)") }
        try store.save()
        let middle = try store.rows(since: nil)[2_300].timestamp
        fixture.clock.advance(microseconds: 10)
        for number in 0..<1_500 { try store.set(.integer(3), forKey: "\(number)") }
        try store.save()
        let wanted = Self.expected(try store.rows(since: nil), at: middle, removed: true)
        #expect(try store.rows(at: middle).mapValues(\.reference) == wanted.mapValues(\.reference))
        #expect(try store.dictionary(at: middle).count == wanted.count { !$0.value.isDeletion })
        #expect(
            try store.dictionary(at: middle, prefix: "12").keys.allSatisfy {
                $0.text.hasPrefix("12")
            })
    }

    @Test func supersededWinnerStaysInAnOlderList() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set("before", forKey: "k")
        try store.save()
        let list = try store.entryList(at: fixture.clock.now)
        fixture.clock.advance(microseconds: 10)
        try store.set("after", forKey: "k")
        try store.save()
        let rows = try #require(try store.rows(list, 0..<1))
        #expect(try rows.map { try $0.value() } == ["before"])
    }

    @Test func listIsInvalidAfterAReload() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set("x", forKey: "k")
        try store.save()
        let list = try store.entryList(at: fixture.clock.now)
        try store.load()
        #expect(try store.rows(list, 0..<1) == nil)
        #expect(store.position(of: "k", in: list) == nil)
        #expect(store.keys(of: list) == nil)
    }

    @Test func replacedLogIsReadFromTheStart() throws {
        let fixture = try StoreFixture()
        let reader = try fixture.store(nil)
        var lists: [KeyValueStore.PastEntryList] = []
        for round in 0..<2 {
            try? FileManager.default.removeItem(atPath: fixture.logPath("a"))
            let writer = try fixture.store("a")
            for number in 0..<1_200 {
                try writer.set(.integer(Int64(number)), forKey: "\(round)/\(number)")
            }
            try writer.save()
            let then = fixture.clock.now
            fixture.clock.advance(microseconds: 10_000)
            for number in 0..<1_200 { try writer.removeValue(forKey: "\(round)/\(number)") }
            try writer.close()
            try reader.sync()
            fixture.clock.advance(microseconds: 10_000)
            lists.append(
                try Self.compare(reader, at: Timestamp(microseconds: then.microseconds + 5_000)))
        }
        #expect(lists.map(\.count) == [1_200, 1_200])
    }

    /// A log is read through its indexes if they are intact, and otherwise by its rows.
    @Test(arguments: [
        "DROP INDEX log_removal",
        "DROP INDEX log_removal; CREATE INDEX log_removal ON log (timestamp) WHERE id % 2 = 0",
        "DROP INDEX log_key", "DROP INDEX log_key; CREATE INDEX log_key ON log (timestamp)",
        "DROP INDEX log_key; CREATE INDEX log_key ON log (key, timestamp) WHERE id % 2 = 0",
        "UPDATE log SET value = 'a text' WHERE id % 5 = 0",
        "UPDATE log SET value = x'' WHERE id % 5 = 0",
    ])
    func logChangedByAnotherProgramShowsItsRows(change: String) throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        for round in 0..<3 {
            for number in 0..<1_200 {
                if (round + number) % 7 == 0 {
                    try writer.removeValue(forKey: "key/\(number)")
                } else {
                    try writer.set(.integer(Int64(round)), forKey: "key/\(number)")
                }
                fixture.clock.advance(microseconds: 1)
            }
        }
        try writer.close()
        try runSQL(change, at: fixture.logPath("a"), isTransaction: false)
        let reader = try fixture.store(nil)
        let times = try reader.rows(since: nil).map(\.timestamp)
        var held: KeyValueStore.PastEntryList?
        for part in 1..<6 {
            held = try Self.compare(reader, at: times[times.count * part / 6])
        }
        #expect(held?.unread.isEmpty == true)
    }

    @Test func logWithUnreadableRowsIsReportedAndOthersStay() throws {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        for number in 0..<1_500 {
            try a.set(.string("old \(number)"), forKey: "a/\(number)")
            try b.set(.string("old \(number)"), forKey: "b/\(number)")
        }
        try a.save()
        try b.save()
        let then = fixture.clock.now
        fixture.clock.advance(microseconds: 10_000)
        for number in 0..<1_500 {
            try a.set("new", forKey: "a/\(number)")
            try b.set("new", forKey: "b/\(number)")
        }
        try a.close()
        try b.close()
        let reader = try fixture.store(nil)
        let instant = Timestamp(microseconds: then.microseconds + 5_000)
        let whole = try reader.entryList(at: instant)
        #expect(whole.count == 3_000)
        try FileManager.default.removeItem(atPath: fixture.logPath("a"))
        try Data("no database".utf8).write(to: URL(filePath: fixture.logPath("a")))
        #expect(try reader.rows(whole, 0..<10) == nil)
        let rest = try reader.entryList(at: instant)
        #expect(rest.count == 1_500)
        #expect(try Set(rest.unread.keys) == [DeviceID("a")])
        #expect(try reader.rows(rest, 0..<1_500)?.allSatisfy { $0.device.name == "b" } == true)
    }
}
