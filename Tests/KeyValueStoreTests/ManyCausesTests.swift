import Foundation
import Replication
import Testing

@testable import KeyValueStore

/// Rows with more parents than are available.
@Suite struct ManyCausesTests {
    private func row(_ device: String, _ time: Int64) throws -> LogRow.Reference {
        LogRow.Reference(device: try DeviceID(device), timestamp: Timestamp(microseconds: time))
    }

    @Test func referencesToMissingRowsHaveConstantCost() throws {
        let nodes = try (0..<3_000).map { number in
            RowGraph.Node(
                reference: try row("a", Int64(number) * 10),
                parents: try (0..<60).map { try row("a", Int64(number - $0) * 10 - 5) },
                parentTimestamp: nil, digest: number)
        }
        let graph = RowGraph([
            RowGraph.Part(
                device: try DeviceID("a"), format: .tideline2, isForked: true, rows: nodes),
            RowGraph.Part(
                device: try DeviceID("b"), format: .tideline2, isForked: true,
                rows: [
                    RowGraph.Node(
                        reference: try row("b", 7), parents: [], parentTimestamp: nil, digest: 1)
                ]),
        ])
        var heads: [RowGraph.Node] = []
        let duration = ContinuousClock().measure { heads = graph.heads() }
        #expect(try heads.map(\.reference) == [row("a", 29_990), row("b", 7)])
        // A debug build on a busy machine takes about a second. A quadratic algorithm would take
        // minutes.
        #expect(duration < .seconds(20))
    }

    @Test func referenceToAMissingRowCoversEarlierRows() throws {
        let graph = RowGraph([
            RowGraph.Part(
                device: try DeviceID("a"), format: .tideline2, isForked: true,
                rows: try [10, 20, 30].map {
                    RowGraph.Node(reference: try row("a", $0), parents: [], parentTimestamp: nil)
                }),
            RowGraph.Part(
                device: try DeviceID("b"), format: .tideline2, isForked: true,
                rows: [
                    RowGraph.Node(
                        reference: try row("b", 40), parents: [try row("a", 25)],
                        parentTimestamp: nil)
                ]),
        ])
        #expect(try graph.heads().map(\.reference) == [row("b", 40), row("a", 30)])
        #expect(try graph.rows(buildingOn: [row("a", 10)]).map(\.reference) == [row("b", 40)])
        #expect(try graph.rows(buildingOn: [row("a", 30)]).isEmpty)
    }

    @Test func logThatNamesTooManyDevicesAddsNone() throws {
        var cache = LogsCache()
        let here = try cache.number(of: DeviceID("here"))
        var writers = try Dictionary(
            uniqueKeysWithValues: (0..<66_000).map { (Int64($0), try DeviceID("device \($0)")) })
        writers[70_000] = try DeviceID("here")
        let numbers = cache.numbers(of: writers)
        #expect(numbers == [70_000: 0] && here == 0)
        let few = try cache.numbers(of: [1: DeviceID("x"), 2: DeviceID("here")])
        #expect(few == [1: 1, 2: 0])
    }

    @Test func pastConflictIgnoresParentsOfDevicesWithoutRows() throws {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        try a.set("a's", forKey: "k")
        try a.close()
        let b = try fixture.store("b")
        // The row of `a` names 20,000 devices whose rows never arrived.
        let causes = (1...20_000).map { CauseList.Cause(writer: $0, timestamp: 1) }
        let list = CauseList.encode(causes).map { String(format: "%02X", $0) }.joined()
        try fixture.execute(
            "a",
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO writer (ref, name) SELECT i, 'device ' || i FROM n;
            UPDATE log SET parents = X'\(list)';
            UPDATE latest SET known = X'\(list)';
            """)
        try b.set("b's", forKey: "k")
        try b.sync()
        let now = try #require(b.newestTimestamp(forKey: "k"))
        #expect(try b.conflictKeys(at: now) == b.conflictKeys)
    }

    private static let manyWriters = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1025)
        INSERT INTO writer (ref, name) SELECT i, 'device ' || i FROM n;
        """

    /// Returns the fixture and a store that has read the log of `a`, after it was changed.
    private func changed(_ sql: String) throws -> (StoreFixture, KeyValueStore) {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        try a.set("a's", forKey: "k")
        try a.close()
        let b = try fixture.store("b")
        try fixture.execute("a", sql)
        try b.sync()
        return (fixture, b)
    }

    @Test func logThatNamesTooManyDevicesHasAProblem() throws {
        let (fixture, b) = try changed(Self.manyWriters)
        for store in [b, try fixture.store(nil)] {
            let status = try #require(store.devices.first { $0.device.name == "a" })
            #expect(status.state == .ok && status.problem == KeyValueHead.manyDevices)
            #expect(store["k"] == "a's")
        }
    }

    @Test(arguments: ["log", "latest"]) func claimsFromTheFutureAreAProblem(
        _ table: String
    ) throws {
        let list = withUnsafeBytes(of: Timestamp.latest.microseconds.bigEndian) { [1] + $0 }
            .map { String(format: "%02X", $0) }.joined()
        let (fixture, b) = try changed(
            """
            INSERT INTO writer (ref, name) VALUES (1, 'b');
            INSERT INTO log SELECT id + 1, timestamp + 1, key, value, NULL, \(
                table == "log" ? "X'\(list)'" : "NULL") FROM log;
            UPDATE latest SET id = 2, timestamp = timestamp + 1, known = X'\(list)';
            """)
        for store in [b, try fixture.store("b"), try fixture.store(nil)] {
            let status = try #require(store.devices.first { $0.device.name == "a" })
            #expect(status.state == .ok && status.problem == KeyValueHead.futureClaims)
        }
        try b.set("b's", forKey: "k")
        #expect(b["k"] == "b's")
    }

    @Test func everyProblemOfALogIsListed() throws {
        let (fixture, b) = try changed(
            "INSERT INTO log SELECT id + 1, \(Int64.max), key, value, NULL, NULL FROM log;"
                + Self.manyWriters)
        for store in [b, try fixture.store(nil)] {
            let status = try #require(store.devices.first { $0.device.name == "a" })
            #expect(status.problem?.contains(KeyValueHead.manyDevices) == true)
            #expect(status.problem?.contains(Timestamp.unrecordableProblem) == true)
        }
    }
}
