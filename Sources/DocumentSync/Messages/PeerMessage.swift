package import Automerge

/// What peers of automerge-repo's network protocol send each other, each as one CBOR map.
package enum PeerMessage: Sendable, Equatable {
    /// A client's first message.
    case join(sender: PeerID, metadata: PeerMetadata, versions: [String])
    /// A server's answer to it.
    case peer(sender: PeerID, metadata: PeerMetadata, version: String, target: PeerID)
    /// Something is wrong; the connection ends behind it.
    case error(String)
    /// The client goes.
    case leave(sender: PeerID)
    /// A sync message of a document.
    case sync(DocumentMessage)
    /// A sync message of a document, by a peer that has nothing of it and wants to hear where the
    /// other lacks it too.
    case request(DocumentMessage)
    /// The sender lacks the document, or does not give it to this peer.
    case unavailable(document: DocumentID, sender: PeerID, target: PeerID)
    /// Data of an application that is passed on and kept nowhere.
    case ephemeral(EphemeralMessage)
    /// A kind that asks for nothing from those who do not know it.
    case other(type: String)

    package struct DocumentMessage: Sendable, Equatable {
        package var document: DocumentID
        package var sender: PeerID
        package var target: PeerID
        /// One sync message of Automerge's; never empty.
        package var data: ArraySlice<UInt8>

        package init(
            document: DocumentID, sender: PeerID, target: PeerID, data: ArraySlice<UInt8>
        ) {
            self.document = document
            self.sender = sender
            self.target = target
            self.data = data
        }
    }

    package struct EphemeralMessage: Sendable, Equatable {
        package var document: DocumentID
        /// Who sent it first; those that pass it on leave that as it is.
        package var sender: PeerID
        package var target: PeerID
        /// The sender's run; counts begin anew in each.
        package var session: String
        package var count: UInt64
        /// CBOR of the application's value.
        package var data: ArraySlice<UInt8>

        package init(
            document: DocumentID, sender: PeerID, target: PeerID, session: String,
            count: UInt64, data: ArraySlice<UInt8>
        ) {
            self.document = document
            self.sender = sender
            self.target = target
            self.session = session
            self.count = count
            self.data = data
        }
    }

    /// The only version of the protocol.
    package static let version = "1"
}
