import Foundation
import KeyValueStore
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
        let change = KeyValueStore.Change(history[0])
        #expect(Change(title: change.key).title == "note/1/title")
        try store.close()
        try copy.close()
    }
}
