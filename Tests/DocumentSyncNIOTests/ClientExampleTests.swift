import DocumentStore
import DocumentSync
import DocumentSyncNIO
import Replication
import TestSupport
import Testing

@Suite struct ClientExampleTests {
    /// The client runs until it is canceled, so the example is only compiled.
    private func example() async throws {
        // begin
        let store = try AutomergeStore(package: "Notes.store", device: DeviceID("desk"))
        let exchange = DocumentExchange(of: StoreRepository(store), policy: .mine)
        let connector = try WebSocketConnector("wss://sync.example.org")
        try await SyncClient(exchange, to: connector).run()  // until it is canceled
        // end
    }

    @Test func articleShowsTheExample() throws {
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
