import DocumentSync
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct StreamTests {
    @Test(arguments: ["unix:/run/a b.sock", "tcp:localhost:3030", "tcp:[::1]:80"])
    func addressesRoundTrip(_ text: String) {
        #expect(StreamAddress(text)?.description == text)
    }

    @Test(arguments: ["", "unix:", "tcp:", "tcp:host", "tcp::80", "tcp:host:99999", "ws://host"])
    func invalidAddressesAreRefused(_ text: String) { #expect(StreamAddress(text) == nil) }

    @Test(.timeLimit(.minutes(30)), arguments: [true, false])
    func storesExchangeDocumentsOverASocket(_ isUnix: Bool) async throws {
        let folder = try TemporaryFolder()
        let (client, server) = (Node("client", .everything), Node("server", .everything))
        let (first, second) = (try client.make("a", "1"), try server.make("b", "2"))
        let listener = try StreamListener(
            at: isUnix
                ? .unix(path: folder.appending("s")) : .tcp(host: "127.0.0.1", port: 0))
        let serving = Task { await listener.run(server.exchange) }
        let events = client.exchange.events()
        let running = Task {
            try? await SyncClient(client.exchange, to: StreamConnector(listener.address)).run()
        }
        var left: Set = [first, second]
        _ = await DocumentSyncTests.first(events) { kind in
            for id in left where kind.isInSync(id) { left.remove(id) }
            return left.isEmpty
        }
        #expect(try server.value(first, "a") == "1")
        #expect(try client.value(second, "b") == "2")
        running.cancel()
        serving.cancel()
        await running.value
        await serving.value
        #expect(!FileManager.default.fileExists(atPath: folder.appending("s")))
    }

    @Test func onlyTheOwnerCanUseASocket() throws {
        let folder = try TemporaryFolder()
        let listener = try StreamListener(at: .unix(path: folder.appending("s")))
        var status = stat()
        #expect(lstat(folder.appending("s"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        listener.close()
    }

    @Test func onlyAnAbandonedSocketIsReplaced() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("s")
        let first = try StreamListener(at: .unix(path: path))
        let error = #expect(throws: SyncError.self) { try StreamListener(at: .unix(path: path)) }
        #expect(error?.code == .cannotListen)
        // A killed program leaves its socket file behind.
        let copy = folder.appending("kept")
        try FileManager.default.moveItem(atPath: path, toPath: copy)
        first.close()
        let second = try StreamListener(at: .unix(path: copy))
        second.close()
        try Data("a file".utf8).write(to: URL(filePath: path))
        #expect(throws: SyncError.self) { try StreamListener(at: .unix(path: path)) }
        #expect(FileManager.default.contents(atPath: path) == Data("a file".utf8))
    }

    @Test func overlongPathIsAnError() {
        let error = #expect(throws: SyncError.self) {
            try StreamListener(at: .unix(path: "/" + String(repeating: "x", count: 200)))
        }
        #expect(error?.code == .invalidAddress)
    }

    @Test(.timeLimit(.minutes(30)))
    func streamWithAnOversizedMessageEndsAtOnce() async throws {
        let server = Node("server", .onRequest)
        let listener = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0))
        let serving = Task { await listener.run(server.exchange) }
        let connection = try await StreamConnector(listener.address).connect()
        // Read as a message, the zeros announce a length beyond the limit.
        try await connection.send([UInt8](repeating: 0, count: 100_000))
        // The last message, if any arrives, explains the reason.
        while let last = try await connection.receive(limit: 10_000) {
            #expect(try PeerMessage(last) != .leave(sender: ""))
        }
        serving.cancel()
        await serving.value
    }
}
