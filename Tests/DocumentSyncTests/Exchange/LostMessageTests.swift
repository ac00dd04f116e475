import Automerge
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DocumentSync

/// Messages that get lost between two sides that are connected.
@Suite struct LostMessageTests {
    /// A connection that loses one message with changes and counts those that it sends.
    private final class LossyConnection: MessageConnection {
        let address = "lossy"
        private let base: any MessageConnection
        private let state = Mutex((hasLost: false, count: 0))
        var count: Int { state.withLock { $0.count } }

        init(_ base: any MessageConnection) { self.base = base }

        func receive(limit: Int) async throws(SyncError) -> [UInt8]? {
            try await base.receive(limit: limit)
        }

        func send(_ message: [UInt8]) async throws(SyncError) {
            let carriesChanges: Bool
            if case .sync(let sync)? = try? PeerMessage(message),
                let summary = try? SyncMessageSummary(sync.data)
            {
                carriesChanges = summary.changeCount > 0
            } else {
                carriesChanges = false
            }
            let isLost = state.withLock { state in
                state.count += 1
                guard carriesChanges, !state.hasLost else { return false }
                state.hasLost = true
                return true
            }
            if !isLost { try await base.send(message) }
        }

        func close(_ last: [UInt8]?) { base.close(last) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func changesArriveAfterAMessageWasLost(isServers: Bool) async throws {
        let (client, server) = (Node("client", .everything), Node("server", .onRequest))
        let id = DocumentID()
        try server.make("server", "1", id)
        try client.make("client", "1", id)
        let (near, far) = MemoryConnection.pair(capacity: 64)
        let lossy = LossyConnection(isServers ? far : near)
        let restarts = server.exchange.events()
        let events = client.exchange.events()
        let tasks = [
            running(server, isServers ? lossy : far, as: .server),
            running(client, isServers ? near : lossy, as: .client),
        ]
        // The side that lost its message has more to say, and so goes on.
        _ = await DocumentSyncTests.first(events) { kind in
            if case .sent = kind { true } else { false }
        }
        try client.put(id, "more", "2")
        _ = await DocumentSyncTests.first(restarts) { kind in
            if case .restarted(id, _) = kind { true } else { false }
        }
        while client.heads(id) != server.heads(id) { await Task.yield() }
        #expect(try client.value(id, "server") == "1")
        #expect(try server.value(id, "client") == "1")
        #expect(lossy.count < 60)
        near.cut()
        for task in tasks { _ = await task.value }
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
