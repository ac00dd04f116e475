import Foundation
import TestSupport
import Testing

@testable import Automerge
@testable import DocumentSync

/// Messages that get lost between two sides that are connected.
@Suite struct LostMessageTests {
    /// Another implementation answers every message, with what it knows and needs.
    @Test(.timeLimit(.minutes(5))) func changesArriveAfterAMessageWasLost() async throws {
        let server = Node("server", .onRequest)
        let id = DocumentID()
        try server.make("server", "1", id)
        let document = Document()
        try document.put(obj: .ROOT, key: "peer", value: .String("1"))
        let own = document.heads().sorted()
        let missing = server.heads(id).sorted()
        let have = SyncMessage.Have(lastSync: own)
        let events = server.exchange.events()
        let (near, far) = MemoryConnection.pair(capacity: 64)
        let serving = running(server, far, as: .server)
        try await near.send(
            PeerMessage.join(sender: "peer", metadata: PeerMetadata(), versions: ["1"]).encoded)
        _ = try await near.receive(limit: .max)
        func send(_ message: SyncMessage) async throws {
            let data = message.encoded()
            try await near.send(
                PeerMessage.sync(
                    .init(document: id, sender: "peer", target: "server", data: data[...])
                ).encoded)
        }
        func receive() async throws -> SyncMessage {
            let bytes = try #require(try await near.receive(limit: .max))
            guard case .sync(let message) = try PeerMessage(bytes) else {
                throw SyncError(.badMessage, "not a sync message")
            }
            return try SyncMessage(Array(message.data))
        }
        try await send(
            SyncMessage(
                heads: own, need: [], have: [have],
                changes: [Array(document.save())]))
        // The message with the server's change gets lost.
        while try await receive().changes.isEmpty {
            try await send(
                SyncMessage(heads: own, need: missing, have: [have], changes: []))
        }
        var rounds = 0
        var arrived: [[UInt8]] = []
        while arrived.isEmpty, rounds < 100 {
            rounds += 1
            try await send(
                SyncMessage(heads: own, need: missing, have: [have], changes: []))
            arrived = try await receive().changes
        }
        #expect(rounds > 2 && rounds < 30)
        let kind = await DocumentSyncTests.first(events) { kind in
            if case .restarted(id, _) = kind { true } else { false }
        }
        #expect(kind != nil)
        near.close(nil)
        _ = await serving.value
    }

    @Test func roundsWithoutProgressEnd() throws {
        var progress = SyncProgress()
        let (own, theirs) = (Set([try hash()]), Set([try hash()]))
        let advice = (0..<100).map { _ in progress.advice(own: own, theirs: theirs) }
        #expect(advice.count { $0 == .startOver } == 3)
        #expect(advice.last == .keepStill)
        // Anything new starts them again.
        #expect(progress.advice(own: theirs, theirs: own) == .goOn)
        #expect((0..<100).allSatisfy { _ in progress.advice(own: own, theirs: own) == .goOn })
    }

    private func hash() throws -> ChangeHash {
        let document = Document()
        try document.put(obj: .ROOT, key: "a", value: .Int(1))
        return try #require(document.heads().first)
    }

    @Test(.timeLimit(.minutes(5))) func documentWithoutAChangeIsNotUnavailable() async throws {
        let server = Node("server", .onRequest)
        let id = DocumentID()
        _ = server.repository.makeDocument(id)
        let (near, far) = MemoryConnection.pair()
        let serving = running(server, far, as: .server)
        try await near.send(
            PeerMessage.join(sender: "peer", metadata: PeerMetadata(), versions: ["1"]).encoded)
        _ = try await near.receive(limit: .max)
        let first = try #require(Document().generateSyncMessage(state: SyncState()))
        try await near.send(
            PeerMessage.request(
                .init(
                    document: id, sender: "peer", target: "server", data: Array(first)[...])
            ).encoded)
        let answer = try #require(try await near.receive(limit: .max))
        guard case .sync = try PeerMessage(answer) else {
            Issue.record("the answer is not a sync message")
            return
        }
        near.close(nil)
        _ = await serving.value
    }
}
