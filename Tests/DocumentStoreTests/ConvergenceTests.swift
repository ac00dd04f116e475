import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// Devices that edit offline, files that arrive in any order, and chunks combined at any moment:
/// all devices reach the same state, and no change is lost.
///
/// Set `TIDELINE_RUNS=2000` for the full number of schedules.
@Suite struct ConvergenceTests {
    private static let names = ["anna", "ben", "cleo"]

    @Test func devicesAgreeWhateverTheOrderOfArrival() throws {
        for run in 0..<runCount(12) {
            try schedule(seed: UInt64(run) &* 7_919 &+ 3)
        }
    }

    @Test(arguments: [Timestamp.latest, .lastDay])
    func devicesAgreeIfOneClockIsAtTheEndOfTime(_ end: Timestamp) throws {
        for run in 0..<runCount(6) {
            try schedule(seed: UInt64(run) &* 7_919 &+ 5, ahead: ["anna": TestClock(end)])
        }
    }

    /// - Parameter ahead: The clocks of devices whose times are from the future.
    private func schedule(seed: UInt64, ahead: [String: TestClock] = [:]) throws {
        var random = SeededRandom(seed: seed)
        let devices = try Devices()
        devices.clocks = ahead
        var stores: [String: AutomergeStore] = [:]
        for name in Self.names { stores[name] = try devices.open(name) }
        let first = try #require(stores["anna"])
        var ids = [try first.newWorkspace(named: "shared").id]
        ids.append(try first.newDocument(in: ids[0]).id)
        // All stored changes, and the documents that each device keeps open.
        var made: [UUID: Set<ChangeHash>] = [:]
        var held: [String: [UUID: AutomergeStore.Document]] = [:]
        for _ in 0..<Int.random(in: 10...50, using: &random) {
            let name = Self.names.randomElement(using: &random) ?? ""
            let store = try #require(stores[name])
            let id = ids.randomElement(using: &random) ?? ids[0]
            devices.clock.advance(microseconds: .random(in: 0...2_000_000, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                guard let document = try? store.openDocument(id) else { continue }
                held[name, default: [:]][id] = document
                try edit(document, by: name, &random)
            case 4:
                try store.save()
                for (id, document) in held[name] ?? [:] {
                    made[id, default: []].formUnion(document.automerge.getHistory())
                }
            case 5: _ = try? store.compact(id)
            case 6:
                // Carries the file of one device as a whole, whatever other files the target has.
                let source = Self.names.randomElement(using: &random) ?? ""
                let target = Self.names.randomElement(using: &random) ?? ""
                if source != target { try devices.carry(from: source, to: target) }
            case 7: try store.sync()
            case 8: held[name]?[id] = nil
            default:
                // The program ends and starts again with everything it had stored.
                try store.save()
                for (id, document) in held[name] ?? [:] {
                    made[id, default: []].formUnion(document.automerge.getHistory())
                }
                held[name] = nil
                try store.close()
                stores[name] = try devices.open(name)
            }
        }
        try settle(devices, stores)
        for id in ids {
            var heads: Set<Set<ChangeHash>> = []
            for name in Self.names {
                let document = try #require(try stores[name]?.openDocument(id))
                heads.insert(document.automerge.heads())
                let lost = (made[id] ?? []).subtracting(document.automerge.getHistory())
                #expect(lost.isEmpty, "seed \(seed), \(name)")
                #expect(stores[name]?.problems(of: id)?.isEmpty == true, "seed \(seed), \(name)")
            }
            #expect(heads.count == 1, "seed \(seed)")
            // The stored state equals the state in memory.
            for name in Self.names {
                let again = try devices.open(name, writes: false)
                let document = try #require(try again.openDocument(id))
                #expect(heads.contains(document.automerge.heads()), "seed \(seed), \(name)")
            }
        }
        for store in stores.values { try store.close() }
    }

    private func settle(_ devices: Devices, _ stores: [String: AutomergeStore]) throws {
        for store in stores.values { try store.save() }
        for source in Self.names {
            for target in Self.names where source != target {
                try devices.carry(from: source, to: target)
            }
        }
        for store in stores.values { try store.sync() }
    }

    private func edit(
        _ document: AutomergeStore.Document, by name: String, _ random: inout SeededRandom
    ) throws {
        let automerge = document.automerge
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            try document.put(
                "key \(Int.random(in: 0..<4, using: &random))",
                .String("\(name) \(Int.random(in: 0..<100, using: &random))"))
        case 1:
            let key = "counter of \(name)"
            if try document.get(key) == nil { try document.put(key, .Counter(0)) }
            try automerge.increment(obj: .ROOT, key: key, by: 1)
        default:
            var text = ObjId.ROOT
            if case .Object(let found, .Text)? = try document.get("text") {
                text = found
            } else {
                text = try automerge.putObject(obj: .ROOT, key: "text", ty: .Text)
            }
            let length = automerge.length(obj: text)
            try automerge.spliceText(
                obj: text, start: .random(in: 0...length, using: &random), delete: 0,
                value: "\(name) ")
        }
        automerge.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: 0))
    }
}
