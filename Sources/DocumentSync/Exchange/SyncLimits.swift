/// How much of a peer is borne before its connection ends.
public struct SyncLimits: Sendable {
    /// How many peers may be connected at once.
    public var peers = 256
    /// The most connections of one address that have not joined yet; a further one closes the
    /// oldest.
    public var waitingPeersPerAddress = 64
    /// How many bytes one message may have.
    public var messageBytes = 64 << 20
    /// How many bytes the first message may have, with which a peer joins.
    public var firstMessageBytes = 64 << 10
    /// How many bytes may be under way from all peers together before they are taken in.
    public var pendingBytes = 256 << 20
    /// How many documents one peer may name.
    public var documentsPerPeer = 20_000
    /// How many bytes one peer's claims of what it has and needs may take in memory.
    public var claimBytesPerPeer = 32 << 20
    /// How many bytes documents may take that are not complete enough to be kept.
    public var incompleteBytes = 128 << 20
    /// How many bytes an ephemeral message's data may have; longer ones are dropped.
    public var ephemeralBytes = 64 << 10
    /// How many bytes of ephemeral messages wait for a slow peer; further ones are dropped.
    public var waitingEphemeralBytes = 1 << 20
    /// How many messages that make no sense are borne from one peer.
    public var faults = 16
    /// How long a peer may take to join, or to answer the joining.
    public var joinTime: Duration = .seconds(10)
    /// After this long without a sign of life a peer is asked for one, and after as long again given
    /// up.
    public var silence: Duration = .seconds(20)
    /// How long a peer may take to accept one message.
    public var sendTime: Duration = .seconds(600)

    public init() {}
}
