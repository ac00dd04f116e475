import Automerge
import DocumentSync
import Foundation
import Replication

/// A peer with documents in memory.
struct Node: Sendable {
    let repository = MemoryRepository()
    let exchange: DocumentExchange

    /// Timeouts that are never reached, even while a thousand tests run in parallel.
    static let patient: SyncLimits = {
        var limits = SyncLimits()
        limits.joinTime = .seconds(3_600)
        limits.silence = .seconds(3_600)
        return limits
    }()

    init(
        _ name: String, _ policy: SharePolicy, limits: SyncLimits = Node.patient,
        storageID: String? = nil, scheduler: Scheduler = .dispatch(),
        trace: DocumentExchange.MessageTrace? = nil
    ) {
        exchange = DocumentExchange(
            of: repository, policy: policy, peerID: PeerID(name), storageID: storageID,
            limits: limits, scheduler: scheduler, trace: trace)
    }

    /// Creates a document with one value.
    @discardableResult
    func make(_ key: String, _ value: String, _ id: DocumentID = DocumentID()) throws -> DocumentID
    {
        let document = repository.makeDocument(id)
        try document.put(obj: .ROOT, key: key, value: .String(value))
        repository.noteChange(id)
        return id
    }

    func put(_ id: DocumentID, _ key: String, _ value: String) throws {
        try repository[id]?.put(obj: .ROOT, key: key, value: .String(value))
        repository.noteChange(id)
    }

    func value(_ id: DocumentID, _ key: String) throws -> String? {
        guard case .Scalar(.String(let text))? = try repository[id]?.get(obj: .ROOT, key: key)
        else { return nil }
        return text
    }

    func heads(_ id: DocumentID) -> Set<ChangeHash> { repository[id]?.heads() ?? [] }
}

/// Connects two nodes until the returned task ends. Canceling the task cuts the connection.
func connect(_ client: Node, _ server: Node, capacity: Int = 4) -> Task<Void, Never> {
    let (near, far) = MemoryConnection.pair(capacity: capacity)
    return Task {
        await withTaskCancellationHandler {
            async let served: Void? = try? server.exchange.run(far, as: .server)
            try? await client.exchange.run(near, as: .client)
            _ = await served
        } onCancel: {
            near.cut()
        }
    }
}

/// Runs an exchange until its connection ends, and returns the error that ended it.
func running(
    _ node: Node, _ connection: any MessageConnection, as side: DocumentExchange.Side
) -> Task<SyncError?, Never> {
    Task {
        do throws(SyncError) {
            try await node.exchange.run(connection, as: side)
            return nil
        } catch {
            return error
        }
    }
}

/// Returns the first event from now on that meets a condition.
func first(
    _ events: SyncEvents, where condition: (SyncEvent.Kind) -> Bool
) async -> SyncEvent.Kind? {
    for await event in events where condition(event.kind) { return event.kind }
    return nil
}

extension SyncEvent.Kind {
    func isInSync(_ id: DocumentID) -> Bool {
        if case .inSync(id, _) = self { true } else { false }
    }

    func isNotSaved(_ id: DocumentID) -> Bool {
        if case .notSaved(id, _, _) = self { true } else { false }
    }

    func isUnavailable(_ id: DocumentID) -> Bool {
        if case .unavailable(id, _) = self { true } else { false }
    }

    func isReceived(_ id: DocumentID) -> Bool {
        if case .received(id, _, _) = self { true } else { false }
    }
}
