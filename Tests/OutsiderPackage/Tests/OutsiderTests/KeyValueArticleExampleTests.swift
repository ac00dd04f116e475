import Foundation
import KeyValueStore
import Replication
import Testing

/// The examples of the article of KeyValueStore.
@Suite struct KeyValueArticleExampleTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())")

    // begin
    @Test func storeIsOpenedAndSaved() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "Notes.store").path
        let store = try KeyValueStore(path: path, device: "desk")
        try store.load()
        let title = "Groceries"
        try store.set(title, forKey: "note/1/title")  // visible when it returns
        try store.save()  // on disk when it returns
        print(store["note/1/title"]?.string ?? "")
        let photo = folder.appending(path: "photo.jpg")
        try Data([1, 2]).write(to: photo)
        try store.blobs.put(contentsOf: photo, at: "photos/4.jpg")
        let file = try store.blobs.url(of: "photos/4.jpg")
        #expect(try file.map { try Data(contentsOf: $0) } == Data([1, 2]))
        try store.close()
    }

    @Test func valuesAreReadAndWritten() throws {
        struct Note: Codable { var title: String, due: Date? }

        let store = KeyValueStore()
        let due = Date.now
        try store.set(contentsOf: ["note/1/due": due, "note/1/color": "red"])
        try store.set(encoding: Note(title: "Low tide", due: due), forKey: "note/2")
        let note = try store.value(forKey: "note/2", as: Note.self)
        try store.removeValue(forKey: "note/1/color")
        for key in store.keys(prefix: "note/") { print(key) }
        let values: [String: PropertyList] = store.dictionary(prefix: "note/1/")
        #expect(note?.due == due && values.keys.sorted() == ["note/1/due"])
        try store.transaction { transaction in
            let count = transaction["count"]?.integer ?? 0
            try transaction.set(count + 1, forKey: "count")
            try transaction.removeValue(forKey: "draft")
        }
        #expect(store["count"] == 1)
    }

    @Test func eventsAndConflictsAreRead() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "Notes.store").path
        let store = try KeyValueStore(path: path, device: "desk")
        let other = try KeyValueStore(path: path, device: "phone")
        try await store.load()
        try await other.load()
        let events = store.events()
        try store.set("Tea", forKey: "note/1/title")
        try other.set("Milk", forKey: "note/1/title")
        try await store.save()
        try await other.save()
        try await store.sync()
        for conflict in try store.conflicts() {
            for row in conflict.rows { print(row.device, try row.value() ?? "removed") }
            try store.resolve(conflict, taking: conflict.others[0])
        }
        #expect(try store.conflicts().isEmpty)
        let rows = try await store.perform { try $0.rows(forKey: "note/1/title") }
        let copy = try KeyValueStore(path: path + ".copy", device: "desk")
        try await copy.load()
        let added = try await store.perform { try $0.merge(copy) }  // a number of rows
        try copy.close()
        #expect(rows.count == 3 && added == 0)
        let date = Date.distantPast
        let past = try store.dictionary(at: Timestamp(date))
        let dates = rows.map(\.timestamp.date)
        #expect(past.isEmpty && dates == dates.sorted())
        // The stream ends when the store is closed.
        try store.close()
        for await event in events {
            switch event.kind {
            case .changed(let changes): print("this device wrote", changes.keys)
            case .synced(let sync): print(sync.device, "wrote", sync.keys)
            case .conflict(let key, let devices, _): print(devices, "wrote", key)
            default: break
            }
        }
        try other.close()
    }
    // end
}
