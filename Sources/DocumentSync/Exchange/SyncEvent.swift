public import Automerge
public import Foundation

/// What happened while documents were kept alike with peers.
public struct SyncEvent: Sendable {
    /// When it happened.
    public let date: Date
    public let kind: Kind

    public enum Kind: Sendable {
        /// A server is ready for peers at an address.
        case listening(String)
        /// A client tries to reach a server.
        case connecting(String)
        /// A peer has joined, or a server has answered.
        case connected(PeerID, address: String)
        /// The connection with a peer ended; `nil` where it just left.
        case disconnected(PeerID, SyncError?)
        /// A client could not reach its server, or lost it, and tries again after a pause.
        case retrying(SyncError, after: Duration)
        /// A peer named a document for the first time.
        case requested(DocumentID, PeerID)
        /// A document came to be from what a peer sent.
        case created(DocumentID, PeerID)
        /// Changes came in.
        case received(DocumentID, PeerID, Amount)
        /// Changes went out.
        case sent(DocumentID, PeerID, Amount)
        /// Both have the same now.
        case alike(DocumentID, PeerID)
        /// Messages went back and forth without an effect, as after one that was lost; both sides
        /// compare from scratch.
        case restarted(DocumentID, PeerID)
        /// The peer does not have the document, or does not give it.
        case unavailable(DocumentID, PeerID)
        /// The peer was told that there is no such document, or its changes were not taken in.
        case refused(DocumentID, PeerID, String)
        /// Data of an application, which is kept nowhere.
        case ephemeral(DocumentID, PeerID, [UInt8])
        /// What a peer sent could not be kept. The peer is not told that it is here; it is tried
        /// again after a pause.
        case notSaved(DocumentID, SyncError, tryingAgainAfter: Duration)
        /// What could not be kept before is kept now.
        case saved(DocumentID)
        /// A document could not be read, or not kept at all; others go on.
        case failed(DocumentID?, SyncError)
    }

    /// How much one message held.
    public struct Amount: Sendable, Hashable {
        /// How many chunks of changes; a chunk may hold a whole document.
        public var changes: Int
        public var bytes: Int
    }

    init(_ kind: Kind, date: Date = Date()) {
        self.date = date
        self.kind = kind
    }
}

/// The events of one exchange, for `for await`: each is for one reader, and begins with what happens
/// after it was made.
///
/// A reader that does not keep up loses the oldest.
public typealias SyncEvents = AsyncStream<SyncEvent>
