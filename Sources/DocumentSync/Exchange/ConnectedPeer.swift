import Automerge
import Replication

/// What an exchange knows of one peer while it is connected. Only the exchange touches it.
final class ConnectedPeer {
    let id: PeerID
    let metadata: PeerMetadata
    let connection: any MessageConnection
    /// Whether the other side is the server of the connection, which may pass on what others say.
    let isServer: Bool

    /// What is known of each document that either side named.
    var shares: [DocumentID: DocumentShare] = [:]
    /// How many of them the peer brought up.
    var namedCount = 0
    /// How many bytes the peer's claims take.
    var claimBytes = 0
    /// Messages that made no sense.
    var faults = 0
    /// Set when the connection is to end.
    var isOver = false

    /// What is being kept of documents that came from this peer, and how many bytes that were.
    var keeping: [DocumentID: (task: Task<Void, Never>, byteCount: Int)] = [:]
    /// Why what the peer sent is no longer borne.
    var failure: SyncError?

    /// Wakes the task that sends.
    let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// Documents about which there may be something to say: first those that the peer spoke of,
    /// which were in use a moment ago.
    private var answers = WaitingLine()
    private var news = WaitingLine()
    /// Ephemeral messages that wait.
    private var mail: [[UInt8]] = []
    private var mailBytes = 0

    /// The run and the count of the last ephemeral message of each sender, newest last.
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

    /// What both sides are remembered by when they meet again.
    var lasting: Name { Name(metadata.storageID ?? id.text) }

    /// Looks, when the connection has room, whether there is something to say of a document.
    func enqueue(_ id: DocumentID) {
        guard let share = shares[id], !share.isQueued else { return }
        shares[id]?.isQueued = true
        if share.hasHeard { answers.add(id) } else { news.add(id) }
        waker.yield()
    }

    func nextDocument() -> DocumentID? {
        guard let id = answers.next() ?? news.next() else { return nil }
        shares[id]?.isQueued = false
        return id
    }

    /// Documents that will be looked at next and were not given before.
    func documentsToPrepare() -> [DocumentID] {
        news.ahead(count: 32).filter { shares[$0]?.hasHeard == false }
    }

    /// Sends an ephemeral message when there is room; drops it where too many wait already.
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

    /// Whether an ephemeral message is newer than all from its sender before; remembers it.
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

/// Documents in the order in which they came.
private struct WaitingLine {
    private var ids: [DocumentID] = []
    private var nextIndex = 0
    private var preparedIndex = 0

    mutating func add(_ id: DocumentID) { ids.append(id) }

    /// The next ones, when those that were given the last time are used up and there are several.
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

/// One document between this side and one peer.
struct DocumentShare {
    let state: SyncState
    /// Whether the document waits in the peer's queue.
    var isQueued = false
    /// Whether the document was not spoken of because it was being stored.
    var isPutOff = false
    /// Whether the peer is to be told that the document is not here.
    var owesUnavailable = false
    /// Whether the peer said so of its side, and nothing else since.
    var isUnavailable = false
    /// Whether the peer has said anything of the document.
    var hasHeard = false
    /// Whether both had the same when that was last looked at.
    var isAlike = false
    /// Whether changes went either way since both were last told to be alike.
    var hasMoved = false
    /// Whether it was told that something was refused.
    var hasRefused = false
    /// The heads of the last message to a peer whose changes are not taken in.
    var lastReply: Set<ChangeHash>?
    var claimBytes = 0
    /// Whether the peer has sent a message since this side's last one.
    var isAnswered = false
    /// Whether messages go back and forth without an effect.
    var progress = SyncProgress()
    /// What was last kept of the sync state.
    var keptState: [UInt8]?

    init(_ state: SyncState) { self.state = state }
}
