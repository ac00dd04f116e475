import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    @Test func readmeExampleRuns() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        // begin
        let store = try KeyValueStore(path: path, device: "desk")
        try store.load()
        let title = "Groceries"
        try store.set(title, forKey: "note/1/title")  // takes microseconds, on any thread
        try store.save()  // on disk when it returns
        // end
        #expect(store["note/1/title"] == "Groceries")
        let other = KeyValueStore(
            package: try StorePackage(opening: path), device: try DeviceID("phone"))
        try other.load()
        #expect(other["note/1/title"] == "Groceries")
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
