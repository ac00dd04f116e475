import Foundation
import KeyValueStore
import Replication
import Testing

/// A program of notes that was written for PARStore.
@Suite struct NotesTests {
    /// A type of the program that has the name of a type of the library.
    struct Change { let title: String }

    @Test func notesAreStoredMergedAndReadBack() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try KeyValueStore(path: folder + "/Notes.store", device: "desk")
        try await store.load()
        let title = "Groceries"
        let due = Date(timeIntervalSince1970: 0)
        let tags = ["shop", "today"]
        try store.set(title, forKey: "note/1/title")
        try store.set(due, forKey: "note/1/due")
        try store.set(tags, forKey: "note/1/tags")
        try store.set(contentsOf: ["note/2/title": "Tea", "note/3/title": "Milk"])
        try await store.save()

        let copy = try KeyValueStore(path: folder + "/Copy.store", device: "desk")
        try await copy.load()
        let added = try await copy.perform { try $0.merge(store) }
        #expect(added == 5)
        let all: [String: PropertyList] = copy.dictionary(prefix: "note/")
        #expect(all.count == 5)
        #expect(try copy.string(forKey: "note/1/title") == title)
        #expect(try copy.date(forKey: "note/1/due") == due)
        let history = try await copy.perform { try $0.rows(forKey: "note/1/title") }
        #expect(history.count == 1)
        try await copy.perform { try $0.blobs.put(Data([1]), at: "photos/1.jpg") }
        #expect(try await copy.perform { try $0.blobs.paths() } == ["photos/1.jpg"])
        try store.transaction { transaction in
            let count = transaction["count"]?.integer ?? 0
            try transaction.set(count + 1, forKey: "count")
        }
        #expect(store["count"]?.integer == 1 && store["note/1/title"]?.string == title)
        #expect(!store.isEmpty)
        let change = KeyValueStore.Change(history[0])
        #expect(Change(title: change.key).title == "note/1/title")
        try store.close()
        try copy.close()
    }

    @Test func conflictOfTwoDevicesIsResolved() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let desk = try KeyValueStore(path: folder + "/Notes.store", device: "desk")
        let phone = try KeyValueStore(path: folder + "/Notes.store", device: "phone")
        try await desk.load()
        try await phone.load()
        try desk.set("Tea", forKey: "title")
        try phone.set("Milk", forKey: "title")
        try await desk.save()
        try await phone.save()
        try await desk.sync()
        let conflicts = try await desk.perform { try $0.conflicts() }
        let values = try conflicts.flatMap(\.rows).map { try $0.value()?.string }
        #expect(Set(values) == ["Tea", "Milk"])
        for conflict in conflicts { try desk.resolve(conflict, taking: conflict.others[0]) }
        #expect(try desk.conflicts().isEmpty)
        try await desk.save()
        let title = try await desk.perform { try $0.value(forKey: "title", at: Timestamp(.now)) }
        #expect(title == desk["title"])
        try desk.close()
        try phone.close()
    }
}
