import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Data rule 7 for several processes that write as one device.
@Suite(.serialized) struct WritingOrderTests {
    @Test(arguments: LogFormat.allCases)
    func rowsFollowRowsThatAnotherProcessOfTheDeviceWrote(_ format: LogFormat) throws {
        let fixture = try StoreFixture()
        if format == .parstore1 { _ = try ParstoreFile(at: fixture.logPath("a")) }
        let early = try fixture.store("a")
        fixture.clock.advance(microseconds: -60_000_000)
        try early.set("early", forKey: "both")
        try early.set(contentsOf: ["one": "early", "two": "early"])
        try early.set("again", forKey: "one")
        fixture.clock.advance(microseconds: 3_600_000_000)
        let late = try fixture.store("a")
        try late.set("late", forKey: "both")
        try late.set("late", forKey: "alone")
        try late.close()
        try early.save()

        let rows = try early.rows(since: nil, device: DeviceID("a")).sorted { $0.id < $1.id }
        let times = rows.map(\.timestamp)
        #expect(times == times.sorted())
        #expect(rows.map(\.key) == ["both", "alone", "both", "one", "two", "one"])
        #expect(Set(times).count == 5, "what was set at once keeps one timestamp")
        // Each row names the rows that its writer had seen, by their final timestamps.
        #expect(rows[2].parentTimestamp == nil)
        #expect(rows[5].parentTimestamp == rows[3].timestamp)
        #expect(rows[3].parentTimestamp == nil)
        let fresh = try fixture.store(nil)
        #expect(fresh["both"] == "early")
        #expect(fresh["one"] == "again")
        #expect(fresh.everything == early.everything)
        for key in fresh.keys {
            #expect(fresh.entry(forKey: key)?.timestamp == early.entry(forKey: key)?.timestamp)
        }
        // Later writes follow all of these rows.
        try early.set("last", forKey: "both")
        try early.save()
        #expect(try fixture.store(nil)["both"] == "last")
    }

    @Test func pendingRowsAfterMovedOnesAreMoved() throws {
        let fixture = try StoreFixture()
        let early = try fixture.store("a")
        fixture.clock.advance(microseconds: 3_600_000_000)
        let late = try fixture.store("a")
        fixture.clock.advance(microseconds: -3_600_000_000)
        try early.set(1, forKey: "k")
        fixture.clock.advance(microseconds: 3_600_000_000)
        try late.set(2, forKey: "other")
        try late.close()
        fixture.clock.advance(microseconds: -3_600_000_000)
        try early.save()
        for value in 2..<5 {
            try early.set(.integer(Int64(value)), forKey: "k")
            try early.save()
        }
        let rows = try early.rows(forKey: "k")
        #expect(try rows.compactMap { try $0.value() } == [1, 2, 3, 4])
        #expect(rows.dropFirst().map(\.parentTimestamp) == rows.dropLast().map(\.timestamp))
        #expect(try fixture.store(nil)["k"] == 4)
    }

    @Test func writingIsRefusedWithTheReasonWhileRowsOfTheOwnLogAreMissing() throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        for number in 0..<10 { try writer.set(.integer(Int64(number)), forKey: "k\(number)") }
        try writer.close()
        try fixture.execute("a", "DELETE FROM log WHERE id = 6")
        let store = try fixture.store("a")
        #expect(store.ownLogProblem?.contains("row 6 is missing") == true)
        let error = try #require(throws: KeyValueError.self) { try store.set(1, forKey: "x") }
        #expect(error.code == .ownLogUnreadable)
        #expect(error.message.contains("row 6 is missing"))
        #expect(store["x"] == nil)
        #expect(throws: KeyValueError.self) { try store.set(contentsOf: ["x": 1]) }
        #expect(throws: KeyValueError.self) { try store.removeValue(forKey: "k1") }
        try fixture.execute("a", "INSERT INTO log VALUES (6, 1, 'k5', NULL, NULL, NULL)")
        try store.sync()
        #expect(store.ownLogProblem == nil)
        try store.set(1, forKey: "x")
        try store.save()
        #expect(try fixture.store(nil)["x"] == 1)
    }

    @Test func statusOfADamagedLogSurvivesNameChanges() throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        try writer.set(1, forKey: "k")
        try writer.close()
        let store = try fixture.store("b", watches: true)
        try Data(repeating: 65, count: 5_000).write(to: URL(fileURLWithPath: fixture.logPath("a")))
        try store.sync()
        #expect(store.devices.first { $0.device.name == "a" }?.state == .unreadable)
        try fixture.package.blobs.put(
            try PropertyList.dictionary(["deviceName": "Anna's"]).binary(), at: "info/a.plist")
        try waitBlocking { store.devices.first { $0.device.name == "a" }?.name == "Anna's" }
        #expect(store.devices.first { $0.device.name == "a" }?.state == .unreadable)
        try store.close()
    }
}
