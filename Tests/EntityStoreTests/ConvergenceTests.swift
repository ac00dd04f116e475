import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// Devices that write concurrently, with clocks hours apart, and receive each other's logs in any
/// order. Some run two processes, which also read each other's rows late.
@Suite struct ConvergenceTests {
    /// The log of a device.
    private struct Log {
        let id: DeviceID
        var encoder = RowEncoder()
        var last = Timestamp.distantPast
        var batches: [EntityRowBatch] = []
    }

    /// A process of a device: its merged rows, and how much of each log it has read.
    private struct Process {
        let own: Int
        let skew: Int64
        var graph = EntityGraph()
        var heard: [Int]
    }

    private struct World {
        var logs: [Log]
        var processes: [Process]

        /// - Parameter processes: The device of each process and how far its clock is ahead.
        init(_ processes: [(own: Int, skew: Int64)]) throws {
            let count = (processes.map(\.own).max() ?? 0) + 1
            logs = try (0..<count).map { Log(id: try DeviceID("device-\($0)")) }
            self.processes = processes.map {
                Process(
                    own: $0.own, skew: $0.skew, heard: [Int](repeating: 0, count: count))
            }
        }

        /// Writes the draft of a process. The process reads the rows of its device's other
        /// processes only at that moment.
        mutating func write(_ draft: WriteDraft, as number: Int, now: Int64) throws {
            guard !draft.operations.isEmpty else { return }
            let own = processes[number].own
            while try hear(number, own) {}
            let wall = Timestamp(microseconds: now + processes[number].skew)
            let seen = Timestamp(microseconds: draft.seen.newest)
            let time = min(max(wall, max(seen, logs[own].last).successor), .latest)
            logs[own].last = time
            logs[own].batches.append(
                try logs[own].encoder.encode(
                    draft.operations, device: logs[own].id, timestamp: time))
            try hear(number, own)
        }

        /// Applies the next batch of a log to a process.
        ///
        /// - Returns: Whether there was one.
        @discardableResult
        mutating func hear(_ number: Int, _ log: Int) throws -> Bool {
            let place = processes[number].heard[log]
            guard place < logs[log].batches.count else { return false }
            try processes[number].graph.ingest(logs[log].batches[place])
            processes[number].graph.applyPending()
            processes[number].heard[log] += 1
            return true
        }

        mutating func act(
            as number: Int, now: Int64,
            _ body: (inout WriteDraft, inout EntityGraph) throws -> Void
        ) throws {
            var draft = WriteDraft()
            try body(&draft, &processes[number].graph)
            try write(draft, as: number, now: now)
        }

        mutating func exchange() throws {
            for number in processes.indices {
                for log in logs.indices { while try hear(number, log) {} }
            }
        }
    }

    /// The entities and keys that are written. The fewer there are, the more writes each property
    /// gets.
    private struct Scope {
        let names: ArraySlice<String>
        let keys: ArraySlice<String>
        /// Whether values are also removed and entities deleted.
        let isRemoving: Bool

        init(_ random: inout SeededRandom) {
            names = ["a", "b", "c", "d"].prefix(Int.random(in: 1...4, using: &random))
            keys = ["k", "l"].prefix(Int.random(in: 1...2, using: &random))
            isRemoving = Bool.random(using: &random)
        }
    }

    private static func act(
        _ draft: inout WriteDraft, _ graph: inout EntityGraph, _ scope: Scope,
        _ random: inout SeededRandom
    ) throws {
        guard let name = scope.names.randomElement(using: &random),
            let key = scope.keys.randomElement(using: &random)
        else { return }
        let exists = graph.find(name) != nil
        switch Int.random(in: 0..<(scope.isRemoving ? 12 : 7), using: &random) {
        case 0...2:
            let type = Bool.random(using: &random) ? "person" : "book"
            guard !exists else { return }
            try draft.create(name, type: type, in: graph)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                guard let key = scope.keys.randomElement(using: &random) else { return }
                try draft.add(property(key, &random), to: name, in: &graph)
            }
        case 3...6 where exists:
            try draft.add(
                property(key, &random), to: name, replacing: Bool.random(using: &random),
                in: &graph)
        case 7,
            8 where exists:
            guard let target = scope.names.randomElement(using: &random) else { return }
            try draft.append(
                Property(.relationship(.identifier(target))), key: "to", to: name,
                allowsMissing: true, in: &graph)
        case 9: draft.removeAll(key, of: name, in: graph)
        case 10:
            guard let node = graph.find(name) else { return }
            let slots = graph.sortedSlots(of: node)
            guard let slot = slots.randomElement(using: &random),
                let entry = graph.visibleEntries(of: slot).randomElement(using: &random)
            else { return }
            let key = graph.names[graph.slots[Int(slot)].key]
            let id = graph.id(of: graph.entries[Int(entry)])
            draft.remove([id], key: key, of: name, in: graph)
        default: draft.delete(name, in: graph)
        }
    }

    private static func property(
        _ key: String, _ random: inout SeededRandom
    ) -> PropertyDictionary {
        var property = Property(.integer(Int64.random(in: 0...9, using: &random)))
        if Int.random(in: 0..<4, using: &random) == 0 {
            let past = Int64.random(in: 0..<1000, using: &random)
            property.datestamp = Timestamp(microseconds: past)
        }
        var properties = PropertyDictionary()
        properties[key] = property
        return properties
    }

    /// - Parameter areSomeAhead: Whether some devices write with times from the future, up to the
    ///   last instant that rows can have.
    private static func schedule(_ seed: UInt64, areSomeAhead: Bool = false) throws -> World {
        var random = SeededRandom(seed: seed)
        let count = Int.random(in: 2...4, using: &random)
        var owners = Array(0..<count)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            owners.append(Int.random(in: 0..<count, using: &random))
        }
        let ahead: [Int64] = [
            Timestamp.latest.microseconds, Timestamp.latest.microseconds - 10_000,
            Timestamp.lastDay.microseconds, 400 * 86_400_000_000,
        ]
        var world = try World(
            owners.map { owner in
                let isAhead = areSomeAhead && owner < 2 && Bool.random(using: &random)
                return (
                    owner,
                    isAhead
                        ? ahead.randomElement(using: &random) ?? 0
                        : Int64.random(in: -10_000...10_000, using: &random)
                )
            })
        let scope = Scope(&random)
        var now: Int64 = 1_000_000
        for _ in 0..<Int.random(in: 5...40, using: &random) {
            now += Int64.random(in: 0...500, using: &random)
            let number = Int.random(in: 0..<owners.count, using: &random)
            if Bool.random(using: &random) {
                try world.act(as: number, now: now) { try act(&$0, &$1, scope, &random) }
            } else {
                try world.hear(number, Int.random(in: 0..<count, using: &random))
            }
        }
        // In the end every process receives all batches, each in another order.
        for number in owners.indices {
            var waiting = (0..<count).flatMap { log in
                [Int](
                    repeating: log,
                    count: world.logs[log].batches.count - world.processes[number].heard[log])
            }
            waiting.shuffle(using: &random)
            for log in waiting { try world.hear(number, log) }
        }
        return world
    }

    /// Reads logs whose copies arrive row by row, merging after each row.
    private static func read(_ logs: [Log], _ seed: UInt64) throws -> EntityGraph {
        var random = SeededRandom(seed: seed)
        var graph = EntityGraph()
        var waiting = logs.map { log in
            log.batches.flatMap { batch in
                batch.rows.enumerated().map { place, row in
                    var part = batch
                    part.rows = [row]
                    if place > 0 { part.names = [] }
                    return part
                }
            }[...]
        }
        while let place = waiting.indices.filter({ !waiting[$0].isEmpty })
            .randomElement(using: &random)
        {
            try graph.ingest(waiting[place].removeFirst())
            graph.applyPending()
        }
        return graph
    }

    /// All visible content of a graph.
    private struct View: Equatable {
        var records: [EntityRecord] = []
        var entries: [[PropertyEntry]] = []
        var outgoing: [[EntityRelation]] = []
        var incoming: [Set<EntityRelation>] = []
        var conflicts: [EntityConflict] = []

        init(_ graph: EntityGraph) {
            var graph = graph
            for node in graph.listing() {
                records.append(graph.record(of: node))
                entries.append(graph.sortedSlots(of: node).flatMap { graph.history(of: $0) })
                outgoing.append(graph.outgoing(from: node))
                incoming.append(Set(graph.incoming(to: node)))
                conflicts += graph.sortedSlots(of: node).filter(graph.conflicts.contains)
                    .map { graph.conflict(about: $0) }
            }
        }
    }

    @Test(arguments: [false, true]) func devicesAgreeInAnyOrderOfArrival(
        areSomeAhead: Bool
    ) throws {
        var entities = 0
        for seed in seeds(1_000) {
            let world = try Self.schedule(seed, areSomeAhead: areSomeAhead)
            let expected = View(world.processes[0].graph)
            entities += expected.records.count
            for (number, process) in world.processes.enumerated() {
                #expect(View(process.graph) == expected, "seed \(seed), process \(number)")
            }
            // Read the same logs again, each in its final state.
            var late = EntityGraph()
            for log in world.logs.reversed() {
                for batch in log.batches { try late.ingest(batch) }
            }
            late.applyPending()
            #expect(
                View(try Self.read(world.logs, seed)) == expected, "seed \(seed), row by row")
            #expect(View(late) == expected, "seed \(seed), read late")
        }
        #expect(entities > 0)
    }

    @Test func mergeFollowsTheRules() throws {
        var count = 0
        for seed in seeds(1_000) {
            let world = try Self.schedule(seed)
            let view = View(world.processes[0].graph)
            var rules = MergeRules()
            for log in world.logs { rules.take(log.batches) }
            #expect(
                view.records.map(\.identifier) == rules.identifiers, "seed \(seed)")
            for (record, entries) in zip(view.records, view.entries) {
                let expected = rules.visible(record.identifier)
                let found = entries.filter { !$0.isRemoved }.map(\.id)
                #expect(Set(found) == expected, "seed \(seed), \(record.identifier)")
                #expect(record.type == rules.type(record.identifier), "seed \(seed)")
                let conflicts = view.conflicts.filter { $0.identifier == record.identifier }
                let bases = Dictionary(
                    conflicts.map { ($0.key, $0.base?.id) }, uniquingKeysWith: { $1 })
                #expect(
                    bases == rules.conflicts(record.identifier, view: entries),
                    "seed \(seed), \(record.identifier)")
                count += bases.count
            }
        }
        #expect(count > 0)
    }

    @Test func writeAfterSeeingAValueWinsWhateverTheClocks() throws {
        let (ahead, behind) = (0, 1)
        var world = try World([(ahead, 7_200_000_000), (behind, -7_200_000_000)])
        try world.act(as: ahead, now: 0) { draft, graph in
            try draft.create("x", type: "t", in: graph)
            try draft.add(["k": 1], to: "x", in: &graph)
        }
        try world.exchange()
        try world.act(as: behind, now: 0) { try $0.add(["k": 2], to: "x", in: &$1) }
        try world.exchange()
        for process in world.processes {
            let node = try #require(process.graph.find("x"))
            #expect(process.graph.properties(of: node)[value: "k"] == 2)
        }
        try world.act(as: behind, now: 0) { $0.delete("x", in: $1) }
        #expect(world.processes[behind].graph.find("x") == nil)
    }

    @Test func causesAreKeptOnlyForEachDevicesLastSetValues() throws {
        var pair = try Pair()
        try pair.on(0) { try $0.create("x", type: "t", in: $1) }
        for value in 0..<9 as Range<Int64> {
            try pair.on(0) {
                try $0.add(["k": .integer(value)], to: "x", replacing: true, in: &$1)
            }
        }
        // The first write records that it had seen nothing; the others replace it.
        #expect(pair.graphs[0].causes.isEmpty)
        for value in 0..<9 as Range<Int64> {
            try pair.exchange()
            try pair.on(Int(value % 2)) {
                try $0.add(["k": .integer(value)], to: "x", replacing: true, in: &$1)
            }
        }
        try pair.exchange()
        for graph in pair.graphs {
            #expect(graph.causes.values.map(\.count) == [1, 1])
        }
    }

    @Test func concurrentlyAddedValueSurvivesARemoval() throws {
        var pair = try Pair()
        try pair.both { try $0.create("x", type: "t", in: $1) }
        try pair.on(0) { draft, graph in try draft.add(["k": 1], to: "x", in: &graph) }
        try pair.exchange()
        try pair.on(0) { draft, graph in draft.removeAll("k", of: "x", in: graph) }
        try pair.on(1) { draft, graph in try draft.add(["k": 2], to: "x", in: &graph) }
        try pair.exchange()
        for graph in pair.graphs {
            let node = try #require(graph.find("x"))
            #expect(graph.properties(of: node)[value: "k"] == 2)
        }
    }

    @Test func deletionWinsOverConcurrentWrites() throws {
        var pair = try Pair()
        try pair.both { try $0.create("x", type: "t", in: $1) }
        try pair.exchange()
        try pair.on(0) { draft, graph in draft.delete("x", in: graph) }
        try pair.on(1) { draft, graph in try draft.add(["k": 2], to: "x", in: &graph) }
        try pair.exchange()
        #expect(pair.graphs.allSatisfy { $0.find("x") == nil })
        try pair.on(1) { draft, graph in try draft.create("x", type: "u", in: graph) }
        try pair.exchange()
        for graph in pair.graphs {
            let node = try #require(graph.find("x"))
            #expect(graph.record(of: node).type == "u")
        }
    }

    /// Two devices that exchange everything on request.
    private struct Pair {
        private var world: World
        private var now: Int64 = 0

        init() throws { world = try World([(0, 0), (1, 0)]) }

        var graphs: [EntityGraph] { world.processes.map(\.graph) }

        mutating func on(
            _ number: Int, _ body: (inout WriteDraft, inout EntityGraph) throws -> Void
        ) throws {
            now += 10
            try world.act(as: number, now: now, body)
        }

        mutating func both(
            _ body: (inout WriteDraft, EntityGraph) throws -> Void
        ) throws {
            for number in 0...1 {
                try on(number) { draft, graph in try body(&draft, graph) }
            }
        }

        mutating func exchange() throws { try world.exchange() }
    }
}
