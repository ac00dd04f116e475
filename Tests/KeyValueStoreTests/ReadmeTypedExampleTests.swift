import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct ReadmeTypedExampleTests {
    @Test func readmeExampleOfTypedValuesRuns() async throws {
        let fixture = try StoreFixture()
        let photo = fixture.folder.url.appending(path: "harbor.jpg")
        try Data([1, 2]).write(to: photo)
        let store = try fixture.store("desk")
        try store.set("Groceries", forKey: "note/1/title")
        // begin
        struct Note: Codable { var title: String, due: Date? }

        try store.set(encoding: Note(title: "Low tide", due: .now), forKey: "note/2")
        let note = try store.value(forKey: "note/2", as: Note.self)
        let title = try store.string(forKey: "note/1/title")
        let written = try store.set(contentsOf: ["theme": "dark", "size": 12])
        try store.set(contentsOf: ["last/title": title, "last/date": Date.now])
        let changes = try store.rows(since: nil).map { Change($0) }
        let text = try JSONEncoder().encode(changes)
        try store.blobs.put(contentsOf: photo, at: "photos/4.jpg")
        let file = try store.blobs.url(of: "photos/4.jpg")
        let rows = try await store.perform { try $0.rows(forKey: "note/2") }
        // end
        #expect(note?.title == "Low tide" && title == "Groceries" && rows.count == 1)
        #expect(store["last/title"]?.string == title && store["last/date"]?.date != nil)
        #expect(store.newestTimestamp(forKey: "size") == written)
        #expect(try JSONDecoder().decode([Change].self, from: text) == changes)
        #expect(try file.map { try Data(contentsOf: $0) } == Data([1, 2]))
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
