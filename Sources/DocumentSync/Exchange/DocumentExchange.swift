import Automerge
import Foundation
public import Replication

/// An actor that syncs the documents of a repository with peers over any number of connections.
///
/// The exchange uses automerge-repo's protocol. ``run(_:as:)`` serves one connection until it ends.
/// A peer's changes are forwarded to the other peers that know the document. Data is sent no faster
/// than the peer receives it, and ``SyncLimits`` bounds everything that a peer sends.
///
/// ```swift
/// let exchange = DocumentExchange(of: MemoryRepository(), policy: .onRequest)
/// try await exchange.run(connection, as: .server)
/// ```
public actor DocumentExchange {
    /// A side of a connection. The client joins, and the server answers.
    public enum Side: Sendable { case client, server }

    /// A function that observes the messages of all connections. Several tasks may call it
    /// concurrently. Messages wait until it returns.
    public typealias MessageTrace = @Sendable (TracedMessage) -> Void

    /// The name with which this side joins.
    public nonisolated let peerID: PeerID
    /// The metadata that this side sends when it joins.
    public nonisolated let metadata: PeerMetadata
    /// The limits for peers.
    public nonisolated let limits: SyncLimits

    nonisolated let repository: any DocumentRepository
    nonisolated let policy: SharePolicy
    nonisolated let scheduler: Scheduler
    nonisolated let pauses: RetryPauses
    nonisolated let trace: MessageTrace?
    /// Events may contain the data of ephemeral messages.
    nonisolated let hub = EventHub<SyncEvent>(keeping: 1_024)
    /// The session of ephemeral messages. Their counts restart in each session.
    nonisolated let session = UUID().uuidString.lowercased()

    var peers: [PeerID: ConnectedPeer] = [:]
    var ephemeralCount: UInt64 = 0
    /// The requested documents, including those that have not arrived yet.
    var wanted: Set<DocumentID> = []
    /// The documents that are being changed because of received messages, with the number of these
    /// messages. Until the changes are on disk, nothing is sent about the document, so that peers
    /// don't receive changes that can still be lost.
    var receiving: [DocumentID: Int] = [:]
    /// The documents that are not complete enough to be saved.
    var incomplete: [DocumentID: IncompleteDocument] = [:]
    var incompleteBytes = 0
    /// The documents whose changes could not be saved. Nothing is sent about a document until its
    /// changes are saved.
    var unkept: [DocumentID: UnsavedDocument] = [:]
    /// The sync states with peers that may reconnect, oldest first, and their last status.
    var remembered: [(peer: Name, states: [DocumentID: SyncState], status: PeerStatus)] = []

    private var connections: [Int: any MessageConnection] = [:]
    private var nextConnection = 0
    private var following: Task<Void, Never>?
    private(set) var isStopped = false

    struct IncompleteDocument {
        let document: Document
        /// The peer that sent the first part. If the peer disconnects before the document is
        /// complete, all parts are discarded.
        let peer: PeerID
        var bytes = 0
    }

    /// Creates an exchange for the documents of a repository.
    ///
    /// - Parameters:
    ///   - peerID: The name of this side. A server uses the same name in every run.
    ///   - storageID: The identifier of the repository's store. Peers store their sync states under
    ///     this identifier.
    ///   - pauses: The pauses before saving is retried after a failure.
    ///   - trace: Called with each message that is sent or received, for debugging.
    public init(
        of repository: any DocumentRepository, policy: SharePolicy,
        peerID: PeerID = .random(), storageID: String? = nil, limits: SyncLimits = SyncLimits(),
        pauses: RetryPauses = RetryPauses(), scheduler: Scheduler = .dispatch(),
        trace: MessageTrace? = nil
    ) {
        self.repository = repository
        self.policy = policy
        self.peerID = peerID
        metadata = PeerMetadata(storageID: storageID)
        self.limits = limits
        self.pauses = pauses
        self.scheduler = scheduler
        self.trace = trace
    }

    deinit {
        following?.cancel()
        for document in unkept.values { document.trying.cancel() }
    }

    /// Returns a sequence of all later events.
    public nonisolated func events() -> SyncEvents { hub.events() }

    /// Posts an event on behalf of a program that makes connections.
    package nonisolated func note(_ kind: SyncEvent.Kind) { hub.post(SyncEvent(kind)) }

    /// Serves a connection until it ends or the task is canceled.
    ///
    /// - Throws: `SyncError` with the reason. If the other side disconnected normally, no error
    ///   is thrown.
    public func run(
        _ connection: any MessageConnection, as side: Side
    ) async throws(SyncError) {
        let connection = traced(connection)
        guard !isStopped else {
            connection.close(nil)
            throw SyncError(.stopped, "syncing was stopped")
        }
        guard connections.count < limits.peers else {
            connection.close(PeerMessage.error("too many peers are connected").encoded)
            throw SyncError(.tooMany, "more than \(limits.peers) peers are connected")
        }
        nextConnection += 1
        let number = nextConnection
        connections[number] = connection
        defer { connections[number] = nil }
        follow()
        do {
            try await withTaskCancellationHandler {
                try await speak(over: connection, as: side)
            } onCancel: {
                connection.close(nil)
            }
        } catch {
            throw error as? SyncError
                ?? SyncError(.disconnected, .reason(of: error), cause: error)
        }
    }

    private func traced(_ connection: any MessageConnection) -> any MessageConnection {
        guard let trace else { return connection }
        return TracedConnection(connection, as: peerID, trace)
    }

    private func speak(
        over connection: any MessageConnection, as side: Side
    ) async throws(SyncError) {
        let peer: ConnectedPeer
        do throws(SyncError) {
            peer = try await join(connection, as: side)
        } catch {
            connection.close(Self.lastMessage(error))
            throw error
        }
        if let old = peers[peer.id] {
            // The newer connection replaces the older one.
            old.endSending()
            old.connection.close(PeerMessage.error("another connection has the same name").encoded)
        }
        peers[peer.id] = peer
        note(.connected(peer.id, address: connection.address))
        let sending = Task { await self.send(to: peer.id, as: ObjectIdentifier(peer)) }
        var failure: SyncError?
        do throws(SyncError) {
            try await announce(to: peer)
            try await listen(to: peer)
        } catch {
            failure = error
        }
        await finishKeeping(from: peer)
        failure = peer.failure ?? failure
        if peer.isOver {
            failure = SyncError(.replaced, "replaced by another connection with the same name")
        }
        peer.endSending()
        connection.close(failure.flatMap(Self.lastMessage))
        await sending.value
        if peers[peer.id] === peer { peers[peer.id] = nil }
        remember(peer)
        forgetIncomplete(of: peer.id)
        note(.disconnected(peer.id, failure))
        if let failure { throw failure }
    }

    /// Returns the last message to a peer, if the peer caused the error.
    static func lastMessage(_ error: SyncError) -> [UInt8]? {
        switch error.code {
        case .badMessage, .tooLarge, .tooMany, .unsupported, .timedOut, .replaced:
            PeerMessage.error(error.message).encoded
        default: nil
        }
    }

    /// Remembers the sync states with a peer in case it reconnects. Drops states without content.
    /// Otherwise, a peer could occupy memory after its connection ends, just by naming documents.
    private func remember(_ peer: ConnectedPeer) {
        remembered.removeAll { $0.peer == peer.lasting }
        var states: [DocumentID: SyncState] = [:]
        var documents: [DocumentID: DocumentStatus] = [:]
        for (id, share) in peer.shares where share.hasHeard {
            let status = share.status
            share.state.reset()
            guard share.state.claimByteCount > 0 else { continue }
            (states[id], documents[id]) = (share.state, status)
        }
        guard !states.isEmpty else { return }
        let status = PeerStatus(
            peer: peer.id, metadata: peer.metadata, address: peer.connection.address,
            documents: documents, isConnected: false)
        remembered.append((peer.lasting, states, status))
        var count = remembered.reduce(0) { $0 + $1.states.count }
        while let oldest = remembered.first,
            remembered.count > 64 || count > limits.documentsPerPeer * 2
        {
            count -= oldest.states.count
            remembered.removeFirst()
        }
    }

    private func forgetIncomplete(of peer: PeerID) {
        // Complete documents that are waiting to be saved are not discarded.
        for (id, document) in incomplete where document.peer == peer && unkept[id] == nil {
            incomplete[id] = nil
            incompleteBytes -= document.bytes
        }
    }

    /// Ends all connections and all event sequences.
    public func stop() {
        isStopped = true
        following?.cancel()
        for document in unkept.values { document.trying.cancel() }
        for connection in connections.values { connection.close(nil) }
        hub.close()
    }

    /// Notifies peers of the repository's own changes until the exchange ends.
    private func follow() {
        guard following == nil else { return }
        let changes = repository.localChanges()
        following = Task { [weak self] in
            for await id in changes {
                guard let self else { return }
                await self.notifyPeers(of: id)
            }
        }
    }
}
