import Foundation
import TestSupport
import Testing

@testable import Automerge
@testable import DocumentSync

/// Messages that are lost between two connected peers.
@Suite struct LostMessageTests {
    /// A joined peer that behaves like another implementation: it answers every message and assumes
    /// that everything it sent has arrived.
    private struct Peer {
        let connection: MemoryConnection
        let document: DocumentID

        init(_ connection: MemoryConnection, _ document: DocumentID) async throws {
            self.connection = connection
            self.document = document
            let join = PeerMessage.join(sender: "peer", metadata: PeerMetadata(), versions: ["1"])
            try await connection.send(join.encoded)
            _ = try await connection.receive(limit: .max)
        }

        func send(
            heads: [ChangeHash], need: [ChangeHash] = [], _ have: SyncMessage.Have,
            _ changes: [Data] = []
        ) async throws {
            let message = SyncMessage(
                heads: heads, need: need, have: [have], changes: changes.map { Array($0) })
            try await connection.send(
                PeerMessage.sync(
                    .init(
                        document: document, sender: "peer", target: "server",
                        data: message.encoded()[...])
                ).encoded)
        }

        func receive() async throws -> SyncMessage {
            let bytes = try #require(try await connection.receive(limit: .max))
            guard case .sync(let message) = try PeerMessage(bytes) else {
                throw SyncError(.badMessage, "not a sync message")
            }
            return try SyncMessage(Array(message.data))
        }
    }

    @Test(.timeLimit(.minutes(30))) func serverChangesArriveAfterALostMessage() async throws {
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
        let peer = try await Peer(near, id)
        try await peer.send(heads: own, have, [document.save()])
        // The message with the server's change is lost.
        while try await peer.receive().changes.isEmpty {
            try await peer.send(heads: own, need: missing, have)
        }
        var rounds = 0
        var exists = false
        while !exists, rounds < 100 {
            rounds += 1
            try await peer.send(heads: own, need: missing, have)
            exists = try await !peer.receive().changes.isEmpty
        }
        #expect(rounds > 2 && rounds < 30)
        let kind = await DocumentSyncTests.first(events) { kind in
            if case .restarted(id, _) = kind { true } else { false }
        }
        #expect(kind != nil)
        near.close(nil)
        _ = await serving.value
    }

    @Test(.timeLimit(.minutes(30))) func peerChangesArriveAfterALostMessage() async throws {
        let server = Node("server", .onRequest)
        let id = DocumentID()
        try server.make("server", "1", id)
        let document = Document()
        try document.put(obj: .ROOT, key: "peer", value: .String("1"))
        let first = document.encodeNewChanges()
        try document.put(obj: .ROOT, key: "peer", value: .String("2"))
        let second = document.encodeNewChanges()
        let own = document.heads().sorted()
        let have = SyncMessage.Have(lastSync: server.heads(id).sorted())
        let (near, far) = MemoryConnection.pair(capacity: 64)
        let serving = running(server, far, as: .server)
        let peer = try await Peer(near, id)
        // The message with the first change is lost, and the peer ignores requests for it.
        try await peer.send(heads: own, have, [second])
        var rounds = 0
        while try await !peer.receive().heads.isEmpty, rounds < 100 {
            rounds += 1
            try await peer.send(heads: own, have)
        }
        #expect(rounds < 30)
        try await peer.send(heads: own, have, [first, second])
        try await wait { try server.value(id, "peer") == "2" }
        near.close(nil)
        _ = await serving.value
    }

    @Test func roundsWithoutProgressStop() throws {
        var progress = SyncProgress()
        let (own, theirs) = (Set([try hash()]), Set([try hash()]))
        let advice = (0..<100).map { _ in progress.advice(own: own, theirs: theirs) }
        #expect(advice.count { $0 == .startOver } == 3)
        #expect(advice.last == .keepStill)
        // New heads restart the rounds.
        #expect(progress.advice(own: theirs, theirs: own) == .proceed)
        #expect((0..<100).allSatisfy { _ in progress.advice(own: own, theirs: own) == .proceed })
    }

    private func hash() throws -> ChangeHash {
        let document = Document()
        try document.put(obj: .ROOT, key: "a", value: .Int(1))
        return try #require(document.heads().first)
    }

    @Test(.timeLimit(.minutes(30))) func documentWithoutAChangeIsNotUnavailable() async throws {
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
