import Automerge
import Foundation
import Replication

/// The state of a connected peer. Only the exchange accesses it.
final class ConnectedPeer {
    let id: PeerID
    let metadata: PeerMetadata
    let connection: any MessageConnection
    /// Whether the peer is the connection's server, which may forward messages of other peers.
    let isServer: Bool

    /// The state of each document that either side named.
    var shares: [DocumentID: DocumentShare] = [:]
    /// The number of documents that the peer named before this side did.
    var namedCount = 0
    /// The size of the peer's claims in bytes.
    var claimBytes = 0
    /// The number of invalid messages.
    var faults = 0
    /// Whether the connection should end.
    var isOver = false

    /// The running saves of documents from this peer, with the number of bytes that were received
    /// for each.
    var keeping: [DocumentID: (task: Task<Void, Never>, byteCount: Int)] = [:]
    /// The reason to disconnect the peer.
    var failure: SyncError?

    /// Wakes the sending task.
    let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// The documents that may need a message, in two queues. The first queue has the documents that
    /// the peer has just sent a message about, because they are still open.
    private var answers = WaitingLine()
    private var announcements = WaitingLine()
    /// The queued ephemeral messages.
    private var mail: [[UInt8]] = []
    private var mailBytes = 0

    /// The session and count of each sender's last ephemeral message, newest last.
    private var lastCounts: [(sender: PeerID, session: Name, count: UInt64)] = []
    private static let rememberedSenders = 128

    init(
        _ id: PeerID, _ metadata: PeerMetadata, _ connection: any MessageConnection,
        isServer: Bool
    ) {
        self.id = id
        self.metadata = metadata
        self.connection = connection
        self.isServer = isServer
        (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The name by which a reconnecting peer is recognized.
    var lasting: Name { Name(metadata.storageID ?? id.text) }

    /// Queues a document. As soon as the connection has room, the sending task checks whether the
    /// document needs a message.
    func enqueue(_ id: DocumentID) {
        guard let share = shares[id], !share.isQueued else { return }
        shares[id]?.isQueued = true
        if share.hasHeard { answers.add(id) } else { announcements.add(id) }
        waker.yield()
    }

    func nextDocument() -> DocumentID? {
        guard let id = answers.next() ?? announcements.next() else { return nil }
        shares[id]?.isQueued = false
        return id
    }

    /// Returns the documents that come next in the queue and were not returned before.
    func documentsToPrepare() -> [DocumentID] {
        announcements.ahead(count: 32).filter { shares[$0]?.hasHeard == false }
    }

    /// Queues an ephemeral message, or drops it if too many are queued.
    func post(_ message: [UInt8], limit: Int) {
        guard mailBytes + message.count <= limit else { return }
        mail.append(message)
        mailBytes += message.count
        waker.yield()
    }

    func takeMail() -> [[UInt8]] {
        defer {
            mail = []
            mailBytes = 0
        }
        return mail
    }

    func endSending() {
        isOver = true
        waker.finish()
    }

    /// Returns whether an ephemeral message is newer than all previous ones of its sender, and
    /// remembers it.
    func isNew(_ message: PeerMessage.EphemeralMessage) -> Bool {
        let session = Name(message.session)
        if let index = lastCounts.firstIndex(where: {
            $0.sender == message.sender && $0.session == session
        }) {
            guard message.count > lastCounts[index].count else { return false }
            lastCounts[index].count = message.count
            return true
        }
        if lastCounts.count >= Self.rememberedSenders { lastCounts.removeFirst() }
        lastCounts.append((message.sender, session, message.count))
        return true
    }
}

/// A queue of documents.
private struct WaitingLine {
    private var ids: [DocumentID] = []
    private var nextIndex = 0
    private var preparedIndex = 0

    mutating func add(_ id: DocumentID) { ids.append(id) }

    /// Returns the next documents if the previously returned documents are used up and at least two
    /// are left.
    mutating func ahead(count: Int) -> ArraySlice<DocumentID> {
        guard nextIndex >= preparedIndex, ids.count - nextIndex > 1 else { return [] }
        preparedIndex = min(nextIndex + count, ids.count)
        return ids[nextIndex..<preparedIndex]
    }

    mutating func next() -> DocumentID? {
        guard nextIndex < ids.count else {
            ids = []
            nextIndex = 0
            preparedIndex = 0
            return nil
        }
        nextIndex += 1
        return ids[nextIndex - 1]
    }
}

/// The state of a document between this side and one peer.
struct DocumentShare {
    let state: SyncState
    /// Whether the document is in the peer's queue.
    var isQueued = false
    /// Whether a message about the document was postponed because the document was being saved.
    var isPutOff = false
    /// Whether the peer must be notified that this side lacks the document.
    var owesUnavailable = false
    /// Whether the peer's last message reported the document as unavailable.
    var isUnavailable = false
    /// Whether the peer has sent a message about the document.
    var hasHeard = false
    /// Whether both sides were in sync when their heads were last compared.
    var isInSync = false
    /// Whether changes were sent or received since the last `inSync` event.
    var hasMoved = false
    /// The last refusal.
    var refused: Refusal?
    /// The heads in the last message to a peer whose changes are not accepted.
    var lastReply: Set<ChangeHash>?
    var claimBytes = 0
    /// Whether the peer has sent a message since this side's last message.
    var isAnswered = false
    /// The progress of the sync, to detect messages that go back and forth without an effect.
    var progress = SyncProgress()
    /// The last stored sync state.
    var keptState: [UInt8]?
    /// The times of the last messages.
    var lastSent: Date?
    var lastReceived: Date?
    var lastProblem: DocumentExchange.Problem?

    init(_ state: SyncState) { self.state = state }
}

/// A refused message about a document.
struct Refusal: Equatable {
    /// The heads of the peer in the message.
    let heads: Set<ChangeHash>
    let changeCount: Int
}
