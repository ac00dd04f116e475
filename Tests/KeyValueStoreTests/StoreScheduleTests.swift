import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Devices that edit copies of a package, which are exchanged in random order.
@Suite struct StoreScheduleTests {
    final class Device {
        let name: String
        let fixture: StoreFixture
        var store: KeyValueStore

        init(_ name: String, isParstore: Bool) throws {
            self.name = name
            fixture = try StoreFixture()
            if isParstore { _ = try ParstoreFile(at: fixture.logPath(name)) }
            store = try fixture.store(name)
        }

        func reopen() throws {
            try store.close()
            store = try fixture.store(name)
        }
    }

    enum Forms: CaseIterable {
        case tideline2, parstore1, mixed
    }

    @Test(arguments: Forms.allCases)
    func devicesAgreeInAnyOrderOfCopies(_ forms: Forms) throws {
        let count = runCount(24)
        for seed in 0..<UInt64(forms == .tideline2 ? count : max(1, count / 3)) {
            do {
                try run(seed, forms)
            } catch {
                Issue.record("seed \(seed), \(forms): \(error)")
            }
        }
    }

    /// Some devices write with times from the future, up to the last instant that rows can have.
    @Test func devicesAgreeOnRowsFromTheFuture() throws {
        for seed in seeds(60) {
            do {
                try run(seed, .tideline2, areSomeAhead: true)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    func run(_ seed: UInt64, _ forms: Forms, areSomeAhead: Bool = false) throws {
        var random = SeededRandom(seed: seed)
        let names = ["ann", "bob", "cat", "dan"]
        let devices = try names.map { name in
            try Device(
                name,
                isParstore: forms == .parstore1
                    || forms == .mixed && Bool.random(using: &random))
        }
        for device in devices {
            let hours = Int64.random(in: -12...12, using: &random) * 3_600_000_000
            device.fixture.clock.advance(microseconds: hours)
        }
        let ahead = areSomeAhead ? devices.prefix(Int.random(in: 1...2, using: &random)) : []
        for device in ahead {
            let now = device.fixture.clock.now.microseconds
            let times = [
                Timestamp.latest.microseconds, Timestamp.latest.microseconds - 1,
                Timestamp.lastDay.microseconds, now + 400 * 86_400_000_000,
            ]
            device.fixture.clock.set(
                Timestamp(microseconds: times.randomElement(using: &random) ?? now))
        }
        let keys = ["one", "two", "drei"].prefix(Int.random(in: 1...3, using: &random))
        for _ in 0..<Int.random(in: 4...24, using: &random) {
            let device = devices[Int.random(in: 0..<4, using: &random)]
            if !ahead.contains(where: { $0 === device }) {
                device.fixture.clock.advance(microseconds: Int64.random(in: 0...2, using: &random))
            }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                try edit(device, keys.randomElement(using: &random) ?? "one", &random, seed)
            case 4..<6: try device.store.save()
            case 6: try device.reopen()
            default:
                let from = devices[Int.random(in: 0..<4, using: &random)]
                try carry(names.randomElement(using: &random) ?? "ann", from, device)
                try device.store.sync()
            }
        }
        for device in devices { try device.store.save() }
        for from in devices.shuffled(using: &random) {
            for to in devices.shuffled(using: &random) {
                try carry(from.name, from, to)
                if Bool.random(using: &random) { try to.store.sync() }
            }
        }
        try compare(devices, seed, forms, areSomeAhead: areSomeAhead)
        for device in devices { try device.store.close() }
    }

    func edit(
        _ device: Device, _ key: String, _ random: inout SeededRandom, _ seed: UInt64
    ) throws {
        let isConflict = device.store.conflictKeys.contains(key)
        if isConflict, Bool.random(using: &random) {
            try device.store.resolve(key, with: .integer(Int64.random(in: 0..<5, using: &random)))
            #expect(!device.store.conflictKeys.contains(key), "seed \(seed)")
        } else if Int.random(in: 0..<5, using: &random) == 0 {
            try device.store.removeValue(forKey: key)
            #expect(device.store[key] == nil, "seed \(seed)")
        } else {
            let value = PropertyList.integer(Int64.random(in: 0..<5, using: &random))
            try device.store.set(value, forKey: key)
            #expect(device.store[key] == value, "a write after seeing a value wins; seed \(seed)")
        }
    }

    /// Copies one device's log to another device if it is newer, as a whole, as services do.
    func carry(_ log: String, _ from: Device, _ to: Device) throws {
        guard from.name != to.name, log != to.name else { return }
        let source = URL(fileURLWithPath: from.fixture.logPath(log))
        let target = URL(fileURLWithPath: to.fixture.logPath(log))
        guard let new = try? Data(contentsOf: source) else { return }
        if let old = try? Data(contentsOf: target), Self.counter(old) >= Self.counter(new) {
            return
        }
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try new.write(to: target, options: .atomic)
    }

    /// SQLite's change counter, which shows which of two copies is the newer one.
    static func counter(_ file: Data) -> UInt32 {
        file.dropFirst(24).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func compare(
        _ devices: [Device], _ seed: UInt64, _ forms: Forms, areSomeAhead: Bool
    ) throws {
        for device in devices { try device.store.sync() }
        let first = devices[0]
        // On the last day that rows can have, causes decide, not only times.
        let expected = try areSomeAhead ? first.store.everything : newestRows(first)
        let heads = try describe(first.store)
        for device in devices {
            #expect(device.store.everything == expected, "\(device.name), seed \(seed), \(forms)")
            #expect(
                try describe(device.store) == heads, "\(device.name), seed \(seed), \(forms)")
            try device.reopen()
            #expect(device.store.everything == expected, "reopened \(device.name), seed \(seed)")
            #expect(
                try describe(device.store) == heads, "reopened \(device.name), seed \(seed)")
        }
    }

    func describe(_ store: KeyValueStore) throws -> [String: [LogRow.Reference]] {
        var result: [String: [LogRow.Reference]] = [:]
        for conflict in try store.conflicts() {
            result[conflict.key] = ([conflict.winner] + conflict.others).map(\.reference)
        }
        return result
    }

    /// The dictionary by definition: the newest row of each key.
    func newestRows(_ device: Device) throws -> [Name: PropertyList] {
        var result: [Name: PropertyList] = [:]
        for row in try device.store.rows(since: nil) { result[row.key] = try row.value() }
        return result
    }
}
