public import Automerge
import Foundation
import Replication

extension DocumentExchange {
    // MARK: Announcing

    /// Queues messages about all documents that should be announced to a peer.
    func announce(to peer: ConnectedPeer) async throws(SyncError) {
        let ids: [DocumentID]
        do {
            ids = try await repository.documentIDs()
        } catch {
            throw Self.failure(of: error)
        }
        for id in wanted.union(ids)
        where wanted.contains(id) || policy.announces(peer.id, id) {
            try await open(id, with: peer, named: false)
            peer.enqueue(id)
        }
    }

    /// Queues messages to peers about a document that this side or a peer changed.
    func notifyPeers(of id: DocumentID, except source: PeerID? = nil) async {
        for peer in peers.values where peer.id != source {
            if peer.shares[id] == nil {
                guard policy.announces(peer.id, id) else { continue }
                try? await open(id, with: peer, named: false)
            }
            guard access(of: peer, to: id) > .none else { continue }
            peer.shares[id]?.owesUnavailable = false
            peer.enqueue(id)
        }
    }

    /// Requests documents from all connected and future peers, until each document is found.
    public func request(_ ids: some Sequence<DocumentID>) async {
        for id in ids {
            wanted.insert(id)
            for peer in peers.values {
                try? await open(id, with: peer, named: false)
                peer.enqueue(id)
            }
        }
    }

    /// Prepares the state of a document for a peer. It starts from the sync state of earlier
    /// connections.
    func open(
        _ id: DocumentID, with peer: ConnectedPeer, named: Bool
    ) async throws(SyncError) {
        guard peer.shares[id] == nil else { return }
        if named {
            guard peer.namedCount < limits.documentsPerPeer else {
                throw SyncError(
                    .tooMany, "the peer names more than \(limits.documentsPerPeer) documents")
            }
            peer.namedCount += 1
        }
        // The state is copied because another connection of the same store may use it concurrently.
        var state = remembered.last { $0.peer == peer.lasting }?.states[id]
            .flatMap { try? SyncState(bytes: $0.encode()) }
        if state == nil, let storage = peer.metadata.storageID, !peer.metadata.isEphemeral,
            let kept = try? await repository.syncState(of: id, with: storage)
        {
            state = try? SyncState(bytes: kept)
        }
        guard peer.shares[id] == nil else { return }
        peer.shares[id] = DocumentShare(state ?? SyncState())
        if named { note(.requested(id, peer.id)) }
    }

    /// Returns the peer's access to a document. If this side has requested the document, every peer
    /// can write it.
    func access(of peer: ConnectedPeer, to id: DocumentID) -> SharePolicy.Access {
        wanted.contains(id) ? .write : policy.access(peer.id, id)
    }

    // MARK: Sending

    /// Sends messages to a peer as fast as it receives them, until its connection ends.
    func send(to id: PeerID, as identity: ObjectIdentifier) async {
        guard let peer = peers[id], ObjectIdentifier(peer) == identity else { return }
        for await _ in peer.wake {
            do throws(SyncError) {
                while !peer.isOver {
                    for message in peer.takeMail() { try await peer.connection.send(message) }
                    let ahead = peer.documentsToPrepare()
                    if !ahead.isEmpty { await repository.prepare(ahead) }
                    guard let document = peer.nextDocument() else { break }
                    guard let message = await nextMessage(about: document, to: peer) else {
                        continue
                    }
                    try await peer.connection.send(message.encoded)
                    peer.shares[document]?.lastSent = Date()
                }
            } catch {
                // The task that listens to the connection reports why the connection ended.
                peer.connection.close(nil)
                return
            }
        }
    }

    /// Runs `body`, which changes and saves a document. Messages about the document are postponed
    /// until `body` returns.
    func whileReceiving<Result>(
        _ id: DocumentID, _ body: () async throws -> Result
    ) async throws -> Result {
        beginReceiving(id)
        defer { endReceiving(id) }
        return try await body()
    }

    /// Postpones messages about a document until a matching call of ``endReceiving(_:)``.
    func beginReceiving(_ id: DocumentID) { receiving[id, default: 0] += 1 }

    func endReceiving(_ id: DocumentID) {
        let left = (receiving[id] ?? 1) - 1
        receiving[id] = left > 0 ? left : nil
        guard left == 0 else { return }
        for peer in peers.values where peer.shares[id]?.isPutOff == true {
            peer.shares[id]?.isPutOff = false
            peer.enqueue(id)
        }
    }

    private func nextMessage(
        about id: DocumentID, to peer: ConnectedPeer
    ) async -> PeerMessage? {
        guard let share = peer.shares[id] else { return nil }
        if share.owesUnavailable {
            peer.shares[id]?.owesUnavailable = false
            return .unavailable(document: id, sender: peerID, target: peer.id)
        }
        let found: Document?
        do {
            found = try await repository.document(id)
        } catch {
            fail(id, Self.failure(of: error), with: peer)
            return nil
        }
        let saved = await savedPart(of: id, found, for: share.state)
        // Changes that are not on disk are not sent. The message is sent after they are saved.
        guard receiving[id] == nil, unkept[id] == nil || saved != nil else {
            peer.shares[id]?.isPutOff = true
            return nil
        }
        var document = saved ?? found ?? Document()
        if document.heads().isEmpty, let begun = incomplete[id]?.document { document = begun }
        let heads = document.heads()
        // For a missing document, the only possible message is a request.
        guard !heads.isEmpty || wanted.contains(id) || share.hasHeard else { return nil }
        let asksAgain = share.isAnswered && access(of: peer, to: id) == .write
        peer.shares[id]?.isAnswered = false
        let next =
            asksAgain
            ? document.generateSyncMessageAskingAgain(state: share.state)
            : document.generateSyncMessage(state: share.state)
        // With unsaved changes, this side is in sync with no peer.
        if saved == nil { await compare(id, heads, peer) }
        guard let data = next, let summary = try? SyncMessageSummary(data) else { return nil }
        if access(of: peer, to: id) == .read {
            // Don't request the same changes repeatedly, because this side doesn't accept them.
            guard summary.changeCount > 0 || share.lastReply != heads else { return nil }
            peer.shares[id]?.lastReply = heads
        }
        switch peer.shares[id]?.progress.advice(own: heads, theirs: share.state.theirHeads) {
        case .proceed, nil: break
        case .keepStill: return nil
        case .startOver:
            share.state.startOver()
            note(.restarted(id, peer.id))
            return document.generateSyncMessage(state: share.state).map { data in
                .sync(.init(document: id, sender: peerID, target: peer.id, data: Array(data)[...]))
            }
        }
        if summary.changeCount > 0 {
            peer.shares[id]?.hasMoved = true
            note(
                .sent(id, peer.id, .init(changes: summary.changeCount, bytes: data.count)))
        }
        let message = PeerMessage.DocumentMessage(
            document: id, sender: peerID, target: peer.id, data: Array(data)[...])
        return heads.isEmpty && !share.hasHeard ? .request(message) : .sync(message)
    }

    /// Records whether both sides are in sync, and stores the sync state.
    private func compare(
        _ id: DocumentID, _ heads: Set<ChangeHash>, _ peer: ConnectedPeer
    ) async {
        guard let share = peer.shares[id] else { return }
        let isInSync = !heads.isEmpty && share.state.theirHeads == heads
        peer.shares[id]?.isInSync = isInSync
        guard isInSync else { return }
        let isNews = !share.isInSync || share.hasMoved
        peer.shares[id]?.hasMoved = false
        if let storage = peer.metadata.storageID, !peer.metadata.isEphemeral {
            let state = share.state.encode()
            if share.keptState != Array(state) {
                peer.shares[id]?.keptState = Array(state)
                do {
                    try await repository.keepSyncState(state, of: id, with: storage)
                } catch {
                    fail(id, Self.failure(of: error), with: peer)
                }
            }
        }
        if isNews { note(.inSync(id, peer.id)) }
    }
}
