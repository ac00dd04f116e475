public import Automerge

/// The documents that are announced to peers, and the access that peers have.
public struct SharePolicy: Sendable {
    /// The access of a peer to a document.
    public enum Access: Int, Sendable, Comparable {
        /// The document is reported as unavailable.
        case none
        /// The peer receives changes. Changes that the peer sends are ignored.
        case read
        /// The peer receives changes, and changes that the peer sends are accepted.
        case write

        public static func < (first: Self, second: Self) -> Bool {
            first.rawValue < second.rawValue
        }
    }

    /// Returns whether a document is announced to a peer that has not named it.
    public var announces: @Sendable (PeerID, DocumentID) -> Bool
    /// Returns the access of a peer to a document that it names. Documents requested with
    /// ``DocumentExchange/request(_:)`` are accepted from all peers.
    public var access: @Sendable (PeerID, DocumentID) -> Access
    /// Returns whether a missing document is created from a peer's changes. Documents requested
    /// with ``DocumentExchange/request(_:)`` are always created.
    public var creates: @Sendable (PeerID, DocumentID) -> Bool

    /// Creates a custom policy.
    public init(
        announces: @escaping @Sendable (PeerID, DocumentID) -> Bool,
        access: @escaping @Sendable (PeerID, DocumentID) -> Access,
        creates: @escaping @Sendable (PeerID, DocumentID) -> Bool
    ) {
        self.announces = announces
        self.access = access
        self.creates = creates
    }

    /// A policy for servers. Nothing is announced, every peer that knows a document's identifier
    /// can read and write it, and new documents are accepted.
    public static let onRequest = SharePolicy(
        announces: { _, _ in false }, access: { _, _ in .write }, creates: { _, _ in true })

    /// A policy for servers that accept no changes. Every peer that knows a document's identifier
    /// can read it.
    public static let readOnly = SharePolicy(
        announces: { _, _ in false }, access: { _, _ in .read }, creates: { _, _ in false })

    /// A policy for the stores of a single user. All documents are announced and accepted.
    public static let everything = SharePolicy(
        announces: { _, _ in true }, access: { _, _ in .write }, creates: { _, _ in true })

    /// A policy for clients that sync only their existing documents with the server.
    public static let mine = SharePolicy(
        announces: { _, _ in true }, access: { _, _ in .write }, creates: { _, _ in false })

    /// Returns a policy for clients that sync only the given documents with the server.
    public static func only(_ documents: Set<DocumentID>) -> SharePolicy {
        SharePolicy(
            announces: { _, id in documents.contains(id) },
            access: { _, id in documents.contains(id) ? .write : .none },
            creates: { _, id in documents.contains(id) })
    }
}
