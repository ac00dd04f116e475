import KeyValueStore
import TestSupport
import Testing

@Suite struct ArticleExampleTests {
    /// The loop ends when the store is closed, so the example is only compiled.
    private func example(_ path: String) async throws {
        // begin
        let store = try KeyValueStore(path: path, device: "desk")
        try await store.load()
        let title = "Groceries"
        try store.set(title, forKey: "note/1/title")  // visible when it returns
        try await store.save()  // on disk when it returns
        for await event in store.events() {
            switch event.kind {
            case .changed(let changes): print("this device wrote", changes.keys)
            case .synced(let sync): print(sync.device, "wrote", sync.keys)
            default: break
            }
        }
        // end
    }

    @Test func articleShowsTheExample() throws {
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
