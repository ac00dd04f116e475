import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct PackageDamageTests {
    @Test func packageThatIsAFileCannotBeLoaded() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("file")
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: ReplicationError.self) { try StorePackage(opening: path) }
    }

    @Test func fileInPlaceOfTheDeviceFolderPreventsLoading() throws {
        let fixture = try StoreFixture()
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(fixture.package.path)/Devices/a"))
        let store = try fixture.unloaded("a")
        #expect(throws: ReplicationError.self) { try store.load() }
        #expect(!store.isLoaded)
        #expect(try fixture.store("b").count == 0)
    }

    /// A log of `a` with some rows, and a store that has read it.
    func package(rows: Int) throws -> (StoreFixture, KeyValueStore) {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        for number in 0..<rows {
            try writer.set(.integer(Int64(number)), forKey: "k\(number % 10)")
        }
        try writer.close()
        return (fixture, try fixture.store("b"))
    }

    @Test func gapStopsReadingUntilItIsFilled() throws {
        let (fixture, reader) = try package(rows: 20)
        let path = fixture.logPath("a")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try fixture.execute("a", "DELETE FROM log WHERE id IN (13, 17)")
        let fresh = try fixture.store("c")
        let status = try #require(fresh.devices.first { $0.device.name == "a" })
        #expect(status.state == .incomplete)
        #expect(status.rows == 12)
        #expect(status.problem?.contains("13") == true)
        #expect(fresh["k1"] == 11)
        #expect(fresh["k2"] == 2)
        #expect(try fresh.rows(since: nil).count == 12)
        try whole.write(to: URL(fileURLWithPath: path), options: .atomic)
        try fresh.sync()
        #expect(fresh.everything == reader.everything)
        #expect(fresh.devices.first { $0.device.name == "a" }?.state == .ok)
    }

    @Test func newRowsAfterAGapWait() throws {
        let (fixture, reader) = try package(rows: 5)
        let writer = try fixture.store("a")
        for number in 0..<5 { try writer.set("new", forKey: "n\(number)") }
        try writer.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.logPath("a")))
        try fixture.execute("a", "DELETE FROM log WHERE id = 8")
        try reader.sync()
        #expect(reader.keys(prefix: "n") == ["n0", "n1"])
        #expect(reader.devices.first { $0.device.name == "a" }?.state == .incomplete)
        try whole.write(to: URL(fileURLWithPath: fixture.logPath("a")), options: .atomic)
        try reader.sync()
        #expect(reader.keys(prefix: "n").count == 5)
        #expect(reader.devices.first { $0.device.name == "a" }?.state == .ok)
    }

    @Test func replacementLogIsReadFromTheStart() throws {
        let (fixture, reader) = try package(rows: 20)
        try FileManager.default.removeItem(atPath: fixture.logPath("a"))
        let again = try fixture.store("a")
        try again.set("other", forKey: "x")
        try again.close()
        try reader.sync()
        #expect(reader.everything == ["x": "other"])
    }

    @Test func logRestoredFromAnOlderCopyIsReadFromTheStart() throws {
        let (fixture, reader) = try package(rows: 20)
        try fixture.execute(
            "a",
            """
            DELETE FROM log WHERE id > 10; DELETE FROM latest;
            INSERT INTO latest SELECT key, id, timestamp, NULL FROM log;
            """)
        try reader.sync()
        #expect(reader["k9"] == 9)
        #expect(reader.rowCount == 10)
    }

    @Test func wrongTableOfNewestRowsIsNotUsed() throws {
        let (fixture, reader) = try package(rows: 30)
        try fixture.execute("a", "UPDATE latest SET id = 3 WHERE key = 'k1'")
        #expect(try fixture.store("c").everything == reader.everything)
        try fixture.execute("a", "UPDATE latest SET id = 99 WHERE key = 'k1'")
        #expect(try fixture.store("c").everything == reader.everything)
    }

    @Test func unreadableLogDoesNotHideOthers() throws {
        let (fixture, _) = try package(rows: 3)
        let path = fixture.logPath("z")
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
            withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 5_000).write(to: URL(fileURLWithPath: path))
        let store = try fixture.store("b")
        #expect(store.count == 3)
        let status = try #require(store.devices.first { $0.device.name == "z" })
        #expect(status.state == .unreadable)
        #expect(status.problem?.contains("Logs.db") == true)
    }

    @Test func truncatedAndDamagedLogsRecoverWithoutCrashing() throws {
        let (fixture, _) = try package(rows: 400)
        let other = try fixture.store("o")
        try other.set("stays", forKey: "other")
        try other.close()
        let path = fixture.logPath("a")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let reader = try fixture.store("b")
        let expected = reader.everything
        var random = SeededRandom(seed: 77)
        for round in 0..<runCount(60) {
            var damaged = whole
            if Bool.random(using: &random) {
                damaged = damaged.prefix(Int.random(in: 0...damaged.count, using: &random))
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) where !damaged.isEmpty {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                let end = min(
                    damaged.count, place + Int.random(in: 1...64, using: &random))
                for index in place..<end {
                    damaged[index] = UInt8.random(in: 0...255, using: &random)
                }
            }
            try damaged.write(to: URL(fileURLWithPath: path), options: .atomic)
            try reader.sync()
            #expect(reader["other"] == "stays", "round \(round)")
            let fresh = try fixture.store("b")
            #expect(fresh["other"] == "stays", "round \(round)")
            _ = try? fresh.rows(limit: 50)
            _ = try? fresh.dictionary(at: fixture.clock.now)
            _ = try? fresh.conflicts()
        }
        try whole.write(to: URL(fileURLWithPath: path), options: .atomic)
        try reader.sync()
        #expect(reader.everything == expected)
        #expect(reader.devices.allSatisfy { $0.state == .ok || $0.state == .absent })
    }

    @Test func missingLogKeepsItsKnownRows() throws {
        let (fixture, reader) = try package(rows: 10)
        try FileManager.default.removeItem(atPath: "\(fixture.package.path)/Devices/a")
        try reader.sync()
        #expect(reader.count == 10)
        #expect(reader.devices.first { $0.device.name == "a" }?.state == .absent)
    }

    @Test func unreachableTimestampDoesNotPreventWrites() throws {
        let (fixture, _) = try package(rows: 3)
        try fixture.execute(
            "a",
            """
            INSERT INTO log VALUES (4, 9223372036854775807, 'k1', NULL, NULL, NULL);
            UPDATE latest SET id = 4, timestamp = 9223372036854775807 WHERE key = 'k1';
            """)
        let store = try fixture.store("b")
        let status = try #require(store.devices.first { $0.device.name == "a" })
        #expect(status.problem == Timestamp.unrecordableProblem)
        try store.set(1, forKey: "k1")
        try store.set(2, forKey: "k1")
        let rows = try store.rows(forKey: "k1", device: DeviceID("b"))
        #expect(rows.count == 2)
        #expect(rows[0].timestamp < rows[1].timestamp)
    }

    @Test func readingAPackageChangesNothing() throws {
        let (fixture, _) = try package(rows: 30)
        let before = try Snapshot(of: fixture.package.path)
        let store = try fixture.store("new", watches: true)
        _ = store.everything
        _ = try store.rows(since: nil)
        _ = try store.conflicts()
        _ = try store.dictionary(at: fixture.clock.now)
        _ = try store.timeline()
        try store.sync()
        try store.close()
        #expect(try Snapshot(of: fixture.package.path) == before)
    }
}
