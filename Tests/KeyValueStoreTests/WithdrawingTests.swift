import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct WithdrawingTests {
    /// Makes every insertion fail like a full disk, until ``clear``.
    private static let full = """
        CREATE TRIGGER full BEFORE INSERT ON log
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END
        """
    private static let clear = "DROP TRIGGER full"

    /// A device `a`, among others, that wrote and then finds the disk full, with its clock.
    private struct Full {
        let fixture: StoreFixture
        let time = TestScheduler()
        let store: KeyValueStore

        init() throws {
            fixture = try StoreFixture()
            let scheduler = time.scheduler
            let other = try fixture.store("b")
            try other.set("b", forKey: "shared")
            try other.set("theirs", forKey: "other")
            try other.save()
            store = try fixture.store("a") {
                $0.scheduler = scheduler
                $0.saveDelay = .seconds(1)
                $0.saveDelayLimit = .seconds(15)
                $0.lockTimeout = .milliseconds(20)
                $0.closeTimeout = .milliseconds(10)
            }
            try store.set("mine", forKey: "own")
            try store.save()
            store.closeDatabase()
            try fixture.execute("a", WithdrawingTests.full)
        }

        /// Advances the clock past the next retry.
        func passAnHour() {
            time.advance(by: .seconds(3600))
            _ = store.isDeleted
        }
    }

    @Test func changesReportedAsFailedAreNeverWritten() throws {
        let full = try Full()
        try full.store.set("new", forKey: "own")
        try full.store.set("new", forKey: "shared")
        try full.store.set("new", forKey: "fresh")
        #expect(throws: (any Error).self) {
            try full.store.save(orWithdraw: ["own", "shared", "fresh"])
        }
        let before: [Name: PropertyList] = ["own": "mine", "shared": "b", "other": "theirs"]
        #expect(full.store.everything == before)
        #expect(full.store.unsavedKeys == [])
        #expect(full.store.saveProblem == nil)
        full.store.closeDatabase()
        try full.fixture.execute("a", Self.clear)
        full.passAnHour()
        #expect(full.store.everything == before)
        #expect(try full.fixture.store(nil).everything == before)
        #expect(try full.fixture.query("a", "SELECT count(*) FROM log") == [1])
    }

    @Test func retriedChangesAreListedAndCanBeWithdrawn() async throws {
        let full = try Full()
        var events = full.store.events().makeAsyncIterator()
        try full.store.set("new", forKey: "own")
        #expect(throws: (any Error).self) { try full.store.save() }
        #expect(full.store["own"] == "new")
        #expect(full.store.unsavedKeys == ["own"])
        #expect(full.store.saveProblem?.contains("full") == true)
        #expect(try full.store.withdrawUnsavedChanges() == ["own"])
        #expect(full.store["own"] == "mine")
        #expect(full.store.saveProblem == nil)
        var isTold = false
        while !isTold, let event = await events.next() {
            if case .saved = event.kind { isTold = true }
        }
        full.store.closeDatabase()
        try full.fixture.execute("a", Self.clear)
        full.passAnHour()
        #expect(try full.fixture.query("a", "SELECT count(*) FROM log") == [1])
    }

    @Test func keptChangesAreWrittenWhenSpaceReturns() throws {
        let full = try Full()
        try full.store.set("new", forKey: "own")
        #expect(throws: (any Error).self) {
            try full.store.save(orWithdraw: ["own"], unless: { _ in true })
        }
        #expect(full.store.unsavedKeys == ["own"])
        full.store.closeDatabase()
        try full.fixture.execute("a", Self.clear)
        full.passAnHour()
        #expect(full.store.unsavedKeys == [])
        #expect(try full.fixture.store(nil)["own"] == "new")
    }

    @Test func onlyTheGivenKeysAreWithdrawn() throws {
        let full = try Full()
        try full.store.set("earlier", forKey: "shared")
        try full.store.set("new", forKey: "own")
        #expect(throws: (any Error).self) { try full.store.save(orWithdraw: ["own"]) }
        #expect(full.store["own"] == "mine")
        #expect(full.store["shared"] == "earlier")
        #expect(full.store.unsavedKeys == ["shared"])
        full.store.closeDatabase()
        try full.fixture.execute("a", Self.clear)
        try full.store.save()
        #expect(try full.fixture.store(nil)["shared"] == "earlier")
        #expect(try full.fixture.store(nil)["own"] == "mine")
    }

    @Test func writeAfterAnUnseenOneOfTheSameDeviceIsRefusedOnRequest() throws {
        let fixture = try StoreFixture()
        let (one, two) = (try fixture.store("a"), try fixture.store("a"))
        try two.set("seen", forKey: "other")
        try two.save()
        try one.set("one", forKey: "k")
        try one.save()
        try two.set("two", forKey: "k")
        let error = #expect(throws: KeyValueError.self) {
            try two.save(orWithdraw: ["k"], refusingUnseen: true)
        }
        #expect(error?.code == .changedSinceRead)
        #expect(two["k"] == "one" && two.conflictCount == 0 && two.unsavedKeys == [])
        #expect(try fixture.query("a", "SELECT count(*) FROM log") == [2])
        // After the other write was read, the same write succeeds.
        try two.set("two", forKey: "k")
        try two.save(orWithdraw: ["k"], refusingUnseen: true)
        #expect(try fixture.store(nil)["k"] == "two")
        #expect(try fixture.store(nil).conflictCount == 0)
    }

    @Test func withdrawnWriteIsNotReportedAsSaved() async throws {
        let full = try Full()
        var events = full.store.events().makeAsyncIterator()
        try full.store.set("new", forKey: "own")
        #expect(throws: (any Error).self) { try full.store.save(orWithdraw: ["own"]) }
        try full.store.close()
        while let event = await events.next() {
            switch event.kind {
            case .saveFailed, .saved: Issue.record("\(event.kind) was reported")
            default: break
            }
        }
    }

    @Test func withdrawingAResolutionReopensTheConflict() throws {
        let fixture = try StoreFixture()
        let (one, two) = (try fixture.store("b"), try fixture.store("c"))
        try one.set("one", forKey: "k")
        fixture.clock.advance(microseconds: 5)
        try two.set("two", forKey: "k")
        for store in [one, two] { try store.save() }
        let store = try fixture.store("a")
        try store.set(1, forKey: "own")
        try store.save()
        store.closeDatabase()
        try fixture.execute("a", Self.full)
        try store.resolve("k", taking: DeviceID("b"))
        #expect(store.conflictCount == 0)
        #expect(throws: (any Error).self) { try store.save(orWithdraw: ["k"]) }
        #expect(store["k"] == "two")
        #expect(try store.conflict(forKey: "k")?.others.map(\.device.name) == ["b"])
    }

    @Test func closingWaitsOnlyBrieflyForALockedLog() throws {
        let full = try Full()
        try full.fixture.execute("a", Self.clear)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(
            path: full.fixture.logPath("a"), configuration: configuration)
        try queue.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        try full.store.set("new", forKey: "own")
        #expect(throws: (any Error).self) { try full.store.save() }
        #expect(full.store.unsavedKeys == ["own"])
        do {
            try full.store.close()
            Issue.record("a locked log was closed as if it had been written")
        } catch let error as ReplicationError {
            #expect(error.code == .busy)
        }
        try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
        #expect(try full.fixture.store(nil)["own"] == "mine")
    }

    @Test func waitForALockEndsWhenItsLimitIsShortened() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("file.db")
        var options = LocalDatabase.Options()
        options.lockWait = LockWait(.seconds(3600))
        let database = LocalDatabase(path: path, options: options) {
            try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (x)")
        }
        try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try other.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let lockWait = options.lockWait
        async let outcome: Bool = {
            do {
                try database.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                return true
            } catch { return false }
        }()
        lockWait.limit = .zero
        #expect(await outcome == false)
        try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try other.close()
        try database.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try database.read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [1, 3])
    }
}
