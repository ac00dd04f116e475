public import Automerge
import Foundation
import Replication

extension DocumentExchange {
    /// Handles a peer's messages until it disconnects.
    ///
    /// - Throws: `SyncError` with the reason that the connection ends.
    func listen(to peer: ConnectedPeer) async throws(SyncError) {
        while !peer.isOver,
            let bytes = try await peer.connection.receive(limit: limits.messageBytes)
        {
            let message: PeerMessage
            do throws(SyncError) {
                message = try PeerMessage(bytes)
            } catch {
                // If the peer's message isn't CBOR, the peer uses another protocol.
                if error.cause is CBORError { throw error }
                try note(error, about: nil, of: peer)
                continue
            }
            switch message {
            case .sync(let message), .request(let message):
                // Messages from or for other peers are ignored.
                guard message.sender == peer.id, message.target == peerID else { continue }
                try await take(message, from: peer)
            case .unavailable(let document, let sender, _):
                guard sender == peer.id, peer.shares[document] != nil else { continue }
                peer.shares[document]?.isUnavailable = true
                peer.shares[document]?.lastReceived = Date()
                note(.unavailable(document, peer.id))
            case .ephemeral(let message): pass(message, from: peer)
            case .error(let message):
                throw SyncError(.peerFailed, "the peer reports: \(message)")
            case .leave: return
            case .join, .peer, .other: continue
            }
        }
    }

    /// Counts an invalid message.
    ///
    /// - Throws: `SyncError` if there are too many.
    private func note(
        _ error: SyncError, about document: DocumentID?, of peer: ConnectedPeer
    ) throws(SyncError) {
        peer.faults += 1
        guard peer.faults <= limits.faults else {
            throw SyncError(
                .badMessage,
                "\(peer.faults) messages could not be understood; the last one: \(error.message)")
        }
        fail(document, error, with: peer)
    }

    // MARK: Documents

    private func take(
        _ message: PeerMessage.DocumentMessage, from peer: ConnectedPeer
    ) async throws(SyncError) {
        let id = message.document
        await makeRoom(for: id, of: peer)
        let access = access(of: peer, to: id)
        try await open(id, with: peer, named: true)
        guard access > .none else { return refuse(id, to: peer, message, nil, "it is not shared") }
        peer.shares[id]?.hasHeard = true
        peer.shares[id]?.lastReceived = Date()
        peer.shares[id]?.isUnavailable = false
        do {
            let summary = try SyncMessageSummary(message.data)
            let document = try await repository.document(id)
            if let document, !document.heads().isEmpty {
                try await take(message, summary, into: document, access: access, from: peer)
            } else {
                try await take(message, summary, intoNew: document, access: access, from: peer)
            }
        } catch let error as SyncError where error.code == .storeFailed {
            return fail(id, error, with: peer)
        } catch let error as SyncError where error.code == .notSaved {
            noteProblem(error.message, about: id, of: peer)
            return try countUnkept(message.data.count, of: id)
        } catch let error as SyncError {
            throw error
        } catch let error as ReceiveSyncError {
            try note(
                SyncError(.badMessage, error.message, cause: error), about: id, of: peer)
        } catch {
            fail(id, Self.failure(of: error), with: peer)
            return
        }
        try countClaims(of: id, peer)
        peer.shares[id]?.isAnswered = true
        peer.enqueue(id)
    }

    static func failure(of error: any Error) -> SyncError {
        SyncError(.storeFailed, .reason(of: error), cause: error)
    }

    private func take(
        _ message: PeerMessage.DocumentMessage, _ summary: SyncMessageSummary,
        into document: Document, access: SharePolicy.Access, from peer: ConnectedPeer
    ) async throws {
        guard let state = peer.shares[message.document]?.state else { return }
        let data = Data(message.data)
        guard access == .write else {
            try document.receiveSyncMessageWithoutChanges(state: state, message: data)
            if summary.changeCount > 0 {
                refuse(
                    message.document, to: peer, message, summary,
                    "this side doesn't accept changes to it", owes: false)
            }
            return
        }
        try await whileReceiving(message.document) {
            let isOther = try await tryingAgain(message.document) {
                try await repository.receive(data, for: message.document, state: state)
            }
            if isOther { startKeeping(message, summary, from: peer) }
        }
    }

    /// Handles changes of a document that is missing or empty on this side.
    private func take(
        _ message: PeerMessage.DocumentMessage, _ summary: SyncMessageSummary,
        intoNew empty: Document?, access: SharePolicy.Access, from peer: ConnectedPeer
    ) async throws {
        let id = message.document
        guard let state = peer.shares[id]?.state else { return }
        let data = Data(message.data)
        let isWanted = wanted.contains(id)
        guard !summary.heads.isEmpty || summary.changeCount > 0 else {
            // Neither side has the document. If the document arrives later, this side sends it to
            // the peer.
            try Document().receiveSyncMessage(state: state, message: data)
            if !isWanted, empty == nil { peer.shares[id]?.owesUnavailable = true }
            return
        }
        guard access == .write, isWanted || empty != nil || policy.creates(peer.id, id) else {
            try Document().receiveSyncMessageWithoutChanges(state: state, message: data)
            return refuse(
                id, to: peer, message, summary, "this side doesn't accept new documents")
        }
        let document = incomplete[id]?.document ?? Document()
        let before = document.memoryEstimate
        try document.receiveSyncMessage(state: state, message: data)
        guard summary.changeCount > 0 else { return }
        guard !document.heads().isEmpty else {
            // No change can be applied yet, because the changes' dependencies have not arrived.
            let byteCount = max(data.count, document.memoryEstimate - before)
            incompleteBytes += byteCount
            var begun =
                incomplete[id] ?? IncompleteDocument(document: document, peer: peer.id)
            begun.bytes += byteCount
            incomplete[id] = begun
            guard incompleteBytes <= limits.incompleteBytes else {
                throw SyncError(
                    .tooLarge, "incomplete documents take too many bytes")
            }
            return
        }
        // Keep the document, so that messages that arrive during the save find it.
        incomplete[id] =
            incomplete[id] ?? IncompleteDocument(document: document, peer: peer.id)
        startKeeping(message, summary, new: document, isCreated: empty == nil, from: peer)
    }

    func noteReceived(
        _ message: PeerMessage.DocumentMessage, _ summary: SyncMessageSummary,
        from peer: ConnectedPeer
    ) async {
        peer.shares[message.document]?.hasMoved = true
        note(
            .received(
                message.document, peer.id,
                .init(changes: summary.changeCount, bytes: message.data.count)))
        await notifyPeers(of: message.document, except: peer.id)
    }

    private func refuse(
        _ id: DocumentID, to peer: ConnectedPeer, _ message: PeerMessage.DocumentMessage,
        _ summary: SyncMessageSummary?, _ reason: String, owes: Bool = true
    ) {
        if owes {
            peer.shares[id]?.owesUnavailable = true
            peer.enqueue(id)
        }
        noteProblem(reason, about: id, of: peer)
        let count = summary?.changeCount ?? 0
        let refusal = Refusal(heads: Set(summary?.heads ?? []), changeCount: count)
        // A peer repeats changes that aren't acknowledged.
        guard let share = peer.shares[id], share.refused != refusal else { return }
        peer.shares[id]?.refused = refusal
        note(.refused(id, peer.id, .init(changes: count, bytes: message.data.count), reason))
    }

    private func countClaims(of id: DocumentID, _ peer: ConnectedPeer) throws(SyncError) {
        guard let share = peer.shares[id] else { return }
        let bytes = share.state.claimByteCount
        peer.claimBytes += bytes - share.claimBytes
        peer.shares[id]?.claimBytes = bytes
        guard peer.claimBytes <= limits.claimBytesPerPeer else {
            throw SyncError(
                .tooLarge,
                "the peer's lists of changes take more than "
                    + "\(limits.claimBytesPerPeer) bytes")
        }
    }

    // MARK: Ephemeral messages

    private func pass(_ message: PeerMessage.EphemeralMessage, from peer: ConnectedPeer) {
        // Only servers forward messages of other peers.
        guard message.sender == peer.id || peer.isServer, message.sender != peerID,
            message.data.count <= limits.ephemeralBytes, peer.shares[message.document] != nil,
            access(of: peer, to: message.document) > .none, peer.isNew(message)
        else { return }
        note(.ephemeral(message.document, message.sender, Array(message.data)))
        for other in peers.values
        where other !== peer && !other.isServer && other.id != message.sender {
            guard other.shares[message.document] != nil else { continue }
            var copy = message
            copy.target = other.id
            other.post(
                PeerMessage.ephemeral(copy).encoded, limit: limits.waitingEphemeralBytes)
        }
    }

    /// Sends application data to all peers that know a document. It isn't stored and may be lost.
    public func broadcast(_ value: CBORValue, about document: DocumentID) {
        let data = value.encoded
        for peer in peers.values where peer.shares[document] != nil {
            ephemeralCount += 1
            let message = PeerMessage.ephemeral(
                .init(
                    document: document, sender: peerID, target: peer.id, session: session,
                    count: ephemeralCount, data: data[...]))
            peer.post(message.encoded, limit: limits.waitingEphemeralBytes)
        }
    }
}
