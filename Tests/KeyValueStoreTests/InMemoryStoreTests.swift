import Foundation
import KeyValueStore
import Replication
import Testing

@Suite struct InMemoryStoreTests {
    @Test func inMemoryStoreIsLoadedAndKeepsValues() throws {
        let store = KeyValueStore(inMemory: .init())
        #expect(store.isLoaded)
        try store.set(1, forKey: "k")
        try store.set(contentsOf: ["k": 2, "l": nil, "m": "x"])
        #expect(store.everything == ["k": 2, "m": "x"])
        try store.removeValue(forKey: "m")
        #expect(store.keys == ["k"])
        try store.load()
        try store.sync()
        try store.save()
        #expect(store.everything == ["k": 2])
    }

    @Test func inMemoryStoreHasNoHistory() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.set(1, forKey: "k")
        #expect(try store.rows(since: nil).isEmpty)
        #expect(store.newestTimestamp(forKey: "k") == nil)
        #expect(store.newestTimestampsByKey().isEmpty)
        #expect(try store.value(forKey: "k", at: .distantFuture) == nil)
        #expect(throws: KeyValueError.self) {
            try store.merge(KeyValueStore(inMemory: .init()))
        }
    }

    @Test func changesAreReported() async throws {
        let store = KeyValueStore(inMemory: .init())
        var events = store.events().makeAsyncIterator()
        try store.set(1, forKey: "k")
        guard case .changed(let changes)? = await events.next()?.kind else {
            Issue.record("no change")
            return
        }
        #expect(changes["k"]?.value == 1)
    }

    @Test func blobsAreKeptInADictionary() throws {
        let store = KeyValueStore(inMemory: .init())
        #expect(try store.blobs.data(at: "x") == nil)
        try store.blobs.put(Data("1".utf8), at: "x")
        #expect(try store.blobs.data(at: "x") == Data("1".utf8))
        #expect(try store.blobs.paths() == ["x"])
        try store.blobs.delete("x")
        try store.blobs.delete("x")
        #expect(try store.blobs.paths().isEmpty)
    }
}
