import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct HistoryTests {
    /// Two devices that wrote in turn. `timestamps[n]` is that of the value `n`.
    struct Past {
        let fixture: StoreFixture
        let store: KeyValueStore
        var timestamps: [Timestamp] = []

        init(rows: Int = 12) throws {
            fixture = try StoreFixture()
            let a = try fixture.store("a")
            let b = try fixture.store("b")
            for number in 0..<rows {
                let writer = number % 2 == 0 ? a : b
                try writer.sync()
                try writer.set(.integer(Int64(number)), forKey: number % 3 == 0 ? "note/x" : "y")
                fixture.clock.advance(microseconds: 10)
                try writer.save()
            }
            store = try fixture.store(nil)
            timestamps = try store.rows(since: nil).map(\.timestamp)
        }
    }

    func values(_ rows: [LogRow]) throws -> [PropertyList?] { try rows.map { try $0.value() } }

    @Test func rowsAreInOrderOfTime() throws {
        let past = try Past()
        #expect(try values(past.store.rows(since: nil)) == (0..<12).map { .integer($0) })
        #expect(
            try past.store.rows(since: nil).map(\.device.name)
                == Array(repeating: ["a", "b"], count: 6).flatMap { $0 })
    }

    @Test func sinceIsExclusiveFromAndThroughAreInclusive() throws {
        let past = try Past()
        #expect(try values(past.store.rows(since: past.timestamps[9])) == [10, 11])
        #expect(
            try values(past.store.rows(from: past.timestamps[3], through: past.timestamps[5])) == [
                3, 4, 5,
            ])
        #expect(try past.store.rows(since: .distantFuture).isEmpty)
    }

    @Test func rowsCanBeFilteredByDeviceOrKey() throws {
        let past = try Past()
        #expect(
            try values(past.store.rows(since: nil, device: DeviceID("b"))) == [1, 3, 5, 7, 9, 11])
        #expect(try values(past.store.rows(forKey: "note/x")) == [0, 3, 6, 9])
        #expect(try values(past.store.newestRows(prefix: "no")) == [9])
        #expect(try past.store.newestRows(prefix: "NO").isEmpty)
        #expect(try past.store.rowCount(.init(prefix: "note/")) == 4)
        #expect(try past.store.rowCount(.init(devices: [DeviceID("a")])) == 6)
    }

    @Test func newestRowsByPrefixIncludeDeletions() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "p/x")
        try store.removeValue(forKey: "p/x")
        let rows = try store.newestRows(prefix: "p/")
        #expect(rows.map(\.isDeletion) == [true])
    }

    @Test func predecessorsAreTheNearestAndSuccessorsTheNewest() throws {
        let past = try Past()
        let rows = try past.store.rows(since: nil)
        #expect(
            try past.store.predecessors(of: [rows[6], rows[1]]).mapValues { try $0.value() } == [
                "note/x": 3
            ])
        #expect(
            try past.store.successors(of: [rows[3], rows[11]]).mapValues { try $0.value() } == [
                "note/x": 9
            ])
    }

    @Test func neighborsPrefixesAndChangesCanBeLimitedToADevice() throws {
        let past = try Past()
        let (a, b) = (try DeviceID("a"), try DeviceID("b"))
        let rows = try past.store.rows(since: nil)
        // note/x: 0 and 6 by a, 3 and 9 by b; y: 2, 4, 8, 10 by a, 1, 5, 7, 11 by b.
        func found(_ rows: [Name: LogRow]) throws -> [Name: PropertyList?] {
            try rows.mapValues { try $0.value() }
        }
        #expect(
            try found(past.store.predecessors(of: [rows[9], rows[8]], device: a))
                == ["note/x": 6, "y": 4])
        #expect(
            try found(past.store.predecessors(of: [rows[9], rows[8]], device: b))
                == ["note/x": 3, "y": 7])
        #expect(try found(past.store.predecessors(of: [rows[3]], device: b)).isEmpty)
        #expect(
            try found(past.store.successors(of: [rows[0], rows[2]], device: a))
                == ["note/x": 6, "y": 10])
        #expect(try found(past.store.successors(of: [rows[6]], device: a)).isEmpty)
        #expect(
            try past.store.predecessors(of: rows, device: DeviceID("unseen")).isEmpty)
        #expect(try values(past.store.newestRows(prefix: "", device: a)) == [6, 10])
        #expect(try values(past.store.newestRows(prefix: "note/", device: b)) == [9])
        #expect(
            try values(past.store.rows(since: past.timestamps[3], device: a, prefix: "note/"))
                == [6])
        #expect(try values(past.store.rows(since: nil, prefix: "note/")) == [0, 3, 6, 9])
    }

    @Test func pastValuesAndDictionariesAreAvailable() throws {
        let past = try Past()
        #expect(try past.store.value(forKey: "note/x", at: past.timestamps[5]) == 3)
        #expect(try past.store.dictionary(at: past.timestamps[1]) == ["note/x": 0, "y": 1])
        #expect(try past.store.dictionary(at: past.timestamps[1], prefix: "y") == ["y": 1])
        #expect(try past.store.dictionary(at: .distantFuture) == past.store.everything)
    }

    @Test func pagesCoverAllRowsInBothDirections() throws {
        let past = try Past(rows: 23)
        for limit in [1, 4, 7, 100] {
            var forward: [LogRow] = []
            var start = KeyValueStore.PageStart.oldest
            while true {
                let page = try past.store.rows(.init(), start, limit: limit)
                forward += page.rows
                guard page.hasMore, let last = page.rows.last else { break }
                start = .after(last.position)
            }
            var backward: [LogRow] = []
            start = .newest
            while true {
                let page = try past.store.rows(.init(), start, limit: limit)
                backward = page.rows + backward
                guard page.hasMore, let first = page.rows.first else { break }
                start = .before(first.position)
            }
            #expect(try values(forward) == (0..<23).map { .integer($0) }, "limit \(limit)")
            #expect(forward == backward, "limit \(limit)")
        }
    }

    @Test func rowsWithOneTimestampArePagedByDeviceAndNumber() throws {
        let fixture = try StoreFixture()
        let time = Timestamp(microseconds: 1_000)
        let store = try fixture.store("a")
        for device in ["c", "b", "a"] {
            try store.insertChanges(
                (0..<3).map { try Change(timestamp: time, key: "\(device)\($0)", value: 1) },
                into: DeviceID(device), appendOnly: false)
        }
        try store.load()
        var keys: [String] = []
        var start = KeyValueStore.PageStart.oldest
        while let row = try store.rows(.init(), start, limit: 1).rows.first {
            keys.append(row.key)
            start = .after(row.position)
        }
        #expect(keys == ["a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2"])
    }

    /// Returns a past in which a device `c` has written one key that no other device has written.
    private func pastWithAnother() throws -> Past {
        let past = try Past()
        let other = try past.fixture.store("c")
        try other.set("elsewhere", forKey: "z")
        try other.save()
        try past.store.sync()
        return past
    }

    @Test func keyIsSearchedOnlyInLogsOfItsWriters() throws {
        let past = try pastWithAnother()
        let known = try past.store.rows(forKey: "y")
        let row = try #require(known.last)
        try Data("no database".utf8).write(to: URL(filePath: past.fixture.logPath("c")))
        // That log contains no rows of the key, so the result is complete without it.
        #expect(try past.store.rows(forKey: "y") == known)
        #expect(try past.store.rowCount(.init(key: "y")) == known.count)
        #expect(try past.store.rows(.init(key: "y"), limit: 20).unread.isEmpty)
        #expect(try past.store.predecessors(of: [row])["y"] == known.dropLast().last)
        #expect(try past.store.rows(.init(), limit: 20).unread.keys.map(\.name) == ["c"])
        #expect(throws: (any Error).self) { try past.store.rows(forKey: "z") }
    }

    @Test func incompleteLogIsSearchedForEveryKey() throws {
        let past = try pastWithAnother()
        #expect(try !past.store.rows(forKey: "y").isEmpty)
        try Data("no database".utf8).write(to: URL(filePath: past.fixture.logPath("c")))
        try past.store.sync()
        #expect(past.store.devices.first { $0.device.name == "c" }?.state == .incomplete)
        // By now, it may have rows of any key.
        #expect(throws: (any Error).self) { try past.store.rows(forKey: "y") }
        #expect(try past.store.rows(.init(key: "y"), limit: 20).unread.keys.map(\.name) == ["c"])
    }

    @Test func timelineRanksAreApproximate() throws {
        let past = try Past(rows: 40)
        let timeline = try past.store.timeline()
        #expect(timeline.total == 40)
        for (index, timestamp) in past.timestamps.enumerated() {
            #expect(abs(timeline.rank(of: timestamp) - (index + 1)) <= 2)
        }
        let middle = try #require(timeline.timestamp(atRank: 20))
        #expect(abs(timeline.rank(of: middle) - 20) <= 2)
    }

    @Test func newestTimestampsAreAvailableByKeyAndDevice() throws {
        let past = try Past()
        let own = try past.fixture.store("new")
        #expect(
            own.newestTimestampsByKey() == ["note/x": past.timestamps[9], "y": past.timestamps[11]])
        let byDevice = own.newestTimestampsByDevice()
        #expect(byDevice[try DeviceID("a")] == past.timestamps[10])
        #expect(byDevice[try DeviceID("b")] == past.timestamps[11])
        #expect(byDevice[try DeviceID("new")] == .distantPast)
        #expect(own.newestTimestamp(forDevice: try DeviceID("unseen")) == nil)
    }

    @Test func insertedChangesAreVisibleOnce() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set("now", forKey: "k")
        try store.save()
        let future = Timestamp(microseconds: fixture.clock.now.microseconds + 1_000)
        let changes = [
            try Change(timestamp: Timestamp(microseconds: 5), key: "old", value: 1),
            try Change(timestamp: future, key: "k", value: nil),
        ]
        #expect(try store.insertChanges(changes, into: DeviceID("a"), appendOnly: true) == 1)
        #expect(try store.insertChanges(changes, into: DeviceID("a"), appendOnly: false) == 1)
        #expect(try store.insertChanges(changes, into: DeviceID("a"), appendOnly: false) == 0)
        #expect(store["k"] == "now")
        try store.load()
        #expect(store.everything == ["old": 1])
        let rows = try store.rows(forKey: "k")
        #expect(try fixture.store(nil).everything == ["old": 1])
        #expect(rows.count == 2)
    }
}
