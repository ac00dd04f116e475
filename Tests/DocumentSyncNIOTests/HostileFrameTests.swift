import Automerge
import DocumentSync
import DocumentSyncNIO
import Foundation
import Glibc
import TestSupport
import Testing

/// Bytes on a socket that aren't WebSocket, or that only a hostile program sends.
@Suite struct HostileFrameTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            testDescription = name
            self.bytes = bytes
        }
    }

    /// A frame header with a mask of zeros.
    private static func head(_ first: UInt8, _ length: UInt64) -> [UInt8] {
        let mask: [UInt8] = [0, 0, 0, 0]
        if length < 126 { return [first, 0x80 | UInt8(length)] + mask }
        return [first, 0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
            + mask
    }

    private static let byte = head(0x82, 1) + [0xA0]

    static let attacks = [
        Attack("frame of 1 GiB", head(0x82, 1 << 30)),
        Attack("frame of 2^62 bytes", head(0x82, 1 << 62)),
        Attack("frame of 2^64 - 1 bytes", head(0x82, .max)),
        Attack("continuation without a first frame", head(0x80, 1) + [0]),
        Attack("new message within a fragmented one", head(0x02, 1) + [0] + byte),
        Attack("text", head(0x81, 2) + Array("hi".utf8)),
        Attack("reserved opcode", head(0x83, 1) + [0]),
        Attack("reserved bits", head(0xF2, 1) + [0]),
        Attack("fragmented ping", head(0x09, 1) + [0]),
        Attack("oversized ping", head(0x89, 1_000) + [UInt8](repeating: 0, count: 1_000)),
        Attack("invalid CBOR", head(0x82, 1) + [0xFF]),
        Attack("empty message", head(0x82, 0)),
    ]

    private static let upgrade = """
        GET / HTTP/1.1\r
        Host: localhost\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        \r\n
        """

    /// Sends the bytes from a separate thread and reads until the server closes the connection.
    private static func push(_ bytes: [UInt8], to port: Int) async -> Bool {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(socket) }
                var patience = timeval(tv_sec: 600, tv_usec: 0)
                let size = socklen_t(MemoryLayout<timeval>.size)
                setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
                address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
                let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let connected = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(socket, $0, length)
                    }
                }
                guard connected == 0 else { return done.resume(returning: false) }
                _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                var buffer = [UInt8](repeating: 0, count: 4_096)
                var count = 1
                while count > 0 { count = recv(socket, &buffer, buffer.count, 0) }
                // End of stream or a reset, but not the receive timeout.
                done.resume(returning: count == 0 || errno == ECONNRESET)
            }
        }
    }

    @Test(.timeLimit(.minutes(30)), arguments: attacks, [false, true])
    func badFramesEndOnlyTheirOwnConnection(
        _ attack: Attack, _ joinsFirst: Bool
    ) async throws {
        let server = try await WebSocketServer(port: 0)
        let repository = MemoryRepository()
        let id = DocumentID()
        try repository.makeDocument(id).put(obj: .ROOT, key: "a", value: .String("sound"))
        let exchange = DocumentExchange(of: repository, policy: .onRequest)
        let serving = Task { try? await server.run(exchange) }
        let join = PeerMessage.join(
            sender: "hostile", metadata: PeerMetadata(), versions: ["1"]
        ).encoded
        var bytes = Array(Self.upgrade.utf8)
        if joinsFirst { bytes += Self.head(0x82, UInt64(join.count)) + join }
        #expect(await Self.push(bytes + attack.bytes, to: server.port))
        let own = MemoryRepository()
        let client = DocumentExchange(of: own, policy: .only([]))
        await client.request([id])
        let events = client.events()
        let running = Task {
            try? await SyncClient(client, to: WebSocketConnector(server.address)).run()
        }
        for await event in events {
            if case .alike(id, _) = event.kind { break }
        }
        #expect(own[id]?.heads() == repository[id]?.heads())
        for task in [running, serving] {
            task.cancel()
            await task.value
        }
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: [
            "", "GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /" + String(repeating: "x", count: 1 << 20),
        ])
    func connectionsThatAreNotWebSocketsAreClosed(_ text: String) async throws {
        var limits = SyncLimits()
        limits.joinTime = .milliseconds(300)
        let server = try await WebSocketServer(port: 0, limits: limits)
        let exchange = DocumentExchange(of: MemoryRepository(), policy: .onRequest, limits: limits)
        let serving = Task { try? await server.run(exchange) }
        #expect(await Self.push(Array(text.utf8), to: server.port))
        serving.cancel()
        await serving.value
    }
}
