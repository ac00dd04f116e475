import BenchSupport
import EntityStore
import Foundation
import Replication

/// 100,000 entities with ten properties, compared with the sqlite3 program on the same file.
struct EntitySuite: Suite {
    static let name = "entities"
    static let abstract = "100,000 entities with 10 properties: open, list, query, change."

    private static let count = 100_000
    private static let keys = (0..<10).map { "property\($0)" }

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let folder = try BenchFolder()
        defer { folder.remove() }
        let package = try await Self.makePackage(in: folder, count: Self.count)
        let file = URL(filePath: try package.device(Self.device).path(of: .entities))
        try await opening(package, file, options, &report)
        try await querying(package, file, options, &report)
        try await changing(folder, package, &report)
        report.add(
            "memory after opening", try probeApart("memory:\(package.path)", options), "MB")
    }

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        let store = try await EntityStore.open(package: Self.path(ofProbe: name, "memory:"))
        let memory = Double(try ResidentMemory.current()) / 1e6
        guard try await store.count() > 0 else { throw BenchError("nothing was read") }
        return memory
    }

    // MARK: Files

    private static var device: DeviceID { get throws { try DeviceID("bench") } }

    private static func makePackage(
        in folder: BenchFolder, count: Int
    ) async throws -> StorePackage {
        let package = try StorePackage(
            creating: folder.url.appending(path: "\(count).store").path)
        let store = try await EntityStore.open(package, device: device)
        let chunk = 10_000
        for start in stride(from: 0, to: count, by: chunk) {
            try await store.add(
                (start..<min(count, start + chunk)).map { number in
                    (.new("row", identifier: Self.identifier(number)), Self.properties(number))
                })
        }
        await store.close()
        return package
    }

    private static func identifier(_ number: Int) -> String {
        "5B4F9C3E-7A10-4D6B-9E21-" + String(1_000_000_000_000 + number)
    }

    private static func properties(_ number: Int) -> PropertyDictionary {
        var properties = PropertyDictionary()
        for (place, key) in keys.enumerated() {
            properties[value: key] =
                switch place % 5 {
                case 0: .string("value \(number) of \(key)")
                case 1: .integer(Int64(number * 31 % 1_000))
                case 2: .double(Double(number) / 7)
                case 3: .boolean(number % 3 == 0)
                default: .string("text \(number % 5_000)")
                }
        }
        return properties
    }

    // MARK: Measurements

    private func opening(
        _ package: StorePackage, _ file: URL, _ options: SuiteOptions, _ report: inout Report
    ) async throws {
        var opened: [Duration] = []
        var listed: [Duration] = []
        let clock = ContinuousClock()
        for _ in 0..<options.runs {
            let start = clock.now
            let store = try await EntityStore.open(package)
            opened.append(clock.now - start)
            let records = try await store.records()
            listed.append(clock.now - start)
            guard records.count == Self.count, records[0].properties.count == 10 else {
                throw BenchError("the list is incomplete")
            }
        }
        let plain = PlainSQLite(file)
        let rows = try plain.time(
            of: ["SELECT * FROM log"], times: 1, runs: options.runs)
        let readable = try plain.time(
            of: ["SELECT * FROM readable"], times: 1, runs: options.runs)
        let (open, list) = (Stopwatch.median(of: opened), Stopwatch.median(of: listed))
        report.add("open", open, baseline: rows, limit: 2)
        report.add("open and list, compared with reading the rows", list, baseline: rows, limit: 2)
        report.add(
            "open and list, compared with reading the rows with names", list, baseline: readable,
            limit: 2)
    }

    private func querying(
        _ package: StorePackage, _ file: URL, _ options: SuiteOptions, _ report: inout Report
    ) async throws {
        let store = try await EntityStore.open(package)
        let all = try await store.entities()
        let clock = ContinuousClock()

        func measure(_ work: () async throws -> Int) async throws -> (Duration, Int) {
            var times: [Duration] = []
            var result = 0
            for _ in 0..<options.runs {
                let start = clock.now
                result = try await work()
                times.append(clock.now - start)
            }
            return (Stopwatch.median(of: times), result)
        }

        let plain = PlainSQLite(file)
        let property = try plain.time(
            of: [
                """
                SELECT entity, value FROM log
                WHERE key = (SELECT id FROM names WHERE name = 'property4')
                """
            ], times: 1, runs: options.runs)
        let (read, readCount) = try await measure {
            try await store.properties(["property4"], of: all).count
        }
        guard readCount == Self.count else { throw BenchError("properties are missing") }
        report.add(
            "one property of 100,000 entities", read, baseline: property, limit: 2)

        let query = EntityQuery(where: [.equal("property4", "text 4321")])
        let start = clock.now
        let firstCount = try await store.count(query)
        report.add("the first query by value of a key", clock.now - start)
        // The most recent list is cached, so each run requests a different one.
        var number = 0
        let (next, found) = try await measure {
            number += 1
            return try await store.count(
                EntityQuery(where: [.equal("property4", .string("text \(number)"))]))
        }
        guard firstCount == Self.count / 5_000, found == firstCount else {
            throw BenchError("the query finds \(found)")
        }
        let scan = try plain.time(
            of: [
                """
                SELECT entity FROM log WHERE value = 'text 4321'
                    AND key = (SELECT id FROM names WHERE name = 'property4')
                """
            ], times: 1, runs: options.runs)
        report.add("a query by value", next, baseline: scan, limit: 2)
        let (range, _) = try await measure {
            number += 1
            return try await store.count(
                EntityQuery(where: [.between("property1", .integer(Int64(number)), 500)]))
        }
        report.add("a range of values", range, baseline: scan, limit: 2)
        let (sorted, _) = try await measure {
            number += 1
            return try await store.window(
                EntityQuery(
                    where: [.between("property1", .integer(Int64(-number)), nil)],
                    order: [EntityOrder("property0")]), from: 50_000, count: 60
            ).records.count
        }
        report.add("a window into 100,000 sorted by text", sorted)
    }

    /// Measures the cost of one changed property, locally and from another device, in stores of
    /// 1,000 and 100,000 entities.
    private func changing(
        _ folder: BenchFolder, _ large: StorePackage, _ report: inout Report
    ) async throws {
        let small = try await Self.makePackage(in: folder, count: 1_000)
        let pairs = [try await Pair(large), try await Pair(small)]
        var own: [[Duration]] = [[], []]
        var foreign: [[Duration]] = [[], []]
        // Alternate between the stores, so that other disk activity affects both equally.
        for number in 0..<101 {
            for (place, pair) in pairs.enumerated() {
                let times = try await pair.change(number)
                own[place].append(times.own)
                foreign[place].append(times.foreign)
            }
        }
        for pair in pairs { await pair.close() }
        let medians = (own.map(Stopwatch.median), foreign.map(Stopwatch.median))
        report.add(
            "one changed property, compared with a store of 1,000", medians.0[0],
            baseline: medians.0[1], limit: 1.5)
        report.add(
            "one property changed elsewhere, compared with a store of 1,000", medians.1[0],
            baseline: medians.1[1], limit: 1.5)
    }

    /// A writing device and a reading device.
    private struct Pair {
        let writer: EntityStore
        let reader: EntityStore
        let target = EntityReference.identifier(EntitySuite.identifier(500))

        init(_ package: StorePackage) async throws {
            writer = try await EntityStore.open(package, device: DeviceID("writer"))
            reader = try await EntityStore.open(package, device: DeviceID("reader"))
            try await writer.add([(target, ["changed": -1])])
            try await reader.sync()
        }

        func change(_ number: Int) async throws -> (own: Duration, foreign: Duration) {
            let clock = ContinuousClock()
            let value = EntityValue.integer(Int64(number))
            let start = clock.now
            try await writer.add([(target, ["changed": value])])
            let written = clock.now
            try await reader.sync()
            guard try await reader.properties(of: [target])[0]?[value: "changed"] == value else {
                throw BenchError("the change did not arrive")
            }
            return (written - start, clock.now - written)
        }

        func close() async {
            await writer.close()
            await reader.close()
        }
    }
}
