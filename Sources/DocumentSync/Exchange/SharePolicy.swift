public import Automerge

/// Which documents are offered to whom, and who gets those that are asked for.
public struct SharePolicy: Sendable {
    /// What a peer may do with a document.
    public enum Access: Int, Sendable, Comparable {
        /// It is told that there is no such document.
        case none
        /// It gets changes; those that it sends are ignored.
        case read
        /// It gets changes, and its own are taken in.
        case write

        public static func < (first: Self, second: Self) -> Bool {
            first.rawValue < second.rawValue
        }
    }

    /// Whether a peer is told of a document that it has not named.
    public var announces: @Sendable (PeerID, DocumentID) -> Bool
    /// What a peer may do with a document that it names. One that was asked for with
    /// ``DocumentExchange/request(_:)`` is taken from everybody.
    public var access: @Sendable (PeerID, DocumentID) -> Access
    /// Whether a document that is not here is made of what a peer sends. One that was asked for
    /// with ``DocumentExchange/request(_:)`` always is.
    public var creates: @Sendable (PeerID, DocumentID) -> Bool

    /// A policy of one's own.
    public init(
        announces: @escaping @Sendable (PeerID, DocumentID) -> Bool,
        access: @escaping @Sendable (PeerID, DocumentID) -> Access,
        creates: @escaping @Sendable (PeerID, DocumentID) -> Bool
    ) {
        self.announces = announces
        self.access = access
        self.creates = creates
    }

    /// A server's: nothing is offered, and whoever knows a document's identifier reads and writes
    /// it. New documents are taken in.
    public static let onRequest = SharePolicy(
        announces: { _, _ in false }, access: { _, _ in .write }, creates: { _, _ in true })

    /// A server's that takes nothing in: whoever knows a document's identifier reads it.
    public static let readOnly = SharePolicy(
        announces: { _, _ in false }, access: { _, _ in .read }, creates: { _, _ in false })

    /// Between one's own stores: everything is offered and taken in.
    public static let everything = SharePolicy(
        announces: { _, _ in true }, access: { _, _ in .write }, creates: { _, _ in true })

    /// A client's: the documents that are here are kept alike with the server's, no others.
    public static let mine = SharePolicy(
        announces: { _, _ in true }, access: { _, _ in .write }, creates: { _, _ in false })

    /// A client's that keeps just these documents alike with the server's.
    public static func only(_ documents: Set<DocumentID>) -> SharePolicy {
        SharePolicy(
            announces: { _, id in documents.contains(id) },
            access: { _, id in documents.contains(id) ? .write : .none },
            creates: { _, id in documents.contains(id) })
    }
}
