import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Reverting a device's rows, especially resolutions of conflicts.
@Suite struct RevertingTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func write(_ device: String, _ value: PropertyList?, _ key: String = "key") throws {
        fixture.clock.advance(microseconds: 1_000)
        let store = try fixture.store(device)
        try store.set(value, forKey: key)
        try store.close()
    }

    /// The conflicts and their common ancestors, one line per key.
    private func conflicts(_ store: KeyValueStore) throws -> [String] {
        try store.conflicts().map { conflict in
            let rows = [conflict.winner] + conflict.others + (conflict.base.map { [$0] } ?? [])
            return "\(conflict.key): "
                + (try rows.map {
                    "\($0.device) \($0.timestamp.microseconds) \(try $0.value()?.description ?? "-")"
                }).joined(separator: ", ")
        }
    }

    /// Three devices: a and b wrote concurrently after the same value.
    private func disagree(_ fixture: StoreFixture) throws {
        try write("a", "base")
        let stale = try fixture.store("b")
        try write("a", "from a")
        fixture.clock.advance(microseconds: 1_000)
        try stale.set("from b", forKey: "key")
        try stale.close()
    }

    private func resolve(_ device: String, taking side: String) throws -> Timestamp {
        fixture.clock.advance(microseconds: 1_000)
        let store = try fixture.store(device)
        try store.resolve("key", taking: DeviceID(side))
        try store.save()
        #expect(store.conflictCount == 0)
        let time = try #require(store.ownTimestamp(forKey: "key"))
        try store.close()
        return time
    }

    private func revert(_ device: String, _ time: Timestamp) throws {
        fixture.clock.advance(microseconds: 1_000)
        let store = try fixture.store(device)
        try store.revert([store.reversion("key", writtenAt: time)])
        try store.close()
    }

    @Test func rowIsNotRevertedIfItsParentCannotBeRead() throws {
        try write("b", "old")
        try write("a", "new")
        let log = URL(filePath: fixture.logPath("b"))
        let whole = try Data(contentsOf: log)
        try Data("no database".utf8).write(to: log)
        let store = try fixture.store("a")
        let time = try #require(store.ownTimestamp(forKey: "key"))
        let error = #expect(throws: ReplicationError.self) {
            _ = try store.reversion("key", writtenAt: time)
        }
        #expect(error?.code == .unreadable)
        try whole.write(to: log)
        try store.sync()
        #expect(try store.reversion("key", writtenAt: time).value() == "old")
    }

    @Test(arguments: ["a", "b", "c"], ["a", "b"])
    func revertingAResolutionRestoresTheConflict(resolver: String, side: String) throws {
        try disagree(fixture)
        let live = try fixture.store("d")
        let before = try conflicts(live)
        let value = live["key"]
        #expect(before.count == 1)
        let time = try resolve(resolver, taking: side)
        try live.sync()
        #expect(live.conflictCount == 0)
        try revert(resolver, time)
        try live.sync()
        #expect(try conflicts(live) == before)
        #expect(live["key"] == value)
        try live.load()
        #expect(try conflicts(live) == before)
        for device in ["a", "b", "c", nil] {
            let store = try fixture.store(device)
            #expect(try conflicts(store) == before)
            #expect(store["key"] == value)
            #expect(try store.conflicts(at: fixture.clock.now).count == 1)
            #expect(try store.conflicts(at: time).isEmpty)
            try store.close()
        }
        // A later resolution counts, on any device.
        _ = try resolve("b", taking: side)
        try live.sync()
        #expect(live.conflictCount == 0)
        #expect(live["key"] == .string("from \(side)"))
    }

    @Test func revertedResolutionIsIndependentOfLogOrder() throws {
        try disagree(fixture)
        let before = try conflicts(fixture.store(nil))
        try revert("c", try resolve("c", taking: "a"))
        let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"], ["c", "a", "b"]]
        for order in orders {
            let other = try StoreFixture()
            let live = try other.store("e")
            for device in order {
                try FileManager.default.copyItem(
                    atPath: "\(fixture.package.path)/Devices/\(device)",
                    toPath: "\(other.package.path)/Devices/\(device)")
                try live.sync()
            }
            #expect(try conflicts(live) == before, "\(order)")
        }
    }

    @Test func restoredSideKeepsItsOriginalTime() throws {
        try disagree(fixture)
        let before = try #require(try fixture.store(nil).entry(forKey: "key"))
        #expect(before.authored == before.timestamp)
        let time = try resolve("c", taking: "a")
        fixture.clock.advance(microseconds: 1_000)
        let writer = try fixture.store("c")
        try writer.revert([writer.reversion("key", writtenAt: time)])
        #expect(writer.entry(forKey: "key")?.authored == before.timestamp)
        try writer.save()
        for store in [writer, try fixture.store("a"), try fixture.store(nil)] {
            try store.sync()
            let entry = try #require(store.entry(forKey: "key"))
            #expect(try entry.device == DeviceID("c") && entry.timestamp > time)
            #expect(entry.author == before.author)
            #expect(entry.authored == before.timestamp)
        }
        let past = try fixture.store(nil).conflictOriginals(at: fixture.clock.now)
        #expect(past["key"]?.device == before.author)
        #expect(past["key"]?.timestamp == before.timestamp)
    }

    @Test func revertCanBeReverted() throws {
        try disagree(fixture)
        let before = try conflicts(fixture.store(nil))
        let time = try resolve("a", taking: "a")
        try revert("a", time)
        let store = try fixture.store("a")
        let again = try #require(store.ownTimestamp(forKey: "key"))
        try store.close()
        try revert("a", again)
        let resolved = try fixture.store("b")
        #expect(resolved.conflictCount == 0)
        #expect(resolved["key"] == "from a")
        try resolved.close()
        // The row that resolved first was reverted, and stays reverted.
        #expect(throws: KeyValueError.self) { try revert("a", time) }
        let last = try fixture.store("a")
        let third = try #require(last.ownTimestamp(forKey: "key"))
        try last.close()
        try revert("a", third)
        #expect(try conflicts(fixture.store(nil)) == before)
    }

    @Test func rowThatOthersBuildOnIsNotReverted() throws {
        try disagree(fixture)
        let time = try resolve("a", taking: "b")
        try write("b", "built on it")
        let store = try fixture.store("a")
        #expect {
            _ = try store.reversion("key", writtenAt: time)
        } throws: { error in
            guard let error = error as? KeyValueError, let later = error.laterWrite else {
                return false
            }
            return error.code == .builtOn && later.key == "key" && later.device.name == "b"
                && !later.isOwn
        }
        #expect(store["key"] == "built on it")
        try store.close()
    }

    @Test func revertIsRefusedBeforeLaterOwnWritesAreReverted() throws {
        try write("a", "first")
        let store = try fixture.store("a")
        let time = try #require(store.ownTimestamp(forKey: "key"))
        try store.close()
        try write("a", "second")
        let later = try fixture.store("a")
        #expect {
            _ = try later.reversion("key", writtenAt: time)
        } throws: { error in
            guard let error = error as? KeyValueError, let later = error.laterWrite else {
                return false
            }
            return error.code == .builtOn && later.key == "key" && later.isOwn
                && later.timestamp > time
        }
        try later.close()
    }

    @Test func concurrentWriteConflictsWithARevert() throws {
        try disagree(fixture)
        let time = try resolve("a", taking: "a")
        let stale = try fixture.store("a")
        let plan = try stale.reversion("key", writtenAt: time)
        try write("b", "built on it")
        fixture.clock.advance(microseconds: 1_000)
        try stale.revert([plan])
        try stale.close()
        let store = try fixture.store("c")
        let conflict = try #require(try store.conflicts().first)
        #expect(
            Set(try ([conflict.winner] + conflict.others).map { try $0.value() }) == [
                "from b", "built on it",
            ])
        try store.close()
    }

    @Test func keyChangedSincePlanningIsNotReverted() throws {
        try write("a", "one")
        try write("a", "two")
        let store = try fixture.store("a")
        let time = try #require(store.ownTimestamp(forKey: "key"))
        let plan = try store.reversion("key", writtenAt: time)
        #expect(try plan.value() == "one")
        #expect(plan.reopened.isEmpty)
        fixture.clock.advance(microseconds: 1_000)
        try store.set("three", forKey: "key")
        #expect {
            try store.revert([plan])
        } throws: { ($0 as? KeyValueError)?.code == .changedSinceRead }
        #expect(throws: KeyValueError.self) { try store.reversion("key", writtenAt: time) }
        #expect(store["key"] == "three")
        try store.close()
    }

    @Test func revertingAnUnsavedRowReopensAConflict() throws {
        try disagree(fixture)
        let before = try conflicts(fixture.store(nil))
        let time = try resolve("a", taking: "a")
        let store = try fixture.store("a")
        try store.revert([store.reversion("key", writtenAt: time)])
        #expect(store.conflictCount == 1)
        #expect(store["key"] == "from b")
        try store.withdrawUnsavedChanges()
        #expect(store.conflictCount == 0)
        #expect(store["key"] == "from a")
        try store.revert([store.reversion("key", writtenAt: time)])
        #expect(try conflicts(store) == before)
        try store.close()
    }

    @Test func mergedCopyRestoresTheConflict() throws {
        try disagree(fixture)
        let before = try conflicts(fixture.store(nil))
        let other = try StoreFixture()
        try FileManager.default.removeItem(atPath: other.package.path)
        try FileManager.default.copyItem(
            atPath: fixture.package.path, toPath: other.package.path)
        try revert("a", try resolve("a", taking: "a"))
        for unsafe in [[], ["a"]] {
            let copy = try StoreFixture()
            try FileManager.default.removeItem(atPath: copy.package.path)
            try FileManager.default.copyItem(
                atPath: other.package.path, toPath: copy.package.path)
            let store = try copy.store("c")
            try store.merge(
                fixture.store("c"), unsafeDevices: Set(unsafe.map { try DeviceID($0) }))
            #expect(try conflicts(store).count == 1)
            if unsafe.isEmpty { #expect(try conflicts(store) == before) }
            try store.close()
        }
    }

    @Test func parstoreLogReportsThatTheConflictStaysResolved() throws {
        let start = fixture.clock.now.microseconds
        _ = try ParstoreFile(
            at: fixture.logPath("a"),
            rows: [
                .init(timestamp: start - 9_000, parent: nil, key: "key", value: "base"),
                .init(timestamp: start - 8_000, parent: start - 9_000, key: "key", value: "from a"),
            ])
        for (name, time) in [("b", start - 7_000), ("c", start - 6_000)] {
            _ = try ParstoreFile(
                at: fixture.logPath(name),
                rows: [
                    .init(
                        timestamp: time, parent: start - 9_000, key: "key",
                        value: .string("from \(name)"))
                ])
        }
        for taken in ["a", "b"] {
            let resolver = try fixture.store("a")
            let value = resolver["key"]
            let isConflict = resolver.conflictCount == 1
            try isConflict
                ? resolver.resolve("key", taking: DeviceID(taken))
                : resolver.set("another", forKey: "key")
            try resolver.save()
            let time = try #require(resolver.ownTimestamp(forKey: "key"))
            let plan = try resolver.reversion("key", writtenAt: time)
            #expect(plan.losesConflict == isConflict)
            #expect(plan.reopened.isEmpty)
            #expect(try plan.value() == value)
            fixture.clock.advance(microseconds: 1_000_000)
            try resolver.revert([plan])
            try resolver.close()
            let reader = try fixture.store(nil)
            #expect(reader["key"] == value)
            #expect(reader.conflictCount == 0)
        }
    }
}
