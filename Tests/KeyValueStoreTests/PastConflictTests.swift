import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Conflicts as of an instant, and conflicts with unreadable logs.
@Suite struct PastConflictTests {
    private struct Moment {
        let instant: Timestamp
        let conflicts: [String]
        let heads: [[LogRow.Reference]]
        let bases: [LogRow.Reference?]
        let winners: [PropertyList?]
    }

    /// A random history of three devices, compared with a store that was read after each write. In
    /// every other run, one device writes PARStore 1's format.
    @Test(arguments: seedHands(6))
    func pastConflictsMatchThoseSeenAtTheTime(_ seeds: [UInt64]) throws {
        for seed in seeds { try play(seed) }
    }

    private func play(_ run: UInt64) throws {
        var random = SeededRandom(seed: run)
        let fixture = try StoreFixture()
        let template = try ParstoreFile(at: fixture.logPath("0"))
        #expect(FileManager.default.fileExists(atPath: template.path))
        let devices = try ["a", "b", "c"].map { name in
            try fixture.store(name) {
                $0.format = name == "b" && run % 2 == 1 ? .parstore1 : .tideline2
            }
        }
        let reader = try fixture.store(nil)
        var seen: [Moment] = []
        for step in 0..<25 {
            fixture.clock.advance(microseconds: 1000)
            let device = devices[Int.random(in: 0..<3, using: &random)]
            if Bool.random(using: &random) { try device.sync() }
            let key = "k\(Int.random(in: 0..<3, using: &random))"
            let value: PropertyList? =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: nil
                case 1: "same"
                default: .integer(Int64(step))
                }
            try device.set(value, forKey: key)
            try device.save()
            try reader.sync()
            let conflicts = try reader.conflicts()
            seen.append(
                Moment(
                    instant: fixture.clock.now, conflicts: reader.conflictKeys,
                    heads: conflicts.map { ([$0.winner] + $0.others).map(\.reference) },
                    bases: conflicts.map(\.base?.reference),
                    winners: try conflicts.map { try $0.winner.value() }))
        }
        for moment in seen {
            let comment: Comment = "seed \(run), \(moment.instant)"
            #expect(try reader.conflictKeys(at: moment.instant) == moment.conflicts, comment)
            let past = try reader.conflicts(at: moment.instant)
            #expect(past.map(\.key) == moment.conflicts, comment)
            #expect(
                past.map { ([$0.winner] + $0.others).map(\.reference) } == moment.heads, comment)
            #expect(past.map(\.base?.reference) == moment.bases, comment)
            #expect(try past.map { try $0.winner.value() } == moment.winners, comment)
        }
        #expect(seen.contains { !$0.conflicts.isEmpty }, "seed \(run)")
        let now = try #require(seen.last)
        #expect(try reader.conflictKeys(at: .distantFuture) == now.conflicts)
        #expect(try reader.conflictKeys(at: .distantPast).isEmpty)
        let one = ["k1", "nobody wrote this"]
        #expect(
            try reader.conflictKeys(at: now.instant, among: one)
                == now.conflicts.filter(one.contains))
    }

    /// Two devices that wrote a key concurrently; `b` wins.
    private func disagreeing() throws -> StoreFixture {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        for (store, value) in [(a, "a's"), (b, "b's")] {
            fixture.clock.advance(microseconds: 1000)
            try store.set(.string(value), forKey: "k")
            try store.close()
        }
        return fixture
    }

    @Test(arguments: ["a", "b"])
    func unreadableLogDoesNotHideConflicts(_ broken: String) throws {
        let fixture = try disagreeing()
        let reader = try fixture.store("c")
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: fixture.logPath(broken)))
        let conflict = try #require(try reader.conflicts().first)
        #expect(try conflict.winner.value() == "b's", "memory has the winner's value")
        #expect(conflict.others.map(\.device.name) == (broken == "a" ? [] : ["a"]))
        #expect(conflict.devices.map(\.name) == ["b", "a"])
        #expect(conflict.unread.keys.map(\.name) == [broken])
        if broken == "a" {
            #expect(throws: ReplicationError.self) {
                try reader.resolve("k", taking: DeviceID("a"))
            }
        }
        // The winner's value is in memory.
        try reader.resolve("k", taking: DeviceID("b"))
        #expect(reader.conflictCount == 0)
    }

    @Test func changesIndicateNewKeys() async throws {
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        var own = a.events().makeAsyncIterator()
        var foreign = b.events().makeAsyncIterator()
        func news(
            _ events: inout AsyncStream<KeyValueStore.Event>.Iterator
        ) async -> [Name: Bool]? {
            while let event = await events.next(isolation: nil) {
                switch event.kind {
                case .changed(let changes): return changes.byKey.mapValues(\.isNew)
                case .synced(let sync): return sync.changes.byKey.mapValues(\.isNew)
                default: continue
                }
            }
            return nil
        }
        for (values, expected) in [
            (["x": "1", "y": "1"], ["x": true, "y": true]),
            (["x": nil, "z": "1"], ["x": false, "z": true]),
            (["x": "2", "y": "2"], ["x": true, "y": false]),
        ] as [([Name: PropertyList?], [Name: Bool])] {
            try a.set(contentsOf: values)
            try await a.save()
            try await b.sync()
            #expect(await news(&own) == expected)
            #expect(await news(&foreign) == expected)
        }
        try a.transaction { transaction in
            try transaction.set("1", forKey: "t")
            try transaction.set("2", forKey: "t")
        }
        #expect(await news(&own) == ["t": true])
    }

    @Test func bulkSetIsRefusedIfOneKeyChanged() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set("1", forKey: "x")
        let seen = store.newestTimestamp(forKey: "x")
        try store.set(contentsOf: ["x": "2", "y": "2"], ifNewestAre: ["x": seen, "y": nil])
        #expect(throws: KeyValueError.self) {
            try store.set(contentsOf: ["x": "3", "z": "3"], ifNewestAre: ["x": seen])
        }
        #expect(store.dictionary() == ["x": "2", "y": "2"])
    }
}
