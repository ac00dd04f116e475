public import Automerge
public import Foundation

extension DocumentExchange {
    /// The sync status of a document with a peer.
    public enum Standing: String, Sendable, Hashable {
        /// One side lacks changes of the other side, or the sides have not been compared.
        case different
        /// Both sides are in sync.
        case inSync
        /// The peer doesn't have the document, or doesn't share it.
        case unavailable
    }

    /// A problem with a document of a peer.
    public struct Problem: Sendable, Hashable {
        /// The time of the problem.
        public let date: Date
        /// The failure and its reason. May contain text of the peer.
        public let message: String

        package init(date: Date, message: String) {
            self.date = date
            self.message = message
        }
    }

    /// The status of a document with a peer.
    public struct DocumentStatus: Sendable, Hashable {
        /// The state of the document with the peer.
        public let standing: Standing
        /// The heads in the peer's last message; `nil` before its first message.
        public let theirHeads: Set<ChangeHash>?
        /// The time of the last message about the document to the peer.
        public let lastSent: Date?
        /// The time of the last message about the document from the peer.
        public let lastReceived: Date?
        /// The last problem on this connection. It may already be solved.
        public let lastProblem: Problem?
        /// The number of changes in the peer's last message that this side refused; 0 if it refused
        /// none.
        public let refusedChangeCount: Int
    }

    /// A peer that is connected, or was connected.
    public struct PeerStatus: Sendable {
        /// The identifier of the peer.
        public let peer: PeerID
        /// The metadata that the peer sent.
        public let metadata: PeerMetadata
        /// The address of the peer.
        public let address: String
        /// The documents that either side named. For a disconnected peer, the documents whose sync
        /// states are kept, with their status when the connection ended.
        public let documents: [DocumentID: DocumentStatus]
        /// Whether the peer is connected.
        public let isConnected: Bool
    }

    /// The connected peers, sorted by name.
    ///
    /// - Complexity: O(*n*) in the total number of documents of all peers.
    public var status: [PeerStatus] {
        peers.values.map { peer in
            PeerStatus(
                peer: peer.id, metadata: peer.metadata, address: peer.connection.address,
                documents: peer.shares.mapValues(\.status), isConnected: true)
        }.sorted { $0.peer < $1.peer }
    }

    /// The disconnected peers that may reconnect, the last one at the end.
    ///
    /// - Complexity: O(*n*) in the number of peers.
    public var disconnectedPeers: [PeerStatus] {
        let connected = Set(peers.values.map(\.lasting))
        return remembered.filter { !connected.contains($0.peer) }.map { $0.status }
    }

    /// The changes of a document that one side is not known to have.
    public struct PendingChanges: Sendable, Hashable {
        /// The number of changes of this side that the peer has not acknowledged, including sent
        /// changes.
        public let unacknowledgedCount: Int
        /// The peer's heads that this side lacks, in ascending order.
        public let missingHeads: [ChangeHash]
    }

    /// Returns the document's changes that this side lacks, or that the peer may lack; `nil` for
    /// an unknown peer, or if neither side has named the document. For a disconnected peer, the
    /// changes that it lacks are counted from the last connection.
    ///
    /// - Throws: The error of the repository if the document can't be read.
    /// - Complexity: O(*n*) in the number of the document's changes.
    public func pendingChanges(
        of id: DocumentID, with peer: PeerID
    ) async throws -> PendingChanges? {
        let document = try await repository.document(id) ?? incomplete[id]?.document ?? Document()
        let connected = peers[peer].map { $0.shares[id]?.state }
        let former = remembered.last { $0.status.peer == peer }?.states[id]
        guard let state = connected ?? former else { return nil }
        let pending = document.pendingChanges(state: state)
        return PendingChanges(
            unacknowledgedCount: pending.unacknowledgedCount, missingHeads: pending.missingHeads)
    }

    // MARK: Problems

    /// Reports a failure with a document, or with a message about an unknown document.
    func fail(_ id: DocumentID?, _ error: SyncError, with peer: ConnectedPeer) {
        if let id { noteProblem(error.message, about: id, of: peer) }
        note(.failed(id, error))
    }

    func noteProblem(_ message: String, about id: DocumentID, of peer: ConnectedPeer) {
        peer.shares[id]?.lastProblem = Problem(date: Date(), message: message)
    }
}

extension DocumentShare {
    /// The status for the user.
    var status: DocumentExchange.DocumentStatus {
        DocumentExchange.DocumentStatus(
            standing: isInSync ? .inSync : isUnavailable ? .unavailable : .different,
            theirHeads: state.theirHeads, lastSent: lastSent, lastReceived: lastReceived,
            lastProblem: lastProblem, refusedChangeCount: refused?.changeCount ?? 0)
    }
}
