import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Compares the number of conflicts, from memory, with the list of conflicts, from the logs.
@Suite struct ConflictListingTests {
    /// A package of devices that wrote to many keys and occasionally saw each other's rows.
    static func history(
        _ seed: UInt64, mixed: Bool
    ) throws -> (fixture: StoreFixture, live: KeyValueStore) {
        var random = SeededRandom(seed: seed)
        let fixture = try StoreFixture()
        let live = try fixture.store("reader")
        let devices = (0..<9).map { "device \($0)" }
        for device in devices where mixed && Bool.random(using: &random) {
            _ = try ParstoreFile(at: fixture.logPath(device))
        }
        var stores = try devices.map { try fixture.store($0) }
        for _ in 0..<120 {
            fixture.clock.advance(microseconds: 10)
            let index = Int.random(in: 0..<stores.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<7:
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let key = "key/\(Int.random(in: 0..<40, using: &random))"
                    let value = Int64.random(in: 0..<4, using: &random)
                    try stores[index].set(value == 0 ? nil : .integer(value), forKey: key)
                }
                try stores[index].save()
            case 7..<9: try stores[index].sync()
            default:
                try stores[index].close()
                stores[index] = try fixture.store(devices[index])
            }
            if Int.random(in: 0..<8, using: &random) == 0 { try live.sync() }
        }
        for store in stores { try store.close() }
        try live.sync()
        return (fixture, live)
    }

    /// The newest common ancestor of all heads, determined from the parents of each row.
    static func base(_ conflict: KeyValueStore.Conflict, _ rows: [LogRow]) -> LogRow? {
        let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.reference, $0) })
        func ancestors(_ row: LogRow) -> Set<LogRow.Reference> {
            var found: Set<LogRow.Reference> = []
            var waiting = [row]
            while let next = waiting.popLast() {
                guard found.insert(next.reference).inserted else { continue }
                waiting += (next.parents ?? []).compactMap { byName[$0] }
                let before = rows.last { $0.device == next.device && $0.position < next.position }
                if let before { waiting.append(before) }
            }
            return found
        }
        let common = ([conflict.winner] + conflict.others).map(ancestors)
            .reduce(nil) { $0?.intersection($1) ?? $1 }
        return rows.last { common?.contains($0.reference) ?? false }
    }

    @Test(arguments: [false, true])
    func countsMatchListings(_ mixed: Bool) throws {
        for seed in seeds(6) {
            let (fixture, live) = try Self.history(seed, mixed: mixed)
            for store in [live, try fixture.store(nil)] {
                let listed = try store.conflicts()
                #expect(listed.count == store.conflictCount, "seed \(seed)")
                #expect(listed.map(\.key) == store.conflictKeys, "seed \(seed)")
                #expect(listed.count > 3, "seed \(seed)")
                #expect(listed.map(\.key) == listed.map(\.key).sorted { Name($0) < Name($1) })
                for conflict in listed {
                    let rows = try store.rows(forKey: conflict.key)
                    let heads = [conflict.winner] + conflict.others
                    #expect(conflict.unread.isEmpty && heads.allSatisfy { rows.contains($0) })
                    #expect(heads.map(\.device) == conflict.devices, "seed \(seed)")
                    #expect(conflict.winner == rows.last, "seed \(seed)")
                    let values = try heads.map { try $0.value() }
                    #expect(Set(values).count > 1, "seed \(seed), \(conflict.key)")
                    #expect(conflict.base.map { rows.contains($0) } ?? true)
                    let alone = try #require(try store.conflict(forKey: conflict.key))
                    #expect(alone.winner == conflict.winner && alone.others == conflict.others)
                    #expect(alone.base == conflict.base && alone.devices == conflict.devices)
                    guard !mixed else { continue }
                    #expect(conflict.base == Self.base(conflict, rows), "seed \(seed)")
                }
                // The remaining keys aren't in conflict.
                for key in store.keys where !store.conflictKeys.contains(key) {
                    #expect(try store.conflict(forKey: key) == nil)
                    #expect(store.entry(forKey: key)?.isConflict == false)
                }
            }
        }
    }

    @Test func currentListMatchesTheListOfTheLastInstant() throws {
        let (fixture, _) = try Self.history(99, mixed: false)
        let store = try fixture.store(nil)
        let now = try store.conflicts()
        let then = try store.conflicts(at: .latest)
        #expect(then.map(\.key) == now.map(\.key))
        for (lhs, rhs) in zip(now, then) {
            #expect(lhs.winner == rhs.winner && lhs.others == rhs.others && lhs.base == rhs.base)
        }
    }

    /// a: base ─ 1 ─ 2 ─ 3 ─ 4      the base is far behind the head of its log
    ///      └── b: side
    @Test(arguments: [20, 3_000, 50_000])
    func sidesAndBasesAreCompleteAnywhereInTheirLogs(_ length: Int) throws {
        func text(_ name: String) -> PropertyList {
            .string(name + String(repeating: ".", count: length))
        }
        let fixture = try StoreFixture()
        let (a, b) = (try fixture.store("a"), try fixture.store("b"))
        try a.set(text("base"), forKey: "far")
        try a.set(text("base"), forKey: "near")
        try a.save()
        try b.sync()
        fixture.clock.advance(microseconds: 10)
        for number in 1...4 { try a.set(text("\(number)"), forKey: "far") }
        try a.set(text("4"), forKey: "near")
        try a.save()
        fixture.clock.advance(microseconds: 1_000)
        for key in ["far", "near"] { try b.set(text("side"), forKey: key) }
        try b.save()
        let reader = try fixture.store(nil)
        let now = try reader.conflicts()
        for conflicts in [now, try reader.conflicts(at: .latest)] {
            #expect(conflicts.map(\.key) == ["far", "near"])
            for conflict in conflicts {
                #expect(try conflict.winner.value() == text("side"))
                #expect(try conflict.others.map { try $0.value() } == [text("4")])
                #expect(try conflict.base?.value() == text("base"))
                let rows = try reader.rows(forKey: conflict.key)
                #expect(conflict.rows.allSatisfy(rows.contains))
            }
        }
    }
}
