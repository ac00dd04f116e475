import Automerge
import Foundation
import TestSupport
import Testing

@testable import DocumentSync

/// Hostile or broken peers. Their connection ends with an error or their message is ignored, and
/// other peers are still served.
@Suite struct HostilePeerTests {
    /// The messages of a joined peer, and the expected outcome.
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let messages: [[UInt8]]
        /// `nil` if the connection stays open.
        let code: SyncError.Code?

        init(_ name: String, _ messages: [[UInt8]], _ code: SyncError.Code?) {
            testDescription = name
            self.messages = messages
            self.code = code
        }

        init(_ name: String, _ values: [CBORValue], _ code: SyncError.Code?) {
            self.init(name, values.map(\.encoded), code)
        }
    }

    private static func map(_ fields: KeyValuePairs<String, CBORValue>) -> CBORValue {
        .map(fields.map { .init(.text($0.key), $0.value) })
    }

    private static func sync(
        _ document: String, _ data: [UInt8], sender: String = "hostile",
        target: String = "server", type: String = "sync"
    ) -> CBORValue {
        map([
            "type": .text(type), "senderId": .text(sender), "targetId": .text(target),
            "documentId": .text(document), "data": .bytes(data[...]),
        ])
    }

    private static let known = DocumentID()
    private static let first: [UInt8] = [0x42, 0, 0, 1, 0, 0, 0, 2, 1, 2]
    private static let lone = [sync(known.text, [0x42, 0xFF])]

    static let attacks: [Attack] = [
        Attack("invalid CBOR", [[0xFF]], .badMessage),
        Attack("nothing", [[]], .badMessage),
        Attack("trailing CBOR", [map(["type": .text("leave")]).encoded + [0]], .badMessage),
        Attack("truncated map", [Array(lone[0].encoded.dropLast())], .badMessage),
        Attack(
            "length beyond any memory", [[0x5B] + [UInt8](repeating: 0xFF, count: 8)], .badMessage
        ),
        Attack("map of 2^64 entries", [[0xBB] + [UInt8](repeating: 0xFF, count: 8)], .badMessage),
        Attack("deeply nested arrays", [[UInt8](repeating: 0x81, count: 1 << 16)], .badMessage),
        Attack("endless arrays", [[UInt8](repeating: 0x9F, count: 1 << 16)], .badMessage),
        Attack("nested tags", [[UInt8](repeating: 0xC6, count: 1 << 16) + [0]], .badMessage),
        Attack(
            "a few messages that are numbers", [CBORValue](repeating: .unsigned(1), count: 3),
            nil),
        Attack(
            "many messages that are numbers", [CBORValue](repeating: .unsigned(1), count: 20),
            .badMessage),
        Attack(
            "many messages of unknown types", (0..<500).map { map(["type": .text("new-\($0)")]) },
            nil),
        Attack(
            "no type", [CBORValue](repeating: map(["senderId": .text("hostile")]), count: 20),
            .badMessage),
        Attack(
            "type of 1 MB",
            [CBORValue](
                repeating: map(["type": .text(String(repeating: "x", count: 1 << 16))]), count: 20),
            .badMessage),
        Attack("invalid identifiers", (0..<20).map { sync("no-\($0)", first) }, .badMessage),
        Attack(
            "identifier of 1 MB",
            [CBORValue](repeating: sync(String(repeating: "1", count: 1 << 16), first), count: 20),
            .badMessage),
        Attack(
            "empty identifier", [CBORValue](repeating: sync("", first), count: 20),
            .badMessage),
        Attack(
            "identifier that is a number",
            [CBORValue](
                repeating: map([
                    "type": .text("sync"), "senderId": .text("hostile"),
                    "targetId": .text("server"), "documentId": .unsigned(7),
                    "data": .bytes(first[...]),
                ]), count: 20), .badMessage),
        Attack("no data", [CBORValue](repeating: sync(known.text, []), count: 20), .badMessage),
        Attack(
            "data that isn't a sync message",
            (0..<20).map { sync(known.text, [0x42, UInt8($0), 0xFF]) }, .badMessage),
        Attack(
            "data with a count of 2^63 heads",
            [CBORValue](
                repeating: sync(known.text, [0x42] + [UInt8](repeating: 0xFF, count: 9) + [1]),
                count: 20), .badMessage),
        Attack("another peer's name", [sync(known.text, first, sender: "another")], nil),
        Attack("messages for other peers", [sync(known.text, first, target: "another")], nil),
        Attack(
            "second join",
            [
                PeerMessage.join(sender: "hostile", metadata: PeerMetadata(), versions: ["1"])
                    .encoded
            ], nil),
        Attack(
            "error message",
            [
                map([
                    "type": .text("error"),
                    "message": .text(String(repeating: "e", count: 1 << 16)),
                ])
            ], .peerFailed),
        Attack(
            "unavailable documents that weren't requested",
            (0..<100).map { _ in
                PeerMessage.unavailable(document: DocumentID(), sender: "hostile", target: "server")
                    .encoded
            }, nil),
        Attack("leaving", [map(["type": .text("leave"), "senderId": .text("hostile")])], nil),
    ]

    @Test(.timeLimit(.minutes(30)), arguments: attacks)
    func attacksEndAtMostTheirOwnConnection(_ attack: Attack) async throws {
        let server = Node("server", .onRequest)
        try server.make("title", "sound", Self.known)
        let heads = server.heads(Self.known)
        let (near, far) = MemoryConnection.pair()
        let serving = running(server, far, as: .server)
        try await near.send(
            PeerMessage.join(sender: "hostile", metadata: PeerMetadata(), versions: ["1"]).encoded)
        _ = try await near.receive(limit: .max)
        // The peer reads and discards everything it receives.
        let draining = Task { while (try? await near.receive(limit: .max)) ?? nil != nil {} }
        for message in attack.messages {
            do { try await near.send(message) } catch { break }
        }
        if attack.code == nil { near.close(nil) }
        let error = await serving.value
        #expect(error?.code == attack.code, "\(String(describing: error))")
        // The error message has a readable length.
        #expect((error?.message.utf8.count ?? 0) < 2_000)
        near.close(nil)
        await draining.value
        #expect(server.heads(Self.known) == heads)
        // Other clients are still served.
        let client = Node("client", .only([]))
        await client.exchange.request([Self.known])
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await DocumentSyncTests.first(events) { $0.isInSync(Self.known) }
        #expect(try client.value(Self.known, "title") == "sound")
        line.cancel()
        await line.value
        #expect(await server.exchange.status.isEmpty)
    }

    /// Messages that a server sends instead of its answer.
    static let answers: [Attack] = [
        Attack("invalid CBOR", [[0xFF]], .badMessage),
        Attack(
            "other messages", [CBORValue](repeating: map(["type": .text("new")]), count: 20),
            .unsupported),
        Attack(
            "error message", [map(["type": .text("error"), "message": .text("full")])], .peerFailed),
        Attack(
            "unsupported version",
            [
                map([
                    "type": .text("peer"), "senderId": .text("s"), "targetId": .text("client"),
                    "selectedProtocolVersion": .text("9"),
                ])
            ], .unsupported),
        Attack(
            "no name", [map(["type": .text("peer"), "targetId": .text("client")])], .badMessage),
        Attack("oversized message", [[UInt8](repeating: 0x60, count: 100_000)], .tooLarge),
        Attack(
            "client's own name",
            [
                map([
                    "type": .text("peer"), "senderId": .text("client"), "targetId": .text("client"),
                    "selectedProtocolVersion": .text("1"),
                ])
            ], .replaced),
        Attack("disconnection", [[UInt8]](), .disconnected),
    ]

    @Test(.timeLimit(.minutes(30)), arguments: answers)
    func missingAnswerOfAServerIsAReadableError(_ attack: Attack) async throws {
        let client = Node("client", .mine)
        let (near, far) = MemoryConnection.pair(capacity: 64)
        for message in attack.messages { try await far.send(message) }
        if attack.messages.isEmpty { far.close(nil) }
        let error = await #expect(throws: SyncError.self) {
            try await client.exchange.run(near, as: .client)
        }
        #expect(error?.code == attack.code)
        #expect(error?.message.isEmpty == false)
    }

    /// A peer that sends incomplete documents, whose missing parts never arrive.
    @Test(.timeLimit(.minutes(30))) func incompleteDocumentsAreBounded() async throws {
        var limits = SyncLimits()
        limits.incompleteBytes = 200_000
        let server = Node("server", .onRequest, limits: limits)
        let (near, far) = MemoryConnection.pair()
        let serving = running(server, far, as: .server)
        try await near.send(
            PeerMessage.join(sender: "hostile", metadata: PeerMetadata(), versions: ["1"]).encoded)
        let draining = Task { while (try? await near.receive(limit: .max)) ?? nil != nil {} }
        var random = SeededRandom(seed: 1)
        for _ in 0..<40 {
            let document = Document()
            try document.put(obj: .ROOT, key: "a", value: .Int(1))
            let before = document.heads()
            let noise = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            try document.put(obj: .ROOT, key: "b", value: .Bytes(Data(noise)))
            let later = try document.encodeChangesSince(heads: before)
            let message = try SyncMessageForTests.encoded(
                heads: document.heads(), changes: [Array(later)])
            do {
                try await near.send(
                    PeerMessage.sync(
                        .init(
                            document: DocumentID(), sender: "hostile", target: "server",
                            data: message[...])
                    ).encoded)
            } catch {
                break
            }
        }
        #expect(await serving.value?.code == .tooLarge)
        await draining.value
        #expect(server.repository.ids.isEmpty)
    }
}

/// A sync message of version 1, assembled by hand.
enum SyncMessageForTests {
    static func encoded(heads: Set<ChangeHash>, changes: [[UInt8]]) throws -> [UInt8] {
        var bytes: [UInt8] = [0x42]
        bytes += number(heads.count) + heads.sorted().flatMap { hex($0.debugDescription) }
        bytes += [0, 0]
        bytes += number(changes.count)
        for change in changes { bytes += number(change.count) + change }
        return bytes
    }

    private static func number(_ value: Int) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        repeat {
            let part = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(rest == 0 ? part : part | 0x80)
        } while rest > 0
        return bytes
    }
}
