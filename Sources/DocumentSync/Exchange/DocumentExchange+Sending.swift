public import Automerge
import Foundation
import Replication

extension DocumentExchange {
    // MARK: What there is to say

    /// Brings up all documents that a peer is to be told of.
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

    /// Looks after a document that was changed here, or by one of the peers.
    func tellPeers(of id: DocumentID, except source: PeerID? = nil) async {
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

    /// Asks all peers for documents, those that will come as well: for a document that is not here,
    /// until it is.
    public func request(_ ids: some Sequence<DocumentID>) async {
        for id in ids {
            wanted.insert(id)
            for peer in peers.values {
                try? await open(id, with: peer, named: false)
                peer.enqueue(id)
            }
        }
    }

    /// Makes a document known between this side and a peer, with what they shared before.
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
        // A copy: another connection of the same store may go on with the state at the same time.
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

    /// What a peer may do with a document; with one that was asked for, everything.
    func access(of peer: ConnectedPeer, to id: DocumentID) -> SharePolicy.Access {
        wanted.contains(id) ? .write : policy.access(peer.id, id)
    }

    // MARK: Sending

    /// Sends what there is to say to a peer, as fast as it takes it, until its connection ends.
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
                }
            } catch {
                // Whoever listens to the connection says why it ended.
                peer.connection.close(nil)
                return
            }
        }
    }

    /// Runs `body`, which changes and stores a document; who was to hear of it meanwhile hears of
    /// it afterwards.
    func whileReceiving<Result>(
        _ id: DocumentID, _ body: () async throws -> Result
    ) async throws -> Result {
        beginReceiving(id)
        defer { endReceiving(id) }
        return try await body()
    }

    /// From now on nothing is said of a document, until the same number of ends.
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
            note(.failed(id, Self.failure(of: error)))
            return nil
        }
        // Of what is not on disk nothing is said; who was to hear of it hears of it when it is.
        guard receiving[id] == nil, unkept[id] == nil else {
            peer.shares[id]?.isPutOff = true
            return nil
        }
        var document = found ?? Document()
        if document.heads().isEmpty, let begun = incomplete[id]?.document { document = begun }
        let heads = document.heads()
        // Of what is not here there is nothing to say but that it is wanted.
        guard !heads.isEmpty || wanted.contains(id) || share.hasHeard else { return nil }
        let asksAgain = share.isAnswered && access(of: peer, to: id) == .write
        peer.shares[id]?.isAnswered = false
        let next =
            asksAgain
            ? document.generateSyncMessageAskingAgain(state: share.state)
            : document.generateSyncMessage(state: share.state)
        guard let data = next else {
            await compare(id, heads, peer)
            return nil
        }
        await compare(id, heads, peer)
        guard let summary = try? SyncMessageSummary(data) else { return nil }
        if access(of: peer, to: id) == .read {
            // What the peer has and this side does not take would be asked for again and again.
            guard summary.changeCount > 0 || share.lastReply != heads else { return nil }
            peer.shares[id]?.lastReply = heads
        }
        switch peer.shares[id]?.progress.advice(own: heads, theirs: share.state.theirHeads) {
        case .goOn, nil: break
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

    /// Notes whether both have the same now, and what they share.
    private func compare(
        _ id: DocumentID, _ heads: Set<ChangeHash>, _ peer: ConnectedPeer
    ) async {
        guard let share = peer.shares[id] else { return }
        let isAlike = !heads.isEmpty && share.state.theirHeads == heads
        peer.shares[id]?.isAlike = isAlike
        guard isAlike else { return }
        let isNews = !share.isAlike || share.hasMoved
        peer.shares[id]?.hasMoved = false
        if let storage = peer.metadata.storageID, !peer.metadata.isEphemeral {
            let state = share.state.encode()
            if share.keptState != Array(state) {
                peer.shares[id]?.keptState = Array(state)
                do {
                    try await repository.keepSyncState(state, of: id, with: storage)
                } catch {
                    note(.failed(id, Self.failure(of: error)))
                }
            }
        }
        if isNews { note(.alike(id, peer.id)) }
    }
}

// MARK: How things stand

extension DocumentExchange {
    /// How a document stands between this side and a peer.
    public enum Standing: Sendable, Hashable {
        /// One of them has something that the other lacks, or they have not compared.
        case different
        /// Both have the same.
        case alike
        /// The peer lacks it, or does not give it.
        case unavailable
    }

    /// A peer that is connected.
    public struct PeerStatus: Sendable {
        public let peer: PeerID
        public let metadata: PeerMetadata
        public let address: String
        public let documents: [DocumentID: Standing]
    }

    /// The peers that are connected now, by name.
    ///
    /// - Complexity: O(*n*) in the number of documents of all peers.
    public var status: [PeerStatus] {
        peers.values.map { peer in
            PeerStatus(
                peer: peer.id, metadata: peer.metadata, address: peer.connection.address,
                documents: peer.shares.mapValues { share in
                    share.isAlike ? .alike : share.isUnavailable ? .unavailable : .different
                })
        }.sorted { $0.peer < $1.peer }
    }
}
