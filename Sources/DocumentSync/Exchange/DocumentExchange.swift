import Automerge
import Foundation
public import Replication

/// Keeps the documents of a repository alike with those of peers, over any number of connections.
///
/// Its protocol is automerge-repo's: ``run(_:as:)`` speaks it over one connection until that ends.
/// Changes that come from one peer go on to the others that know the document. Nothing is sent
/// faster than a peer takes it, and everything that a peer sends is bounded by ``SyncLimits``.
///
/// ```swift
/// let exchange = DocumentExchange(of: MemoryRepository(), policy: .onRequest)
/// try await exchange.run(connection, as: .server)
/// ```
public actor DocumentExchange {
    /// Which end of a connection this is: a client joins, a server answers.
    public enum Side: Sendable { case client, server }

    /// The name under which this side joins.
    public nonisolated let peerID: PeerID
    /// What this side says of itself.
    public nonisolated let metadata: PeerMetadata
    public nonisolated let limits: SyncLimits

    nonisolated let repository: any DocumentRepository
    nonisolated let policy: SharePolicy
    nonisolated let scheduler: Scheduler
    nonisolated let pauses: RetryPauses
    /// An event may hold the data of an ephemeral message.
    nonisolated let hub = EventHub<SyncEvent>(keeping: 1_024)
    /// Counts of ephemeral messages begin anew in each run.
    nonisolated let session = UUID().uuidString.lowercased()

    var peers: [PeerID: ConnectedPeer] = [:]
    var ephemeralCount: UInt64 = 0
    /// Documents that are asked for and may not be here yet.
    var wanted: Set<DocumentID> = []
    /// Documents that are being changed and stored, and by how many messages: nothing is said of
    /// them meanwhile, so that nobody is told of changes that are not on disk.
    var receiving: [DocumentID: Int] = [:]
    /// Documents of which not enough has come to be kept.
    var incomplete: [DocumentID: IncompleteDocument] = [:]
    var incompleteBytes = 0
    /// Documents with changes that could not be kept. Nothing is said of them until they are.
    var unkept: [DocumentID: UnkeptDocument] = [:]
    /// What is shared with those that may come back; the oldest first.
    var remembered: [(peer: Name, states: [DocumentID: SyncState])] = []

    private var connections: [Int: any MessageConnection] = [:]
    private var nextConnection = 0
    private var following: Task<Void, Never>?
    private(set) var isStopped = false

    struct IncompleteDocument {
        let document: Document
        /// Who sent the first of it; when it goes, so does what has not become a document.
        let peer: PeerID
        var bytes = 0
    }

    /// An exchange of the documents of a repository.
    ///
    /// - Parameters:
    ///   - peerID: This side's name; servers keep theirs.
    ///   - storageID: The identifier of the store behind the repository, so that peers remember what
    ///     they shared with it.
    ///   - pauses: How long after a failure to keep what came it is tried again.
    public init(
        of repository: any DocumentRepository, policy: SharePolicy,
        peerID: PeerID = .random(), storageID: String? = nil, limits: SyncLimits = SyncLimits(),
        pauses: RetryPauses = RetryPauses(), scheduler: Scheduler = .dispatch()
    ) {
        self.repository = repository
        self.policy = policy
        self.peerID = peerID
        metadata = PeerMetadata(storageID: storageID)
        self.limits = limits
        self.pauses = pauses
        self.scheduler = scheduler
    }

    deinit {
        following?.cancel()
        for document in unkept.values { document.trying.cancel() }
    }

    /// What happens from now on.
    public nonisolated func events() -> SyncEvents { hub.events() }

    /// Tells an event of those who make connections.
    package nonisolated func note(_ kind: SyncEvent.Kind) { hub.post(SyncEvent(kind)) }

    /// Speaks the protocol over a connection until it ends; cancelling the task ends it.
    ///
    /// - Throws: `SyncError` with the reason where it did not end by the other side's leave.
    public func run(
        _ connection: any MessageConnection, as side: Side
    ) async throws(SyncError) {
        guard !isStopped else {
            connection.close(nil)
            throw SyncError(.stopped, "synchronizing was stopped")
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
                ?? SyncError(.disconnected, SyncError.explanation(error), cause: error)
        }
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
            // The newer connection is the one that lives.
            old.endSending()
            old.connection.close(PeerMessage.error("another connection of the same name").encoded)
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
            failure = SyncError(.replaced, "another connection of the same name came")
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

    /// What a peer is told of the end, where it is about what the peer did.
    static func lastMessage(_ error: SyncError) -> [UInt8]? {
        switch error.code {
        case .badMessage, .tooLarge, .tooMany, .unsupported, .timedOut, .replaced:
            PeerMessage.error(error.message).encoded
        default: nil
        }
    }

    /// Keeps what is shared with a peer, should it come back. Documents of which nothing is shared
    /// begin anew anyway, so that naming documents costs no memory beyond the connection.
    private func remember(_ peer: ConnectedPeer) {
        remembered.removeAll { $0.peer == peer.lasting }
        var states: [DocumentID: SyncState] = [:]
        for (id, share) in peer.shares where share.hasHeard {
            share.state.reset()
            if share.state.claimByteCount > 0 { states[id] = share.state }
        }
        guard !states.isEmpty else { return }
        remembered.append((peer.lasting, states))
        var count = remembered.reduce(0) { $0 + $1.states.count }
        while let oldest = remembered.first,
            remembered.count > 64 || count > limits.documentsPerPeer * 2
        {
            count -= oldest.states.count
            remembered.removeFirst()
        }
    }

    private func forgetIncomplete(of peer: PeerID) {
        // What is whole and only waits for the disk stays.
        for (id, document) in incomplete where document.peer == peer && unkept[id] == nil {
            incomplete[id] = nil
            incompleteBytes -= document.bytes
        }
    }

    /// Ends all connections and all sequences of events.
    public func stop() {
        isStopped = true
        following?.cancel()
        for document in unkept.values { document.trying.cancel() }
        for connection in connections.values { connection.close(nil) }
        hub.close()
    }

    /// Looks after what the repository's own edits change, for as long as there is somebody to tell.
    private func follow() {
        guard following == nil else { return }
        let changes = repository.localChanges()
        following = Task { [weak self] in
            for await id in changes {
                guard let self else { return }
                await self.tellPeers(of: id)
            }
        }
    }
}
