import DocumentStore
import DocumentSync
import DocumentSyncNIO
import TestSupport
import Testing

@Suite struct ServerExampleTests {
    /// The server runs until it is canceled, so the example is only compiled.
    private func example(_ store: AutomergeStore) async throws {
        // begin
        let exchange = DocumentExchange(of: StoreRepository(store), policy: .onRequest)
        let server = try await WebSocketServer(port: 3030)
        try await server.run(exchange)
        // end
    }

    @Test func articleShowsTheExample() throws {
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
