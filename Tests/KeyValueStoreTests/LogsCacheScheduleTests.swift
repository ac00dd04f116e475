import Replication
import TestSupport
import Testing

@testable import KeyValueStore

/// Compares the cache with the definition of heads: rows that are not an ancestor of any other
/// available row. Devices write, and rows arrive in random order.
@Suite struct LogsCacheScheduleTests {
    /// A row of the model, with everything that its writer had when it wrote.
    struct ModelRow {
        let device: Int
        let key: Int
        let timestamp: Int64
        let value: [UInt8]?
        /// Rows of the key, by number.
        let ancestors: Set<Int>
        /// The causal parents according to the writer's cache.
        let known: [(device: Int, timestamp: Int64)]
    }

    struct Replica: ~Copyable {
        var cache = LogsCache()
        /// The number of rows of each device's log that have arrived.
        var arrived: [Int]
        var clockOffset: Int64
        var last: Int64 = .min

        init(devices: Int, clockOffset: Int64) {
            arrived = Array(repeating: 0, count: devices)
            self.clockOffset = clockOffset
        }
    }

    final class Replicas {
        var list: [Box] = []
        final class Box {
            var replica: Replica
            init(_ replica: consuming Replica) { self.replica = replica }
        }
    }

    static let deviceNames = ["b", "d", "a", "c", "e"]

    struct World {
        let devices: Int
        let keys: Int
        var random: SeededRandom
        var rows: [ModelRow] = []
        var logs: [[Int]]

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            devices = Int.random(in: 2...5, using: &random)
            keys = Int.random(in: 1...3, using: &random)
            logs = Array(repeating: [], count: devices)
        }
    }

    static func bytes(_ key: Int) -> [UInt8] { Array("key \(key)".utf8) }

    @Test func everyOrderOfArrivalHasTheSameHeads() throws {
        for seed in seeds(300) { try run(seed) }
    }

    func run(_ seed: UInt64) throws {
        var world = World(seed: seed)
        let replicas = Replicas()
        for _ in 0..<world.devices {
            let hours = Int64.random(in: -12...12, using: &world.random) * 3_600_000_000
            replicas.list.append(.init(Replica(devices: world.devices, clockOffset: hours)))
            // Each cache numbers the devices in a different order.
            for name in Self.deviceNames.prefix(world.devices).shuffled(using: &world.random) {
                _ = try replicas.list[replicas.list.count - 1].replica.cache.number(
                    of: DeviceID(name))
            }
        }
        for step in 0..<Int.random(in: 5...60, using: &world.random) {
            let device = Int.random(in: 0..<world.devices, using: &world.random)
            if Bool.random(using: &world.random) {
                try write(device, replicas.list[device], &world, now: Int64(step) * 1_000)
            } else {
                try deliver(to: device, replicas.list[device], &world)
            }
            check(replicas.list[device], device, world, seed)
        }
        for (device, box) in replicas.list.enumerated() {
            while box.replica.arrived.indices.contains(where: {
                $0 != device && box.replica.arrived[$0] < world.logs[$0].count
            }) {
                try deliver(to: device, box, &world)
            }
            check(box, device, world, seed)
        }
    }

    func write(
        _ device: Int, _ box: Replicas.Box, _ world: inout World, now: Int64
    ) throws {
        let key = Int.random(in: 0..<world.keys, using: &world.random)
        let name = try DeviceID(Self.deviceNames[device])
        guard let number = box.replica.cache.knownNumber(of: name) else { return }
        let value: [UInt8]? =
            Int.random(in: 0..<5, using: &world.random) == 0
            ? nil
            : try PropertyList.integer(Int64.random(in: 0..<4, using: &world.random)).binaryBytes()
        let entry = Self.bytes(key).withUnsafeBufferPointer {
            box.replica.cache.makeIndex(ofKey: $0)
        }
        let seen = box.replica.cache.newestSeen(entry) ?? .min
        let timestamp = max(now + box.replica.clockOffset, seen &+ 1, box.replica.last &+ 1)
        box.replica.last = timestamp
        let known = box.replica.cache.causalParents(entry, besides: number).map { stamp in
            (
                device: Self.deviceNames.firstIndex(
                    of: box.replica.cache.devices[Int(stamp.device)].name) ?? 0,
                timestamp: stamp.timestamp
            )
        }
        let here = Self.rows(here: box, device, world, key)
        world.rows.append(
            ModelRow(
                device: device, key: key, timestamp: timestamp, value: value,
                ancestors: here.reduce(into: Set(here)) {
                    $0.formUnion(world.rows[$1].ancestors)
                }, known: known))
        world.logs[device].append(world.rows.count - 1)
        box.replica.arrived[device] += 1
        box.replica.cache.write(
            entry, device: number, timestamp: timestamp, value: value, namesOneParent: false)
        // A write made after seeing a value always wins.
        let first = box.replica.cache.rows[Int(box.replica.cache.entries[Int(entry)].firstRow)]
        #expect(first.device == number)
        #expect(box.replica.cache.heads(entry).count == 1)
    }

    /// Delivers more rows of another device's log, as one reading of it would.
    func deliver(to device: Int, _ box: Replicas.Box, _ world: inout World) throws {
        let from = Int.random(in: 0..<world.devices, using: &world.random)
        let start = box.replica.arrived[from]
        guard from != device, start < world.logs[from].count else { return }
        let end = Int.random(in: start + 1...world.logs[from].count, using: &world.random)
        box.replica.arrived[from] = end
        var newest: [Int: ModelRow] = [:]
        for row in world.logs[from][start..<end] { newest[world.rows[row].key] = world.rows[row] }
        let numbers = try Self.deviceNames.prefix(world.devices).compactMap {
            box.replica.cache.knownNumber(of: try DeviceID($0))
        }
        for row in newest.values.shuffled(using: &world.random) {
            _ = box.replica.cache.apply(
                NewestRow(
                    key: Self.bytes(row.key), timestamp: row.timestamp,
                    value: LoadedValue(row.value),
                    causalParents: .vector(
                        row.known.map {
                            RowStamp(device: numbers[$0.device], timestamp: $0.timestamp)
                        })),
                of: numbers[from])
        }
    }

    static func rows(here box: Replicas.Box, _ device: Int, _ world: World, _ key: Int) -> [Int] {
        world.logs.enumerated().flatMap { log, rows in
            rows.prefix(box.replica.arrived[log]).filter { world.rows[$0].key == key }
        }
    }

    func check(_ box: Replicas.Box, _ device: Int, _ world: World, _ seed: UInt64) {
        for key in 0..<world.keys {
            let here = Self.rows(here: box, device, world, key)
            let entry = Self.bytes(key).withUnsafeBufferPointer {
                box.replica.cache.index(ofKey: $0)
            }
            let winner = here.map { world.rows[$0] }.max {
                ($0.timestamp, Self.deviceNames[$0.device])
                    < ($1.timestamp, Self.deviceNames[$1.device])
            }
            guard let entry, let winner else {
                #expect(here.isEmpty, "seed \(seed)")
                continue
            }
            let known = here.reduce(into: Set<Int>()) { $0.formUnion(world.rows[$1].ancestors) }
            let heads = here.filter { !known.contains($0) }.map { world.rows[$0] }
            let found = box.replica.cache.heads(entry)
            #expect(
                Set(found.map(\.timestamp)) == Set(heads.map(\.timestamp)), "heads, seed \(seed)")
            #expect(found.first?.timestamp == winner.timestamp, "winner, seed \(seed)")
            #expect(
                box.replica.cache.withValue(entry) { Array($0) } == winner.value,
                "value, seed \(seed)")
            #expect(
                box.replica.cache.conflicts.contains(entry)
                    == heads.contains { $0.value != winner.value },
                "conflict, seed \(seed)")
        }
    }
}
