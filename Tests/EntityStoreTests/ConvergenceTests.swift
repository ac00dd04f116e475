import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// Devices that write at once, with clocks hours apart, and hear of each other in any order.
@Suite struct ConvergenceTests {
    /// A device: its merged rows, its own log, and how much of the others' logs it has.
    private struct Device {
        let id: DeviceID
        let skew: Int64
        var graph = EntityGraph()
        var encoder = RowEncoder()
        var last = Timestamp.distantPast
        var log: [RowBatch] = []
        var heard: [Int]

        mutating func write(_ draft: WriteDraft, now: Int64) throws {
            guard !draft.operations.isEmpty else { return }
            let wall = Timestamp(microseconds: now + skew)
            let seen = Timestamp(microseconds: draft.seen)
            last = max(wall, max(seen, last).successor)
            let batch = try encoder.encode(draft.operations, device: id, timestamp: last)
            log.append(batch)
            try graph.ingest(batch)
            graph.settle()
        }
    }

    private static let names = ["a", "b", "c", "d"]
    private static let keys = ["k", "l"]

    private static func act(
        _ device: inout Device, _ random: inout SeededRandom, now: Int64
    ) throws {
        var draft = WriteDraft()
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        let key = keys[Int.random(in: 0..<keys.count, using: &random)]
        let isThere = device.graph.find(name) != nil
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2:
            let type = Bool.random(using: &random) ? "person" : "book"
            guard !isThere else { return }
            try draft.create(name, type: type, in: device.graph)
        case 3...6 where isThere:
            var property = Property(.integer(Int64.random(in: 0...9, using: &random)))
            if Int.random(in: 0..<4, using: &random) == 0 {
                let past = Int64.random(in: 0..<1000, using: &random)
                property.datestamp = Timestamp(microseconds: past)
            }
            var properties = PropertyDictionary()
            properties[key] = property
            try draft.add(
                properties, to: name, replacing: Bool.random(using: &random),
                in: &device.graph)
        case 7,
            8 where isThere:
            let target = names[Int.random(in: 0..<names.count, using: &random)]
            try draft.append(
                Property(.relationship(.identifier(target))), key: "to", to: name,
                allowsMissing: true, in: &device.graph)
        case 9: draft.removeAll(key, of: name, in: device.graph)
        case 10:
            guard let node = device.graph.find(name) else { return }
            let slots = device.graph.sortedSlots(of: node)
            guard let slot = slots.randomElement(using: &random),
                let entry = device.graph.visibleEntries(of: slot).randomElement(using: &random)
            else { return }
            let key = device.graph.names[device.graph.slots[Int(slot)].key]
            let id = device.graph.id(of: device.graph.entries[Int(entry)])
            draft.remove([id], key: key, of: name, in: device.graph)
        default: draft.delete(name, in: device.graph)
        }
        try device.write(draft, now: now)
    }

    /// Gives a device the next of what another wrote.
    private static func hear(_ devices: inout [Device], _ to: Int, _ from: Int) throws {
        let place = devices[to].heard[from]
        guard to != from, place < devices[from].log.count else { return }
        try devices[to].graph.ingest(devices[from].log[place])
        devices[to].graph.settle()
        devices[to].heard[from] += 1
    }

    private static func schedule(_ seed: UInt64) throws -> [Device] {
        var random = SeededRandom(seed: seed)
        let count = Int.random(in: 2...4, using: &random)
        var devices = try (0..<count).map { number in
            Device(
                id: try DeviceID("device-\(number)"),
                skew: Int64.random(in: -10_000...10_000, using: &random),
                heard: [Int](repeating: 0, count: count))
        }
        var now: Int64 = 1_000_000
        for _ in 0..<Int.random(in: 5...40, using: &random) {
            now += Int64.random(in: 0...500, using: &random)
            let device = Int.random(in: 0..<count, using: &random)
            if Bool.random(using: &random) {
                try act(&devices[device], &random, now: now)
            } else {
                let other = Int.random(in: 0..<count, using: &random)
                try hear(&devices, device, other)
            }
        }
        // In the end everybody hears everything, in an order of their own.
        for device in 0..<count {
            var waiting = (0..<count).flatMap { other in
                other == device
                    ? []
                    : [Int](
                        repeating: other,
                        count: devices[other].log.count - devices[device].heard[other])
            }
            waiting.shuffle(using: &random)
            for other in waiting { try hear(&devices, device, other) }
        }
        return devices
    }

    /// All that can be seen of a graph.
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

    @Test func devicesAgreeWhateverTheOrderOfArrival() throws {
        var entities = 0
        for seed in seeds(1_000) {
            let devices = try Self.schedule(seed)
            let expected = View(devices[0].graph)
            entities += expected.records.count
            for device in devices.dropFirst() {
                #expect(View(device.graph) == expected, "seed \(seed), \(device.id)")
            }
            // The same from the files as they are in the end, each read in one go.
            var late = EntityGraph()
            for device in devices.reversed() {
                for batch in device.log { try late.ingest(batch) }
            }
            late.settle()
            #expect(View(late) == expected, "seed \(seed), read late")
        }
        #expect(entities > 0)
    }

    @Test func theMergeIsWhatTheRulesSay() throws {
        var count = 0
        for seed in 0..<UInt64(runCount(1_000) / 4 + 1) {
            let devices = try Self.schedule(seed)
            let view = View(devices[0].graph)
            var rules = MergeRules()
            for device in devices { rules.take(device.log) }
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

    @Test func aWriteAfterSeeingAValueWinsWhateverTheClocksSay() throws {
        var ahead = Device(id: try DeviceID("ahead"), skew: 7_200_000_000, heard: [])
        var behind = Device(id: try DeviceID("behind"), skew: -7_200_000_000, heard: [])
        var draft = WriteDraft()
        try draft.create("x", type: "t", in: ahead.graph)
        try draft.add(["k": 1], to: "x", in: &ahead.graph)
        try ahead.write(draft, now: 0)
        try behind.graph.ingest(ahead.log[0])
        behind.graph.settle()
        draft = WriteDraft()
        try draft.add(["k": 2], to: "x", in: &behind.graph)
        try behind.write(draft, now: 0)
        try ahead.graph.ingest(behind.log[0])
        ahead.graph.settle()
        for graph in [ahead.graph, behind.graph] {
            let node = try #require(graph.find("x"))
            #expect(graph.properties(of: node)[value: "k"] == 2)
        }
        draft = WriteDraft()
        draft.delete("x", in: behind.graph)
        try behind.write(draft, now: 0)
        #expect(behind.graph.find("x") == nil)
    }

    @Test func aValueAddedUnseenOutlivesARemoval() throws {
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

    @Test func aDeletionOutlivesWhatIsWrittenUnseen() throws {
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

    /// Two devices that exchange everything when told.
    private struct Pair {
        private var devices: [Device]
        private var now: Int64 = 0
        private var exchanged = [0, 0]

        init() throws {
            devices = [
                Device(id: try DeviceID("one"), skew: 0, heard: []),
                Device(id: try DeviceID("two"), skew: 0, heard: []),
            ]
        }

        var graphs: [EntityGraph] { devices.map(\.graph) }

        mutating func on(
            _ number: Int, _ body: (inout WriteDraft, inout EntityGraph) throws -> Void
        ) throws {
            now += 10
            var draft = WriteDraft()
            try body(&draft, &devices[number].graph)
            try devices[number].write(draft, now: now)
        }

        mutating func both(
            _ body: (inout WriteDraft, EntityGraph) throws -> Void
        ) throws {
            for number in 0...1 {
                try on(number) { draft, graph in try body(&draft, graph) }
            }
        }

        mutating func exchange() throws {
            for number in 0...1 {
                for batch in devices[number].log[exchanged[number]...] {
                    try devices[1 - number].graph.ingest(batch)
                }
                exchanged[number] = devices[number].log.count
            }
            for number in 0...1 { devices[number].graph.settle() }
        }
    }
}
