import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Compares the rows that causal parents prove to be seen with a simple model, and with the rows
/// that the devices had really read.
@Suite struct SeenRowsTests {
    /// A package of devices that wrote to many keys, and how many rows of each other device a
    /// device had read when it wrote last.
    private struct History {
        let fixture: StoreFixture
        private(set) var read: [DeviceID: [DeviceID: Int]] = [:]

        /// - Parameter step: Called after each step.
        init(
            _ seed: UInt64, parstore: Bool, step: (StoreFixture) throws -> Void = { _ in }
        ) throws {
            var random = SeededRandom(seed: seed)
            fixture = try StoreFixture()
            let devices = (0..<6).map { "device \($0)" }
            for device in devices where parstore && Bool.random(using: &random) {
                _ = try ParstoreFile(at: fixture.logPath(device))
            }
            let stores = try devices.map { try fixture.store($0) }
            for _ in 0..<100 {
                let now = fixture.clock.now
                // Sometimes, the clock of a device is days ahead, and is set back afterward.
                let isAhead = Int.random(in: 0..<20, using: &random) == 0
                fixture.clock.advance(microseconds: isAhead ? 300_000_000_000 : 10)
                let store = try #require(stores.randomElement(using: &random))
                if Int.random(in: 0..<10, using: &random) < 7 {
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        let key = "key/\(Int.random(in: 0..<30, using: &random))"
                        try store.set(
                            .integer(Int64.random(in: 0..<4, using: &random)), forKey: key)
                    }
                    try store.save()
                    let own = try #require(store.devices.first { $0.isOwn }).device
                    for status in store.devices {
                        read[own, default: [:]][status.device] = status.rows
                    }
                } else {
                    try store.sync()
                }
                if isAhead { fixture.clock.set(now) }
                try step(fixture)
            }
            for store in stores { try store.close() }
        }
    }

    /// For each pair of devices, the newest row that causes prove, from all rows in memory.
    private struct Model {
        var newest: [DeviceID: [DeviceID: LogRow]] = [:]
        let rows: [DeviceID: [LogRow]]

        init(_ store: KeyValueStore) throws {
            let all = try store.rows(since: nil)
            rows = Dictionary(grouping: all, by: \.device)
            for (row, parents) in zip(all, try store.parents(of: all)) {
                for parent in parents {
                    guard let other = parent.device, other != row.device,
                        let named = rows[other]?.first(where: {
                            Name($0.key) == Name(row.key) && $0.timestamp == parent.timestamp
                        }), named.id > newest[row.device]?[other]?.id ?? 0
                    else { continue }
                    newest[row.device, default: [:]][other] = named
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func everyPairEqualsAPlainModel(_ parstore: Bool) throws {
        var (isSeen, isNever, isConflictUnseen) = (0, 0, 0)
        for seed in seeds(5) {
            let history = try History(seed, parstore: parstore)
            let store = try history.fixture.store(nil)
            let seen = try store.seenRows()
            let model = try Model(store)
            let sides = try store.conflicts().flatMap { [$0.winner] + $0.others }
            #expect(seen.unread.isEmpty)
            #expect(seen.devices == store.devices.map(\.device).sorted())
            for device in seen.devices {
                for other in seen.devices where other != device {
                    let entry = seen.entry(of: device, about: other)
                    let known = model.newest[device]?[other]
                    let rows = model.rows[other] ?? []
                    let place: Comment = "seed \(seed), \(device) of \(other)"
                    #expect(entry.newest == known?.timestamp, place)
                    #expect(entry.rowsBehind == rows.count { $0.id > known?.id ?? 0 }, place)
                    let unseen = sides.filter { $0.device == other && $0.id > known?.id ?? 0 }
                    let keys = Set(unseen.map { Name($0.key) }).sorted().map(\.text)
                    #expect(seen.unseenConflicts(of: other, by: device) == keys, place)
                    #expect(entry.unseenConflictCount == unseen.count, place)
                    // Rows that the device had not read don't count as seen.
                    let read = history.read[device]?[other] ?? 0
                    #expect(entry.rowsBehind >= rows.count - read, place)
                    #expect((entry.timeBehind == nil) == (known == nil), place)
                    if known == nil { isNever += 1 } else { isSeen += 1 }
                    isConflictUnseen += keys.isEmpty ? 0 : 1
                }
            }
        }
        #expect(isSeen > 30 && isNever > 0 && isConflictUnseen > 10)
    }

    @Test(arguments: [false, true])
    func extendedResultEqualsAFreshOne(_ parstore: Bool) throws {
        func expectEqual(
            _ lhs: KeyValueStore.SeenRows, _ rhs: KeyValueStore.SeenRows, _ place: Comment
        ) {
            #expect(lhs.devices == rhs.devices && lhs.unread == rhs.unread, place)
            for device in lhs.devices {
                for other in lhs.devices where other != device {
                    #expect(
                        lhs.entry(of: device, about: other) == rhs.entry(of: device, about: other),
                        place)
                    #expect(
                        lhs.unseenConflicts(of: other, by: device)
                            == rhs.unseenConflicts(of: other, by: device), place)
                }
            }
        }
        for seed in seeds(2) {
            var live: KeyValueStore?
            var seen: KeyValueStore.SeenRows?
            var steps = 0
            let history = try History(seed, parstore: parstore) { fixture in
                steps += 1
                guard steps % 10 == 0 else { return }
                let store = try live ?? fixture.store(nil)
                live = store
                try store.sync()
                let extended = try store.seenRows(extending: seen)
                expectEqual(extended, try store.seenRows(), "seed \(seed), step \(steps)")
                seen = extended
            }
            // Replace the file with one that has as many rows, with times that were seen before.
            let store = try #require(live)
            let path = history.fixture.logPath("device 1")
            let rows = try store.rows(since: nil, device: DeviceID("device 1"))
            try FileManager.default.removeItem(atPath: path)
            history.fixture.clock.set(Timestamp(microseconds: 700_000_000_000_000))
            let writer = try history.fixture.store("device 1")
            for row in rows { try writer.set(.integer(7), forKey: row.key) }
            try writer.close()
            try store.sync()
            expectEqual(
                try store.seenRows(extending: seen), try store.seenRows(), "seed \(seed), replaced")
        }
    }

    @Test func devicesThatNeverMetHaveSeenNothing() throws {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        try a.set(.integer(1), forKey: "key")
        try b.set(.integer(2), forKey: "key")
        try b.set(.integer(3), forKey: "other")
        for store in [a, b] { try store.close() }
        let seen = try fixture.store(nil).seenRows()
        let (first, second) = (seen.devices[0], seen.devices[1])
        let entry = seen.entry(of: first, about: second)
        #expect(entry.newest == nil && entry.timeBehind == nil && entry.rowsBehind == 2)
        #expect(seen.unseenConflicts(of: second, by: first) == ["key"])
        #expect(seen.entry(of: second, about: first).rowsBehind == 1)
    }

    @Test func resolvingWriterHasSeenEverySide() throws {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        try a.set(.integer(1), forKey: "key")
        try b.set(.integer(2), forKey: "key")
        fixture.clock.advance(microseconds: 5_000_000)
        try b.set(.integer(3), forKey: "late")
        for store in [a, b] { try store.save() }
        try a.sync()
        try a.resolve("key", with: .integer(4))
        for store in [a, b] { try store.close() }
        let store = try fixture.store(nil)
        let seen = try store.seenRows()
        let (first, second) = (seen.devices[0], seen.devices[1])
        let entry = seen.entry(of: first, about: second)
        let rows = try store.rows(since: nil, device: second)
        // The later row is in the same file, but nothing names it.
        #expect(entry.newest == rows.first?.timestamp && entry.rowsBehind == 1)
        #expect(entry.timeBehind == .seconds(5))
        #expect(entry.unseenConflictCount == 0)
    }

    @Test func transactionIsSeenAsAWhole() throws {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        try a.set(contentsOf: [
            Name("1"): .integer(1), Name("2"): .integer(1), Name("3"): .integer(1),
        ])
        try a.save()
        try b.sync()
        try b.set(.integer(2), forKey: "1")
        for store in [a, b] { try store.close() }
        let seen = try fixture.store(nil).seenRows()
        #expect(seen.entry(of: seen.devices[1], about: seen.devices[0]).rowsBehind == 0)
    }

    /// c writes, b builds on it, and a sees the row of b before that of c.
    @Test func rowThatOnlyAnotherDeviceNamesIsNotSeen() throws {
        let fixture = try StoreFixture()
        let (b, c) = (try fixture.store("b"), try fixture.store("c"))
        try c.set(.integer(1), forKey: "key")
        try c.close()
        try b.sync()
        fixture.clock.advance(microseconds: 10)
        try b.set(.integer(2), forKey: "key")
        try b.close()
        let hidden = fixture.folder.appending("c")
        let folder = "\(fixture.package.path)/Devices/c"
        try FileManager.default.moveItem(atPath: folder, toPath: hidden)
        let a = try fixture.store("a")
        fixture.clock.advance(microseconds: 10)
        try a.set(.integer(3), forKey: "key")
        try a.close()
        try FileManager.default.moveItem(atPath: hidden, toPath: folder)
        let store = try fixture.store(nil)
        #expect(store.conflictCount == 0)
        let seen = try store.seenRows()
        #expect(seen.devices.map(\.name) == ["a", "b", "c"])
        #expect(seen.entry(of: seen.devices[0], about: seen.devices[1]).rowsBehind == 0)
        #expect(seen.entry(of: seen.devices[0], about: seen.devices[2]).newest == nil)
        #expect(seen.entry(of: seen.devices[1], about: seen.devices[2]).rowsBehind == 0)
    }

    @Test func deviceWithoutRowsHasSeenNothing() throws {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        try a.set(.integer(1), forKey: "key")
        try a.close()
        try FileManager.default.createDirectory(
            atPath: "\(fixture.package.path)/Devices/b", withIntermediateDirectories: true)
        let store = try fixture.store(nil)
        let seen = try store.seenRows()
        #expect(seen.devices.map(\.name) == ["a", "b"])
        for (device, other) in [(0, 1), (1, 0)] {
            let entry = seen.entry(of: seen.devices[device], about: seen.devices[other])
            #expect(entry.newest == nil && entry.unseenConflictCount == 0)
            #expect(entry.rowsBehind == (other == 0 ? 1 : 0))
        }
    }

    /// More names than are resolved at a time, of a log whose times don't ascend.
    @Test func manyRowsOfALogWithAClockSetBackAreFound() throws {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        let now = fixture.clock.now
        fixture.clock.advance(microseconds: 300_000_000_000)
        try a.set(.integer(1), forKey: "ahead")
        try a.save()
        fixture.clock.set(now)
        try b.sync()
        // The time of this row is later than those of all other rows.
        try b.set(.integer(2), forKey: "ahead")
        for key in 0..<6_000 { try b.set(.integer(1), forKey: "\(key)") }
        try b.save()
        try a.sync()
        fixture.clock.advance(microseconds: 1_000_000)
        for key in 0..<5_000 { try a.set(.integer(2), forKey: "\(key)") }
        try a.set(.integer(2), forKey: "ahead")
        for store in [a, b] { try store.close() }
        let seen = try fixture.store(nil).seenRows()
        let entry = seen.entry(of: seen.devices[0], about: seen.devices[1])
        #expect(entry.rowsBehind == 1_000)
        #expect(entry.newest.map { $0 < now.advanced(bySeconds: 1) } ?? false)
    }

    @Test func rowsOfAnIncompleteLogCountUpToItsGap() throws {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        for key in 0..<10 { try a.set(.integer(1), forKey: "\(key)") }
        try a.save()
        try b.sync()
        fixture.clock.advance(microseconds: 10)
        try b.set(.integer(2), forKey: "4")
        try b.set(.integer(2), forKey: "9")
        for store in [a, b] { try store.close() }
        try fixture.execute("a", "DELETE FROM log WHERE id = 8")
        try fixture.execute("b", "DELETE FROM log WHERE id = 1")
        let store = try fixture.store(nil)
        let seen = try store.seenRows()
        #expect(store.devices.map(\.state) == [.incomplete, .incomplete])
        // Rows of b wait for a missing one, so they prove nothing yet.
        let entry = seen.entry(of: seen.devices[1], about: seen.devices[0])
        #expect(entry.newest == nil && entry.rowsBehind == 7)
        try fixture.execute(
            "b", "INSERT INTO log SELECT 1, timestamp, '4', value, NULL, NULL FROM log LIMIT 1")
        let other = try fixture.store(nil).seenRows().entry(
            of: seen.devices[1], about: seen.devices[0])
        // The row that b had seen has not arrived.
        #expect(other.newest != nil && other.rowsBehind == 0)
    }

    @Test func damagedLogLeavesTheProofsOfOthers() throws {
        let fixture = try StoreFixture()
        for round in 0..<4 {
            for device in ["a", "b"] {
                fixture.clock.advance(microseconds: 1_000_000)
                let store = try fixture.store(device)
                for key in 0..<60 {
                    try store.set(.string("\(device) \(round)"), forKey: "\(key)")
                }
                try store.close()
            }
        }
        let path = fixture.logPath("a")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let intact = try fixture.store(nil).seenRows()
        let (a, b) = (intact.devices[0], intact.devices[1])
        var (complete, partial) = (0, 0)
        for seed in seeds(40) {
            var random = SeededRandom(seed: seed)
            var file = whole
            let place = Int.random(in: 4_096..<whole.count - 600, using: &random)
            for index in place..<place + 600 {
                file[index] = UInt8.random(in: 0...255, using: &random)
            }
            try file.write(to: URL(fileURLWithPath: path))
            let seen = try fixture.store(nil).seenRows()
            let ofB = seen.entry(of: b, about: a)
            #expect(ofB.newest == intact.entry(of: b, about: a).newest, "seed \(seed)")
            #expect(ofB.rowsBehind <= intact.entry(of: b, about: a).rowsBehind, "seed \(seed)")
            let ofA = seen.entry(of: a, about: b)
            #expect(
                ofA.rowsBehind >= intact.entry(of: a, about: b).rowsBehind, "seed \(seed)")
            if ofA == intact.entry(of: a, about: b) { complete += 1 } else { partial += 1 }
        }
        #expect(complete > 0 && partial > 0)
    }

    @Test func unsavedRowsCountAsSeen() throws {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        try a.set(.integer(1), forKey: "key")
        try a.close()
        let b = try fixture.store("b")
        try b.set(.integer(2), forKey: "key")
        let seen = try b.seenRows()
        #expect(seen.entry(of: seen.devices[1], about: seen.devices[0]).rowsBehind == 0)
        #expect(!b.hasUnsavedChanges)
    }
}

extension Timestamp {
    fileprivate func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(microseconds: microseconds + seconds * 1_000_000)
    }
}
