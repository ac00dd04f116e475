import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct SavingTests {
    /// A store with a manually advanced clock.
    struct Timed {
        let fixture: StoreFixture
        let time = TestScheduler()
        let store: KeyValueStore

        init() throws {
            fixture = try StoreFixture()
            let scheduler = time.scheduler
            store = try fixture.store("a") {
                $0.scheduler = scheduler
                $0.saveDelay = .seconds(1)
                $0.saveDelayLimit = .seconds(15)
                $0.closeDelay = .seconds(60)
            }
        }
    }

    /// Saving runs on the store's queue, so an access to that queue waits for it.
    func isSaved(_ store: KeyValueStore) -> Bool {
        _ = store.isDeleted
        return !store.hasUnsavedChanges
    }

    @Test func changesAreSavedASecondAfterTheLast() throws {
        let timed = try Timed()
        let (time, store) = (timed.time, timed.store)
        try store.set(1, forKey: "k")
        time.advance(by: .milliseconds(900))
        #expect(!isSaved(store))
        try store.set(2, forKey: "k")
        time.advance(by: .milliseconds(900))
        #expect(!isSaved(store))
        time.advance(by: .milliseconds(200))
        #expect(isSaved(store))
        #expect(try timed.fixture.store(nil)["k"] == 2)
    }

    @Test func changesAreSavedFifteenSecondsAfterTheFirstAtTheLatest() throws {
        let timed = try Timed()
        let (time, store) = (timed.time, timed.store)
        for step in 0..<30 {
            try store.set(.integer(Int64(step)), forKey: "k")
            #expect(store.hasUnsavedChanges)
            time.advance(by: .milliseconds(499))
            #expect(!isSaved(store), "after step \(step)")
        }
        try store.set(0, forKey: "k")
        time.advance(by: .milliseconds(499))
        #expect(isSaved(store))
        #expect(try timed.fixture.store(nil)["k"] == 0)
    }

    @Test func databaseIsClosedAfterAWhileAndTheStoreStaysLoaded() throws {
        let timed = try Timed()
        let (time, store) = (timed.time, timed.store)
        try store.set(1, forKey: "k")
        try store.save()
        #expect(store.isDatabaseOpen)
        time.advance(by: .seconds(59))
        #expect(store.isDatabaseOpen)
        time.advance(by: .seconds(2))
        #expect(!store.isDatabaseOpen)
        #expect(store.isLoaded)
        try store.set(2, forKey: "k")
        try store.save()
        #expect(store.isDatabaseOpen)
        #expect(try timed.fixture.store(nil)["k"] == 2)
    }

    @Test func journalIsEmptyAfterASave() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "k")
        try store.save()
        let journal = fixture.logPath("a") + "-journal"
        let size = try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int
        #expect(size == 0)
        #expect(!FileManager.default.fileExists(atPath: fixture.logPath("a") + "-wal"))
    }

    @Test func rowNumbersAreConsecutiveAndNewestRowsAreKept() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        for round in 0..<5 {
            for key in ["x", "y", "z"] { try store.set(.integer(Int64(round)), forKey: key) }
            try store.save()
        }
        #expect(
            try fixture.query("a", "SELECT id FROM log ORDER BY id") == (1...15).map { Int64($0) })
        #expect(
            try fixture.query(
                "a",
                """
                SELECT count(*) FROM latest JOIN log USING (id)
                WHERE latest.key = log.key AND latest.timestamp = log.timestamp
                """) == [3])
        #expect(try fixture.query("a", "PRAGMA application_id") == [0x5469_6465])
        #expect(
            try fixture.query("a", "SELECT value FROM meta WHERE key = 'format'") == ["tideline-2"])
    }

    @Test func failedSaveKeepsTheRowsAndIsReported() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "before")
        try await store.save()
        store.closeDatabase()
        let path = fixture.logPath("a")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try Data(repeating: 0x41, count: 4_096).write(to: URL(fileURLWithPath: path))
        var events = store.events().makeAsyncIterator()
        try store.set(2, forKey: "k")
        #expect(throws: (any Error).self) { try store.save() }
        #expect(store.hasUnsavedChanges)
        var reported = false
        while !reported, let event = await events.next() {
            if case .saveFailed = event.kind { reported = true }
        }
        #expect(reported)
        try whole.write(to: URL(fileURLWithPath: path))
        try await store.save()
        #expect(!store.hasUnsavedChanges)
        #expect(try fixture.store(nil).everything == ["before": 1, "k": 2])
    }

    @Test func changesBeforeLoadingAreRefused() throws {
        let fixture = try StoreFixture()
        let store = try fixture.unloaded("a")
        #expect(throws: KeyValueError.self) { try store.set(1, forKey: "k") }
        try store.load()
        #expect(store.count == 0)
    }

    @Test func storeWithoutDeviceRefusesChanges() throws {
        let store = try StoreFixture().store(nil)
        #expect(throws: KeyValueError.self) { try store.set(1, forKey: "k") }
    }

    @Test func twoStoresOfOneDeviceSeeEachOthersRows() throws {
        let fixture = try StoreFixture()
        let first = try fixture.store("a")
        let second = try fixture.store("a")
        try first.set(1, forKey: "x")
        try second.set(2, forKey: "y")
        try first.save()
        try second.save()
        #expect(second.everything == ["x": 1, "y": 2])
        try first.sync()
        #expect(first.everything == ["x": 1, "y": 2])
        try first.set(3, forKey: "y")
        try second.set(4, forKey: "x")
        try second.save()
        try first.save()
        try second.sync()
        #expect(first.everything == ["x": 4, "y": 3])
        #expect(second.everything == first.everything)
        #expect(first.conflictCount == 0)
        #expect(
            try fixture.query("a", "SELECT id FROM log ORDER BY id") == [1, 2, 3, 4] as [Int64])
        #expect(try fixture.store(nil).everything == first.everything)
    }

    @Test func twoStoresOfOneDeviceKeepAllParents() throws {
        let fixture = try StoreFixture()
        let other = try fixture.store("b")
        try other.set("b", forKey: "k")
        try other.save()
        // The first store has seen b's row. The second, opened before the row arrived, has not.
        let second = try fixture.unloaded("a")
        let first = try fixture.store("a")
        try first.set("knows", forKey: "k")
        try second.load()
        try first.save()
        try second.set("later", forKey: "k")
        try second.save()
        // The device's two writes were concurrent, and both had seen b's row.
        let reader = try fixture.store(nil)
        #expect(reader["k"] == "later")
        let conflict = try #require(try reader.conflict(forKey: "k"))
        #expect(try conflict.devices == [DeviceID("a"), DeviceID("a")])
    }

    @Test func manyThreadsWriteAndReadAtOnce() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        try? store.set(.integer(Int64(number)), forKey: "\(task)/\(number % 10)")
                        _ = store["\((task + 1) % 8)/\(number % 10)"]
                        if number % 25 == 0 { try? await store.save() }
                    }
                }
            }
        }
        try await store.save()
        #expect(store.count == 80)
        #expect(store.rowCount == 800)
        #expect(try fixture.store(nil).everything == store.everything)
    }
}
