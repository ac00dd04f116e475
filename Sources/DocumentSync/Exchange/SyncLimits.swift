/// The limits beyond which a peer's connection ends.
public struct SyncLimits: Sendable {
    /// The maximum number of connected peers.
    public var peers = 256
    /// The maximum number of connections per address that have not joined yet. If another
    /// connection arrives, one of these connections is closed.
    public var waitingPeersPerAddress = 64
    /// The maximum size of a message in bytes.
    public var messageBytes = 64 << 20
    /// The maximum size in bytes of a peer's first message, its join message.
    public var firstMessageBytes = 64 << 10
    /// The maximum number of bytes of unprocessed messages of all peers.
    public var pendingBytes = 256 << 20
    /// The maximum number of documents that a peer may name.
    public var documentsPerPeer = 20_000
    /// The maximum memory in bytes for a peer's claims about the changes it has and needs.
    public var claimBytesPerPeer = 32 << 20
    /// The maximum memory in bytes for documents that are not complete enough to be saved.
    public var incompleteBytes = 128 << 20
    /// The maximum size of an ephemeral message's data in bytes. Longer messages are dropped.
    public var ephemeralBytes = 64 << 10
    /// The maximum number of bytes of ephemeral messages that are queued for a slow peer. Further
    /// messages are dropped.
    public var waitingEphemeralBytes = 1 << 20
    /// The maximum number of invalid messages per peer.
    public var faults = 16
    /// The maximum time for joining, or for answering a peer that joins.
    public var joinTime: Duration = .seconds(10)
    /// A peer that sends no data for this time is pinged. If it sends no data for twice this time,
    /// the connection ends.
    public var silence: Duration = .seconds(20)
    /// The maximum time for a peer to accept a message.
    public var sendTime: Duration = .seconds(600)

    /// Creates the default limits.
    public init() {}
}
