import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct PerformingTests {
    @Test(.timeLimit(.minutes(30)))
    func historyMergeAndBlobsDoNotBlockTheCaller() async throws {
        let folder = try TemporaryFolder()
        let store = try KeyValueStore(path: folder.appending("Notes.store"), device: "desk")
        let other = try KeyValueStore(path: folder.appending("Copy.store"), device: "desk")
        try await store.load()
        try await other.load()
        try store.set("Milk", forKey: "a")
        try store.set("Tea", forKey: "a")
        try other.set("Bread", forKey: "b")
        try await other.save()
        let rows = try await store.perform { try $0.rows(forKey: "a") }
        let merged = try await store.perform { try $0.merge(other) }
        let photo = try await store.perform { store in
            try store.blobs.put(Data([1, 2]), at: "photos/1.jpg")
            return try store.blobs.data(at: "photos/1.jpg")
        }
        #expect(rows.map(\.key) == ["a", "a"])
        #expect(merged == 1 && store["b"] == "Bread")
        #expect(photo == Data([1, 2]))
        try store.close()
        try other.close()
    }

    @Test func errorsOfTheBodyAreThrown() async throws {
        let folder = try TemporaryFolder()
        let store = try KeyValueStore(path: folder.appending("Notes.store"), device: "desk")
        await #expect(throws: KeyValueError.self) {
            try await store.perform { try $0.rows(since: nil) }
        }
    }

    @Test func canceledTaskPerformsNothing() async throws {
        let store = KeyValueStore(inMemory: .init())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.perform { try $0.set(1, forKey: "a") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(store["a"] == nil)
    }
}
