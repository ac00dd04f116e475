import Automerge
import DocumentSync
import DocumentSyncNIO
import Foundation
import TestSupport
import Testing

@Suite struct WebSocketTests {
    @Test(.timeLimit(.minutes(30))) func documentsTravelBothWaysOverAWebSocket() async throws {
        let (own, theirs) = (MemoryRepository(), MemoryRepository())
        let (small, large) = (DocumentID(), DocumentID())
        try own.makeDocument(small).put(obj: .ROOT, key: "a", value: .String("1"))
        // The text is larger than the frames that a server reads at once.
        var random = SeededRandom(seed: 1)
        let noise = String(
            (0..<300_000).map { _ in "abcdefghijklmnop".randomElement(using: &random) ?? "a" })
        try theirs.makeDocument(large).put(obj: .ROOT, key: "b", value: .String(noise))
        let server = try await WebSocketServer(port: 0)
        let serving = DocumentExchange(of: theirs, policy: .onRequest)
        let client = DocumentExchange(of: own, policy: .mine)
        await client.request([large])
        let events = client.events()
        let tasks = [
            Task { try? await server.run(serving) },
            Task {
                try? await SyncClient(client, to: WebSocketConnector(server.address)).run()
            },
        ]
        var left: Set = [small, large]
        for await event in events {
            if case .inSync(let id, _) = event.kind { left.remove(id) }
            if left.isEmpty { break }
        }
        #expect(theirs[small]?.heads() == own[small]?.heads())
        #expect(theirs[large]?.heads() == own[large]?.heads())
        for task in tasks.reversed() {
            task.cancel()
            await task.value
        }
    }

    @Test(arguments: [
        "", "localhost", "http://localhost", "ws://", "ws://localhost:0", "ws://localhost:70000",
        "ws://user:word@localhost", "ws://localhost/#part", "wss:localhost",
    ])
    func invalidAddressesAreRefused(_ address: String) {
        let error = #expect(throws: SyncError.self) { try WebSocketConnector(address) }
        #expect(error?.code == .invalidAddress)
    }

    @Test(.timeLimit(.minutes(30))) func missingServerIsAReadableError() async throws {
        let error = await #expect(throws: SyncError.self) {
            try await WebSocketConnector("ws://127.0.0.1:1").connect()
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.message == "ws://127.0.0.1:1: connection refused")
    }

    @Test(.timeLimit(.minutes(30))) func encryptionIsAnErrorWithAPlainServer() async throws {
        let server = try await WebSocketServer(port: 0)
        let exchange = DocumentExchange(of: MemoryRepository(), policy: .onRequest)
        let serving = Task { try? await server.run(exchange) }
        let error = await #expect(throws: SyncError.self) {
            try await WebSocketConnector("wss://127.0.0.1:\(server.port)").connect()
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.message == "wss://127.0.0.1:\(server.port): the server doesn't use TLS")
        serving.cancel()
        await serving.value
    }

    @Test(.timeLimit(.minutes(30))) func usedPortIsAnError() async throws {
        let server = try await WebSocketServer(port: 0)
        let error = await #expect(throws: SyncError.self) {
            try await WebSocketServer(port: server.port)
        }
        #expect(error?.code == .cannotListen)
        let exchange = DocumentExchange(of: MemoryRepository(), policy: .onRequest)
        let serving = Task { try? await server.run(exchange) }
        serving.cancel()
        await serving.value
    }
}
