public import Automerge
public import Foundation

/// An event that occurred while documents were synced with peers.
public struct SyncEvent: Sendable {
    /// The time of the event.
    public let date: Date
    /// The kind of the event, with its details.
    public let kind: Kind

    /// A kind of event.
    public enum Kind: Sendable {
        /// A server accepts peers at an address.
        case listening(String)
        /// A client connects to a server.
        case connecting(String)
        /// A peer joined, or a server answered.
        case connected(PeerID, address: String)
        /// A connection ended. The error is `nil` if the peer closed the connection normally.
        case disconnected(PeerID, SyncError?)
        /// A client could not connect, or lost the connection, and will retry after a pause.
        case retrying(SyncError, after: Duration)
        /// A peer named a document for the first time.
        case requested(DocumentID, PeerID)
        /// A document was created from a peer's changes.
        case created(DocumentID, PeerID)
        /// Changes were received.
        case received(DocumentID, PeerID, Amount)
        /// Changes were sent.
        case sent(DocumentID, PeerID, Amount)
        /// Both sides are in sync.
        case inSync(DocumentID, PeerID)
        /// Messages went back and forth without an effect, which can happen after a lost message.
        /// Both sides compare from scratch.
        case restarted(DocumentID, PeerID)
        /// The peer doesn't have the document, or doesn't share it.
        case unavailable(DocumentID, PeerID)
        /// A peer's request or its changes were refused. The text is the reason. The amount is the
        /// number and size of the refused changes. The event is reported again when the peer sends
        /// other changes.
        case refused(DocumentID, PeerID, Amount, String)
        /// Application data, which is not stored.
        case ephemeral(DocumentID, PeerID, [UInt8])
        /// A peer's changes could not be saved. They are not acknowledged, and saving is retried
        /// after a pause.
        case notSaved(DocumentID, SyncError, tryingAgainAfter: Duration)
        /// Changes that could not be saved before are saved now.
        case saved(DocumentID)
        /// A document could not be read or saved. Other documents are not affected.
        case failed(DocumentID?, SyncError)
    }

    /// The amount of changes in a message.
    public struct Amount: Sendable, Hashable {
        /// The number of chunks. A chunk may contain a whole document.
        public var changes: Int
        /// The total number of bytes of the chunks.
        public var bytes: Int
    }

    init(_ kind: Kind, date: Date = Date()) {
        self.date = date
        self.kind = kind
    }
}

/// A sequence of the events of an exchange for a single reader, starting with the next event.
///
/// Readers that don't keep up lose the oldest events.
public typealias SyncEvents = AsyncStream<SyncEvent>
