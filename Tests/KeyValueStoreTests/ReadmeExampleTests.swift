import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    @Test func readmeExampleRuns() async throws {
        let folder = try TemporaryFolder()
        let path = try StorePackage(creating: folder.appending("Notes.store")).path
        // begin
        let store = KeyValueStore(
            package: try StorePackage(opening: path), device: try DeviceID("desk"))
        try await store.load()
        try store.set("Groceries", forKey: "note/1/title")  // microseconds, from any thread
        try await store.save()  // on disk when it returns
        // end
        #expect(store["note/1/title"] == "Groceries")
        let other = KeyValueStore(
            package: try StorePackage(opening: path), device: try DeviceID("phone"))
        try await other.load()
        #expect(other["note/1/title"] == "Groceries")
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
