import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Differences between the keys of two stores, and of one store at two instants.
@Suite struct KeyComparisonTests {
    @Test(.timeLimit(.minutes(30)))
    func differencesOfRandomStoresMatchAPlainModel() throws {
        // 1,020 comparisons.
        for seed in 0..<60 {
            let pair = try RandomKeyPair(seed: UInt64(seed))
            let instants = pair.randomInstants
            var times: [(Timestamp?, Timestamp?)] = [(nil, nil)]
            for (old, new) in zip(instants, instants.reversed()) {
                times += [(old, nil), (old, new)]
            }
            for (old, new) in times {
                let found = try pair.compared(old, new)
                let expected = try pair.expected(old, new).map(\.line)
                try #require(found == expected, "seed \(seed)")
            }
        }
    }

    @Test func storeEqualsItself() throws {
        let shared = try SharedPackage()
        #expect(try compared(shared.path, shared.path).isEmpty)
    }

    @Test func valuesOfAllTypesAreCompared() throws {
        let shared = try SharedPackage()
        let values: [Name: PropertyList] = [
            "text": "Grüße, 世界 שלום 🇫🇷", "integer": .integer(-5),
            "unsigned": .unsigned(.max), "real": .real(1), "nan": .real(.nan),
            "boolean": .boolean(true), "date": .date(Date(timeIntervalSince1970: 0.5)),
            "data": .data(Data([0, 255])), "list": .array([1, "a"]),
            "map": .dictionary(["a": .array([])]), "Ключ/é": "x",
        ]
        try shared.write("anna", values)
        let copy = shared.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: shared.path, toPath: copy)
        #expect(try compared(shared.path, copy).isEmpty)

        let other: [Name: PropertyList] = values.mapValues { value in
            switch value {
            case .real: .integer(1)
            case .integer: .string("-5")
            default: .array([value])
            }
        }
        try shared.write("ben", other)
        let found = try compared(copy, shared.path)
        #expect(found.count == values.count)
        for difference in found {
            let key = try #require(difference.subject.names.first?.text)
            #expect(difference.change == .changed)
            let (old, new) = (try #require(values[Name(key)]), try #require(other[Name(key)]))
            #expect(difference.from.value?.json == .verbatim(try old.json()))
            #expect(difference.to.value?.json == .verbatim(try new.json()))
            #expect(difference.from.device?.name == "anna")
            #expect(difference.to.device?.name == "ben")
        }
    }

    @Test func equalValuesInAnotherEncodingAreNotADifference() throws {
        let shared = try SharedPackage(hasStory: false)
        let keys = (0..<8).map { "key \($0)" }
        let members = Dictionary(keys.map { (Name($0), PropertyList.integer(1)) }) { $1 }
        try shared.write("anna", ["k": .dictionary(members)])
        let copy = shared.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: shared.path, toPath: copy)
        // Foundation writes the members of a dictionary in another order.
        let bytes = try PropertyListSerialization.data(
            fromPropertyList: Dictionary(keys.map { ($0, 1) }) { $1 }, format: .binary, options: 0)
        let queue = try DatabaseQueue(path: "\(copy)/Devices/anna/Logs.db")
        try queue.write { try $0.execute(sql: "UPDATE log SET value = ?", arguments: [bytes]) }
        try queue.close()
        #expect(try compared(shared.path, copy).isEmpty)
    }

    @Test func rowThatACopyLacksHasNotArrived() throws {
        let shared = try SharedPackage()
        let copy = shared.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: shared.path, toPath: copy)
        try shared.write("ben", ["note/1/title": "newer", "note/4/new": nil, "note/9": "x"])
        let found = try compared(shared.path, copy)
        #expect(found.map { $0.subject.names[0].text } == ["note/1/title", "note/4/new", "note/9"])
        #expect(found.allSatisfy { $0.change == .notArrived })
        // From the point of view of the copy, they are ordinary changes.
        #expect(try compared(copy, shared.path).map(\.change) == [.changed, .removed, .added])
    }

    @Test func laterRowOfTheOtherSideIsAChange() throws {
        let shared = try SharedPackage()
        let copy = shared.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: shared.path, toPath: copy)
        try shared.write("ben", ["note/1/title": "newer"])
        let cleo = try SharedPackage.store("cleo", StorePackage(opening: copy), shared.clock)
        try cleo.load()
        shared.clock.advance(microseconds: 1_000_000)
        try cleo.set("newest", forKey: "note/1/title")
        try cleo.save()
        let found = try compared(shared.path, copy)
        #expect(found.map(\.change) == [.changed])
        #expect(found.first?.to.device?.name == "cleo")
    }

    @Test func prefixSelectsKeysByTheirBytes() throws {
        let shared = try SharedPackage()
        try shared.write("ben", ["note/1/a": "x", "note/2/a": "x", "NOTE/1/a": "x"])
        let empty = try SharedPackage(hasStory: false)
        let found = try compared(empty.path, shared.path, prefix: "note/1/")
        #expect(
            found.map { $0.subject.names[0].text }
                == ["note/1/a", "note/1/count", "note/1/due", "note/1/title"])
    }

    @Test func unreadableLogIsReportedAndTheOthersAreCompared() throws {
        let shared = try SharedPackage()
        let copy = shared.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: shared.path, toPath: copy)
        let from = try opened(shared.path)
        let to = try opened(copy)
        try Data(repeating: 0, count: 100).write(to: URL(filePath: "\(copy)/Devices/ben/Logs.db"))
        try to.sync()
        var problems: [String] = []
        var found: [String] = []
        try KeyComparison(
            from: .init(from, at: shared.instants[0]), to: .init(to, at: shared.instants[4])
        ).forEach {
            found.append("\($0.change) \($0.subject.names[0].text)")
        } warn: {
            problems.append("\($0) \($1)")
        }
        // ben's values still win, so they are in memory.
        #expect(
            found == [
                "changed note/1/due", "changed note/1/title", "removed note/2/ratio",
            ])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("to the log of ben ") == true)
    }

    private func opened(_ path: String) throws -> KeyValueStore {
        let store = KeyValueStore(package: try StorePackage(opening: path), device: nil)
        try store.load()
        return store
    }

    private func compared(
        _ from: String, _ to: String, prefix: String = ""
    ) throws -> [StoreDifference] {
        var found: [StoreDifference] = []
        try KeyComparison(
            from: .init(opened(from)), to: .init(opened(to)), prefix: prefix
        ).forEach {
            found.append($0)
        } warn: {
            Issue.record("\($0): \($1)")
        }
        return found
    }
}

/// Two packages with some of the rows that three devices wrote, and a plain model of both.
private struct RandomKeyPair {
    struct Row {
        let key: String
        let value: PropertyList?
        let device: String
        let timestamp: Timestamp
    }

    private let folder: TemporaryFolder
    private var rows: [Row] = []
    /// The number of rows of each device that each side has.
    private var known: [[String: Int]] = [[:], [:]]
    private let stores: [KeyValueStore]
    /// The times of eight rows.
    let randomInstants: [Timestamp]

    private static let devices = ["anna", "ben", "cleo"]
    private static let keys = ["a", "b/1", "b/2", "B/1", "é", "e\u{301}", "日本", "z", "🙂", ""]
    private static let values: [PropertyList?] = [
        nil, nil, "", "x", "Привет", .integer(1), .real(1), .boolean(true), .boolean(false),
        .unsigned(.max), .data(Data([1])), .array(["x"]), .dictionary(["x": 1]),
    ]

    init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        self.folder = folder
        let clock = TestClock(Timestamp(microseconds: 700_000_000_000_000))
        let whole = try StorePackage(creating: folder.appending("Whole.store"))
        let sides = try ["A", "B"].map {
            try StorePackage(creating: folder.appending("\($0).store"))
        }
        var writers: [String: KeyValueStore] = [:]
        for device in Self.devices {
            writers[device] = try SharedPackage.store(device, whole, clock)
            try writers[device]?.load()
        }
        var counts: [String: Int] = [:]
        for _ in 0..<Int.random(in: 0...24, using: &random) {
            let device = Self.devices.randomElement(using: &random) ?? "anna"
            var change: [Name: PropertyList?] = [:]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let key = Self.keys.randomElement(using: &random) ?? "a"
                change[Name(key)] = Self.values.randomElement(using: &random) ?? nil
            }
            clock.advance(microseconds: Int64.random(in: 1...1_000, using: &random))
            let writer = try #require(writers[device])
            let time = try #require(try writer.set(contentsOf: change))
            try writer.save()
            for (key, value) in change {
                rows.append(Row(key: key.text, value: value, device: device, timestamp: time))
            }
            counts[device, default: 0] += change.count
            // A device's log arrives on none, one or both sides.
            for side in 0..<2 where Bool.random(using: &random) {
                let log = "\(whole.path)/Devices/\(device)"
                let copy = "\(sides[side].path)/Devices/\(device)"
                try? FileManager.default.removeItem(atPath: copy)
                try FileManager.default.copyItem(atPath: log, toPath: copy)
                known[side][device] = counts[device]
            }
        }
        let written = rows.map(\.timestamp)
        randomInstants = (0..<8).map { _ in
            written.randomElement(using: &random) ?? Timestamp(microseconds: 0)
        }
        stores = try sides.map { package in
            let store = KeyValueStore(package: package, device: nil)
            try store.load()
            return store
        }
    }

    func compared(_ old: Timestamp?, _ new: Timestamp?) throws -> [String] {
        var found: [String] = []
        try KeyComparison(from: .init(stores[0], at: old), to: .init(stores[1], at: new)).forEach {
            found.append($0.json.line)
        } warn: {
            Issue.record("\($0): \($1)")
        }
        return found
    }

    /// The rows that have arrived on a side, up to an instant.
    private func arrived(_ side: Int, _ instant: Timestamp? = nil) -> [Row] {
        Self.devices.flatMap { device in
            rows.filter { $0.device == device }.prefix(known[side][device] ?? 0)
        }.filter { row in instant.map { row.timestamp <= $0 } ?? true }
    }

    /// The newest row of each key.
    private func winners(_ rows: [Row]) -> [Name: Row] {
        var winners: [Name: Row] = [:]
        for row in rows {
            guard let winner = winners[Name(row.key)] else {
                winners[Name(row.key)] = row
                continue
            }
            if (winner.timestamp, winner.device) < (row.timestamp, row.device) {
                winners[Name(row.key)] = row
            }
        }
        return winners
    }

    func expected(_ old: Timestamp?, _ new: Timestamp?) throws -> [JSONValue] {
        let (before, after) = (winners(arrived(0, old)), winners(arrived(1, new)))
        return try Set(before.keys).union(after.keys).sorted().compactMap { key in
            let (from, to) = (before[key], after[key])
            guard from?.value != to?.value else { return nil }
            var isLate = false
            if let from, new.map({ from.timestamp <= $0 }) ?? true {
                let isNewer = to.map { ($0.timestamp, $0.device) < (from.timestamp, from.device) }
                let isPastTheEnd = !arrived(1).contains {
                    $0.device == from.device && $0.timestamp >= from.timestamp
                }
                isLate = isNewer ?? true && isPastTheEnd
            }
            let change =
                isLate
                ? "notArrived"
                : from?.value == nil ? "added" : to?.value == nil ? "removed" : "changed"
            var members: [Name: JSONValue] = [
                "store": "keys", "change": .string(change), "key": .string(key.text),
                "from": try from?.value.map { .verbatim(try $0.json()) } ?? .null,
                "to": try to?.value.map { .verbatim(try $0.json()) } ?? .null,
            ]
            if let from { members["fromDevice"] = .string(from.device) }
            if let to { members["toDevice"] = .string(to.device) }
            return .object(members)
        }
    }
}
