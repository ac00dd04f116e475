import Automerge
import DocumentSync
import DocumentSyncNIO
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
        var bytes = Array(RawExchange.upgrade().utf8)
        if joinsFirst { bytes += Self.head(0x82, UInt64(join.count)) + join }
        #expect(await RawExchange.response(to: bytes + attack.bytes, port: server.port) != nil)
        let own = MemoryRepository()
        let client = DocumentExchange(of: own, policy: .only([]))
        await client.request([id])
        let events = client.events()
        let running = Task {
            try? await SyncClient(client, to: WebSocketConnector(server.address)).run()
        }
        for await event in events {
            if case .inSync(id, _) = event.kind { break }
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
        #expect(await RawExchange.response(to: Array(text.utf8), port: server.port) != nil)
        serving.cancel()
        await serving.value
    }
}
