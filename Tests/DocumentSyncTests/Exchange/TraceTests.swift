import Automerge
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DocumentSync

/// The trace of the messages of an exchange.
@Suite struct TraceTests {
    /// Collects the messages of one side.
    private final class Log: Sendable {
        private let state = Mutex<[TracedMessage]>([])
        var trace: DocumentExchange.MessageTrace { { message in self.add(message) } }
        var messages: [TracedMessage] { state.withLock { $0 } }
        /// The direction and the type of each message.
        var lines: [String] {
            messages.map { "\($0.direction == .sent ? "→" : "←") \($0.type)" }
        }

        private func add(_ message: TracedMessage) { state.withLock { $0.append(message) } }
    }

    @Test func exchangeOfTwoPeersIsTracedInOrderOnBothSides() async throws {
        let (near, far) = (Log(), Log())
        let client = Node("client", .mine, trace: near.trace)
        let server = Node("server", .onRequest, trace: far.trace)
        let id = try client.make("title", "Plans")
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isInSync(id) }
        line.cancel()
        await line.value
        #expect(
            near.lines == ["→ join", "← peer", "→ sync", "← sync", "→ sync", "← sync"])
        #expect(far.lines == ["← join", "→ peer", "← sync", "→ sync", "← sync", "→ sync"])
        #expect(near.messages.map(\.peer) == [nil] + [PeerID?](repeating: "server", count: 5))
        #expect(far.messages.allSatisfy { $0.peer == "client" && $0.problem == nil })
        #expect(near.messages.map(\.byteCount) == far.messages.map(\.byteCount))
        #expect(
            near.messages.map(\.document) == [nil, nil] + [DocumentID?](repeating: id, count: 4))

        let head = try #require(client.heads(id).first)
        let syncs = near.messages.compactMap(\.sync)
        #expect(syncs == far.messages.compactMap(\.sync))
        #expect(syncs.map(\.heads) == [[head], [], [head], [head]])
        #expect(syncs.map(\.need) == [[], [head], [], []])
        #expect(syncs.map(\.changeCount) == [0, 0, 1, 0])
        #expect(syncs[0].have.map(\.lastSync) == [[]])
        #expect((syncs[0].have.first?.filterByteCount ?? 0) > 0)
        #expect(syncs[3].have.map(\.lastSync) == [[head]])
    }

    @Test func requestForAMissingDocumentIsTraced() async throws {
        let log = Log()
        let client = Node("client", .only([]), trace: log.trace)
        let server = Node("server", .onRequest)
        let id = DocumentID()
        await client.exchange.request([id])
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isUnavailable(id) }
        line.cancel()
        #expect(log.lines == ["→ join", "← peer", "→ request", "← doc-unavailable"])
        #expect(log.messages.suffix(2).allSatisfy { $0.document == id })
        await line.value
    }

    /// The library doesn't change a peer's text; see the tests of the command for its output.
    @Test func invalidAndIgnoredMessagesAreTracedWithTheReason() async throws {
        let log = Log()
        let server = Node("server", .onRequest, trace: log.trace)
        let id = try server.make("a", "1")
        let (near, far) = MemoryConnection.pair(capacity: 64)
        let serving = running(server, far, as: .server)
        let hostile: PeerID = "\u{1b}]0;x\u{7} \n→ sync"
        let first: [UInt8] = [0x42, 0, 0, 1, 0, 0, 0]
        func sync(_ sender: PeerID, _ target: PeerID, _ data: [UInt8]) -> [UInt8] {
            PeerMessage.sync(
                .init(document: id, sender: sender, target: target, data: data[...])
            ).encoded
        }
        let messages: [[UInt8]] = [
            PeerMessage.other(type: "early").encoded,
            PeerMessage.join(sender: hostile, metadata: PeerMetadata(), versions: ["1"]).encoded,
            PeerMessage.other(type: "new\u{1b}").encoded,
            sync(hostile, "other", first), sync("other", "server", first),
            sync(hostile, "server", [0x99]), [0xFF],
        ]
        for message in messages { try await near.send(message) }
        #expect(await serving.value?.code == .badMessage)
        near.close(nil)
        let received = log.messages.filter { $0.direction == .received }
        #expect(
            received.map(\.type) == [
                "early", "join", "new\u{1b}", "sync", "sync", "sync", "invalid",
            ])
        #expect(received.map(\.peer) == [nil] + [PeerID?](repeating: hostile, count: 6))
        #expect(
            received.map { $0.problem?.prefix(20) } == [
                "ignored: of an unkno", nil, "ignored: of an unkno", "ignored: the recipie",
                "ignored: the sender ", "the bytes are not a ", "a message is not CBO",
            ])
        // The error with which the connection ends is traced once.
        #expect(log.lines.filter { $0 == "→ error" }.count == 1)
    }

    @Test func statusNamesPendingChangesAndTheLastProblem() async throws {
        let (client, server) = (Node("client", .mine), Node("server", .readOnly))
        let id = try server.make("title", "the server's")
        try await client.repository.add(
            Document(try #require(server.repository[id]).save()), as: id)
        let unshared = try #require(server.heads(id).first)
        let events = client.exchange.events()
        let refusals = server.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isInSync(id) }
        let before = try #require(await client.exchange.status.first?.documents[id])
        #expect(before.standing == .inSync && before.theirHeads == [unshared])
        #expect(before.lastSent != nil && before.lastReceived != nil)
        #expect(before.lastProblem == nil)
        let none = try await client.exchange.pendingChanges(of: id, with: "server")
        #expect(none?.unacknowledgedCount == 0 && none?.missingHeads == [])

        for number in 1...3 {
            try client.repository[id]?.put(obj: .ROOT, key: "own", value: .Int(Int64(number)))
            client.repository[id]?.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        }
        client.repository.noteChange(id)
        _ = await first(refusals) { kind in
            if case .refused(id, _, let amount, _) = kind { amount.changes == 3 } else { false }
        }
        let pending = try await client.exchange.pendingChanges(of: id, with: "server")
        #expect(pending?.unacknowledgedCount == 3 && pending?.missingHeads == [])
        func there() async -> DocumentExchange.DocumentStatus? {
            await server.exchange.status.first?.documents[id]
        }
        // Both sides are compared soon after the refusal.
        try await wait { await there()?.standing != .inSync }
        #expect(await there()?.standing == .different)
        #expect(await there()?.lastProblem != nil)
        #expect(await there()?.refusedChangeCount == 3)
        // Later changes are refused and reported, too.
        try client.repository[id]?.put(obj: .ROOT, key: "own", value: .Int(4))
        client.repository[id]?.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        client.repository.noteChange(id)
        _ = await first(refusals) { kind in
            if case .refused(id, _, let amount, _) = kind { amount.changes > 0 } else { false }
        }
        let missing = try await server.exchange.pendingChanges(of: id, with: "client")
        #expect(missing?.unacknowledgedCount == 0)
        #expect(missing.map { Set($0.missingHeads) } == client.heads(id))
        #expect(try await server.exchange.pendingChanges(of: id, with: "nobody") == nil)
        line.cancel()
        await line.value
    }

    @Test func inventedHeadsAreReportedAsMissing() async throws {
        let server = Node("server", .onRequest)
        let id = try server.make("a", "1")
        let (near, far) = MemoryConnection.pair(capacity: 64)
        let serving = running(server, far, as: .server)
        let invented = [UInt8](repeating: 0xAB, count: 32)
        let events = server.exchange.events()
        let data: [UInt8] = [0x42, 1] + invented + [0, 1, 0, 0, 0]
        for message: PeerMessage in [
            .join(sender: "hostile", metadata: PeerMetadata(), versions: ["1"]),
            .sync(.init(document: id, sender: "hostile", target: "server", data: data[...])),
            .ephemeral(
                .init(
                    document: id, sender: "hostile", target: "server", session: "s", count: 1,
                    data: [0xF6])),
        ] {
            try await near.send(message.encoded)
        }
        // Messages are handled in order.
        _ = await first(events) { kind in
            if case .ephemeral = kind { true } else { false }
        }
        let pending = try await server.exchange.pendingChanges(of: id, with: "hostile")
        #expect(pending?.unacknowledgedCount == 1)
        #expect(
            pending?.missingHeads.map(\.debugDescription) == [String(repeating: "ab", count: 32)])
        near.close(nil)
        _ = await serving.value
    }
}
