import Foundation
import KeyValueStore
import Replication
import Testing

@Suite(.timeLimit(.minutes(30))) struct ClosingTests {
    private static func loaded(_ kind: KeyValueStore.Event.Kind) -> Int? {
        if case .loaded(_, let keys, _) = kind { keys } else { nil }
    }

    @Test func closedStoreIsEmptyAndRefusesWrites() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "k")
        try store.close()
        #expect(!store.isLoaded && store.count == 0 && store["k"] == nil)
        #expect(store.devices.isEmpty && store.rowCount == 0)
        #expect(throws: KeyValueError.self) { try store.set(2, forKey: "k") }
        #expect(throws: KeyValueError.self) { try store.rows(since: nil) }
        try store.close()
        #expect(try fixture.store(nil)["k"] == 1)
    }

    @Test func closedStoreCanBeLoadedAgain() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "k")
        let first = try #require(store.newestTimestamp(forKey: "k"))
        try store.close()
        let other = try fixture.store("b")
        try other.set(2, forKey: "l")
        try other.save()
        try store.load()
        #expect(store.everything == ["k": 1, "l": 2])
        try store.set(3, forKey: "k")
        try store.save()
        #expect(try #require(store.newestTimestamp(forKey: "k")) > first)
        #expect(try fixture.store(nil).everything == ["k": 3, "l": 2])
        try store.close()
        try store.load()
        #expect(try store.rows(forKey: "k").map { try $0.value() } == [1, 3])
    }

    @Test func eventsEndOnCloseAndRestartForNewSubscribers() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a", watches: true)
        var old = store.events().makeAsyncIterator()
        try store.set(1, forKey: "k")
        try store.close()
        var heard = 0
        while await old.next() != nil { heard += 1 }
        #expect(heard > 0)
        var new = store.events().makeAsyncIterator()
        try await store.load()
        #expect(await next(&new, Self.loaded) == 1)
        // The watcher runs again.
        let other = try fixture.store("b")
        try other.set("hello", forKey: "l")
        try await other.save()
        let keys = await next(&new) { kind in
            if case .synced(let sync) = kind { sync.keys } else { nil }
        }
        #expect(keys == ["l"])
        #expect(store["l"] == "hello")
        try store.close()
        #expect(await next(&new, Self.loaded) == nil)
    }

    @Test func earlierLoadRequestDoesNotReopenAClosedStore() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.close()
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.load()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(!store.isLoaded)
        try await store.load()
        #expect(store.isLoaded)
    }

    @Test func changesLostOnCloseAreNotWrittenAfterLoading() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a") { $0.closeTimeout = .zero }
        try store.set(1, forKey: "k")
        try store.save()
        store.closeDatabase()
        // Put a folder in place of the journal.
        let journal = fixture.logPath("a") + "-journal"
        try? FileManager.default.removeItem(atPath: journal)
        try FileManager.default.createDirectory(
            atPath: journal + "/full", withIntermediateDirectories: true)
        try store.set(2, forKey: "k")
        #expect(throws: ReplicationError.self) { try store.close() }
        try FileManager.default.removeItem(atPath: journal)
        try store.load()
        #expect(store["k"] == 1)
        #expect(store.unsavedKeys.isEmpty && store.saveProblem == nil)
        try store.save()
        #expect(try fixture.store(nil)["k"] == 1)
        try store.set(3, forKey: "k")
        try store.save()
        #expect(try fixture.store(nil)["k"] == 3)
    }

    @Test func packageThatReturnedWhileClosedCanBeLoaded() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a", watches: true)
        try store.set(1, forKey: "k")
        try await store.save()
        var events = store.events().makeAsyncIterator()
        let away = fixture.package.path + ".away"
        try FileManager.default.moveItem(atPath: fixture.package.path, toPath: away)
        let isTold = await next(&events) { kind in
            if case .deleted = kind { true } else { nil }
        }
        #expect(isTold == true)
        try store.close()
        try FileManager.default.moveItem(atPath: away, toPath: fixture.package.path)
        try await store.load()
        #expect(!store.isDeleted && store["k"] == 1)
        try store.close()
    }

    @Test func inMemoryStoreIsEmptyAfterClosing() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.set(1, forKey: "k")
        try store.blobs.put(Data("x".utf8), at: "b")
        try store.close()
        #expect(throws: KeyValueError.self) { try store.set(2, forKey: "k") }
        try store.load()
        #expect(try store.isLoaded && store.count == 0 && store.blobs.paths().isEmpty)
        try store.set(3, forKey: "k")
        #expect(store.everything == ["k": 3])
    }
}
