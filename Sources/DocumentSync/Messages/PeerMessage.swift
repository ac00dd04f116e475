package import Automerge

/// A message of automerge-repo's network protocol. Each message is one CBOR map.
package enum PeerMessage: Sendable, Equatable {
    /// A client's first message.
    case join(sender: PeerID, metadata: PeerMetadata, versions: [String])
    /// The server's answer to `join`.
    case peer(sender: PeerID, metadata: PeerMetadata, version: String, target: PeerID)
    /// An error. The connection ends after it.
    case error(String)
    /// The client disconnects.
    case leave(sender: PeerID)
    /// A sync message for a document.
    case sync(DocumentMessage)
    /// A sync message for a document, sent by a peer that lacks the document and expects
    /// `unavailable` if the other side lacks it, too.
    case request(DocumentMessage)
    /// The sender lacks the document, or doesn't share it with this peer.
    case unavailable(document: DocumentID, sender: PeerID, target: PeerID)
    /// Application data that is forwarded and not stored.
    case ephemeral(EphemeralMessage)
    /// An unknown kind of message, which is ignored.
    case other(type: String)

    package struct DocumentMessage: Sendable, Equatable {
        package var document: DocumentID
        package var sender: PeerID
        package var target: PeerID
        /// An Automerge sync message; never empty.
        package var data: ArraySlice<UInt8>
    }

    package struct EphemeralMessage: Sendable, Equatable {
        package var document: DocumentID
        /// The original sender. Peers that forward the message don't change it.
        package var sender: PeerID
        package var target: PeerID
        /// The session of the sender. Counts restart in each session.
        package var session: String
        package var count: UInt64
        /// The CBOR encoding of the application's value.
        package var data: ArraySlice<UInt8>
    }

    /// The type of the message in the protocol.
    package var type: String {
        switch self {
        case .join: "join"
        case .peer: "peer"
        case .error: "error"
        case .leave: "leave"
        case .sync: "sync"
        case .request: "request"
        case .unavailable: "doc-unavailable"
        case .ephemeral: "ephemeral"
        case .other(let type): type
        }
    }

    /// The only version of the protocol.
    package static let version = "1"
}
