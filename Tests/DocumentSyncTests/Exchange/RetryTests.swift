import Automerge
import DocumentSync
import Foundation
import Replication
import Synchronization
import TestSupport
import Testing

@Suite struct RetryTests {
    /// A repository whose disk is full for the first few attempts.
    private final class Failing: DocumentRepository {
        let memory = MemoryRepository()
        private let failures: Mutex<Int>
        /// The stored heads.
        let kept = Mutex<Set<ChangeHash>>([])

        init(failures: Int) { self.failures = Mutex(failures) }

        private func keep(_ id: DocumentID) throws {
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw SyncError(.notSaved, "the disk is full") }
            kept.withLock { $0 = memory[id]?.heads() ?? [] }
        }

        func documentIDs() async -> [DocumentID] { memory.ids }
        func document(_ id: DocumentID) async -> Document? { memory[id] }
        func savedDocument(_ id: DocumentID) async throws -> Document? {
            try memory[id]?.forkAt(heads: kept.withLock { $0 })
        }
        func localChanges() -> AsyncStream<DocumentID> { memory.localChanges() }

        func receive(
            _ message: Data, for id: DocumentID, state: SyncState
        ) async throws -> Bool {
            let isOther = try await memory.receive(message, for: id, state: state)
            if isOther { try keep(id) }
            return isOther
        }

        func keepReceived(_ id: DocumentID) async throws { try keep(id) }

        func add(_ document: Document, as id: DocumentID) async throws {
            try await memory.add(document, as: id)
            try keep(id)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func failedSavesAreRetriedAfterGrowingPauses() async throws {
        let time = TestScheduler()
        var pauses = RetryPauses()
        pauses.randomPart = 0
        let repository = Failing(failures: 5)
        let server = DocumentExchange(
            of: repository, policy: .onRequest, limits: Node.patient, pauses: pauses,
            scheduler: time.scheduler)
        let (client, other) = (Node("client", .mine), Node("other", .only([])))
        let id = DocumentID()
        try repository.memory.makeDocument(id).put(obj: .ROOT, key: "a", value: .Int(1))
        try client.make("b", "1", id)
        let (near, far) = MemoryConnection.pair()
        let (second, third) = MemoryConnection.pair()
        let (events, seen, others) = (
            server.events(), client.exchange.events(), other.exchange.events()
        )
        let serving = [
            Task { try? await server.run(far, as: .server) },
            Task { try? await server.run(third, as: .server) },
        ]
        // Another peer waits for the document.
        let waiting = running(other, second, as: .client)
        await other.exchange.request([id])
        _ = await first(others) { $0.isInSync(id) }
        let running = running(client, near, as: .client)
        var reported: [Duration] = []
        for await event in events {
            if case .notSaved(id, let error, let pause) = event.kind {
                #expect(error.message.contains("full"))
                reported.append(pause)
                // Peers don't receive changes that aren't stored.
                #expect(other.heads(id) != repository.memory[id]?.heads())
                let status = await client.exchange.status.first?.documents[id]
                #expect(status?.standing != .inSync)
                let due = time.waitingCount
                try await wait { time.nextDelay == pause || due != time.waitingCount }
                time.advance(by: pause)
            }
            if case .saved(id) = event.kind { break }
        }
        #expect(reported == [250, 500, 1_000, 2_000, 4_000].map { Duration.milliseconds($0) })
        _ = await first(seen) { $0.isInSync(id) }
        try await wait { other.heads(id) == client.heads(id) }
        #expect(repository.kept.withLock { $0 } == client.heads(id))
        near.cut()
        second.cut()
        _ = await (running.value, waiting.value)
        for task in serving { await task.value }
    }

    @Test(.timeLimit(.minutes(30)))
    func otherPeersReceiveTheSavedChangesWhileSavingFails() async throws {
        let time = TestScheduler()
        let repository = Failing(failures: 1)
        var pauses = RetryPauses()
        pauses.randomPart = 0
        let server = DocumentExchange(
            of: repository, policy: .onRequest, limits: Node.patient, pauses: pauses,
            scheduler: time.scheduler)
        let (client, other) = (Node("client", .mine), Node("other", .only([])))
        let id = DocumentID()
        let document = repository.memory.makeDocument(id)
        try document.put(obj: .ROOT, key: "a", value: .String("saved"))
        let saved = document.heads()
        repository.kept.withLock { $0 = saved }
        try client.make("b", "unsaved", id)
        let (near, far) = MemoryConnection.pair()
        let (second, third) = MemoryConnection.pair()
        let events = server.events()
        let serving = [
            Task { try? await server.run(far, as: .server) },
            Task { try? await server.run(third, as: .server) },
        ]
        let writing = running(client, near, as: .client)
        _ = await first(events) { $0.isNotSaved(id) }
        let reading = running(other, second, as: .client)
        await other.exchange.request([id])
        try await wait { other.heads(id) == saved }
        #expect(document.heads() != saved)
        try await wait { time.nextDelay == .milliseconds(250) }
        time.advance(by: .milliseconds(250))
        try await wait { other.heads(id) == document.heads() }
        try await wait { client.heads(id) == document.heads() }
        near.cut()
        second.cut()
        _ = await (writing.value, reading.value)
        for task in serving { await task.value }
    }

    @Test(.timeLimit(.minutes(30)))
    func unsavedChangesAreBounded() async throws {
        var limits = Node.patient
        limits.incompleteBytes = 100_000
        let repository = Failing(failures: .max)
        let server = DocumentExchange(
            of: repository, policy: .onRequest, limits: limits, pauses: RetryPauses(),
            scheduler: TestScheduler().scheduler)
        let client = Node("client", .mine)
        let id = try client.make("a", "1")
        let (near, far) = MemoryConnection.pair()
        let events = server.events()
        let serving = Task { () -> SyncError? in
            do throws(SyncError) {
                try await server.run(far, as: .server)
                return nil
            } catch {
                return error
            }
        }
        let running = running(client, near, as: .client)
        _ = await first(events) { $0.isNotSaved(id) }
        var random = SeededRandom(seed: 1)
        for round in 0..<200 {
            guard await client.exchange.status.first != nil else { break }
            let bytes = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            try client.repository[id]?.put(
                obj: .ROOT, key: "k\(round)", value: .Bytes(Data(bytes)))
            client.repository.noteChange(id)
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(await serving.value?.code == .tooLarge)
        near.cut()
        _ = await running.value
    }
}
