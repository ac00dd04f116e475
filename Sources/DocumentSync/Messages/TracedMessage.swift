public import Automerge
public import Foundation
import Replication

/// A message that was sent to a peer or received from one, for debugging.
///
/// Texts of peers are unchanged: escape them before printing.
public struct TracedMessage: Sendable, Equatable {
    /// The direction of a message.
    public enum Direction: String, Sendable { case sent, received }

    /// The time at which the message was received, or at which sending it began.
    public let date: Date
    /// Whether the message is sent or received.
    public let direction: Direction
    /// The address of the other side.
    public let address: String
    /// The name of the other side, or `nil` if it has not joined yet.
    public let peer: PeerID?
    /// The type in the protocol, such as `sync` or `doc-unavailable`; `invalid` for an invalid
    /// message. At most 512 bytes.
    public let type: String
    /// The document that the message is about, if any.
    public let document: DocumentID?
    /// The size of the whole message in bytes.
    public let byteCount: Int
    /// The content of a sync message or a request.
    public let sync: SyncContent?
    /// The reason why the message is invalid or ignored, or the text of an error message.
    public let problem: String?

    /// The content of a sync message, except its changes.
    public struct SyncContent: Sendable, Equatable {
        /// The changes that the sender claims to have.
        public struct Have: Sendable, Equatable {
            /// The heads of the last sync.
            public let lastSync: [ChangeHash]
            /// The size in bytes of the Bloom filter of all later changes.
            public let filterByteCount: Int
        }

        /// The heads of the sender's document, in ascending order.
        public let heads: [ChangeHash]
        /// The changes that the sender requests.
        public let need: [ChangeHash]
        /// The changes that the sender already has.
        public let have: [Have]
        /// The number of chunks of changes. A chunk may contain a whole document.
        public let changeCount: Int

        /// - Throws: `ReceiveSyncError` for bytes that are not a sync message.
        init(_ data: ArraySlice<UInt8>) throws(ReceiveSyncError) {
            let summary = try SyncMessageSummary(data)
            heads = summary.heads.sorted()
            need = summary.needed
            have = summary.haves.map {
                Have(lastSync: $0.lastSync, filterByteCount: $0.filterByteCount)
            }
            changeCount = summary.changeCount
        }
    }
}

extension TracedMessage {
    /// Decodes a message.
    ///
    /// - Parameters:
    ///   - own: The name of this side.
    ///   - peer: The name of the other side, if it has joined. Decoding its join message sets this
    ///     name.
    init(
        _ bytes: [UInt8], _ direction: Direction, over connection: any MessageConnection,
        as own: PeerID, peer: inout PeerID?
    ) {
        let content = Content(bytes)
        if direction == .received, let sender = content.joiningPeer { peer = sender }
        let ignored =
            direction == .received && content.joiningPeer == nil
            ? content.reasonToIgnore(from: peer, as: own) : nil
        date = Date()
        self.direction = direction
        address = connection.address
        self.peer = peer
        type = content.type
        document = content.document
        byteCount = bytes.count
        sync = content.sync
        problem = content.problem ?? ignored
    }

    /// The decoded parts of a message.
    private struct Content {
        var type = "invalid"
        var document: DocumentID?
        var sync: SyncContent?
        var problem: String?
        /// The name with which the sender joins.
        var joiningPeer: PeerID?
        /// The sender and the recipient of a message about a document.
        var ends: (sender: PeerID, target: PeerID)?
        /// Whether the sender may have forwarded the message of another peer.
        var isForwarded = false
        var isKnown = true

        init(_ bytes: [UInt8]) {
            let message: PeerMessage
            do throws(SyncError) {
                message = try PeerMessage(bytes)
            } catch {
                problem = error.message
                return
            }
            type = message.type
            switch message {
            case .join(let sender, _, _): joiningPeer = sender
            case .peer(let sender, _, _, _): joiningPeer = sender
            case .error(let text): problem = text
            case .leave: break
            case .sync(let message), .request(let message):
                document = message.document
                ends = (message.sender, message.target)
                do throws(ReceiveSyncError) {
                    sync = try SyncContent(message.data)
                } catch {
                    problem = error.message
                }
            case .unavailable(let document, let sender, let target):
                self.document = document
                ends = (sender, target)
            case .ephemeral(let message):
                document = message.document
                ends = (message.sender, message.target)
                isForwarded = true
            case .other: isKnown = false
            }
        }

        /// Returns the reason why this side ignores the message, or `nil` if it doesn't.
        func reasonToIgnore(from peer: PeerID?, as own: PeerID) -> String? {
            guard isKnown else { return "ignored: of an unknown type" }
            guard let ends else { return nil }
            guard let peer else { return "ignored: the peer has not joined" }
            if ends.sender != peer, !isForwarded {
                return "ignored: the sender is \(ends.sender.text.quoted)"
            }
            if sync != nil, ends.target != own {
                return "ignored: the recipient is \(ends.target.text.quoted)"
            }
            return nil
        }
    }
}
