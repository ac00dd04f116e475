public import Foundation
import Synchronization

/// What one peer remembers about another while they synchronize.
///
/// Keep one for each peer. After a connection was lost, go on with ``reset()``, or with a state
/// that was stored by ``encode()``: what depended on the connection is forgotten then.
///
/// Copies share what they remember.
public struct SyncState: Sendable {
    private final class Box: Sendable {
        let session: Mutex<SyncSession>

        init(_ session: SyncSession) {
            self.session = Mutex(session)
        }
    }

    private let box: Box

    /// A state that knows nothing of the peer.
    public init() {
        box = Box(SyncSession())
    }

    /// Restores what ``encode()`` stored.
    ///
    /// - Throws: `DecodeSyncStateError` for anything else.
    public init(bytes: Data) throws {
        do throws(FormatError) {
            box = Box(try SyncSession(encoded: Array(bytes)))
        } catch {
            throw DecodeSyncStateError(error.message)
        }
    }

    /// The heads that the peer told last; `nil` before its first message.
    public var theirHeads: Set<ChangeHash>? {
        withSession { session in session.theirHeads.map { Set($0) } }
    }

    /// Forgets what depends on messages arriving in order: what is under way, and what the peer
    /// said.
    public func reset() {
        withSession { session in session = SyncSession(sharedHeads: session.sharedHeads) }
    }

    /// Forgets everything about the peer, and has it forget what it knows of this side: the next
    /// message asks for all that it has.
    ///
    /// A message that was lost leaves each side waiting for changes that the other takes for sent.
    package func startOver() {
        withSession { session in
            session = SyncSession()
            session.startsOver = true
        }
    }

    /// What is worth keeping between connections: the heads that both peers are known to have.
    public func encode() -> Data {
        withSession { session in Data(session.encoded()) }
    }

    func withSession<Result: Sendable>(_ body: (inout SyncSession) -> Result) -> Result {
        box.session.withLock { body(&$0) }
    }
}

/// One side of a synchronization.
struct SyncSession: Sendable {
    /// Heads that both are known to have, ascending.
    var sharedHeads: [ChangeHash] = []
    var lastSentHeads: [ChangeHash] = []
    /// The hashes that the last message asked for.
    var lastSentNeed: [ChangeHash] = []
    var theirHeads: [ChangeHash]?
    var theirNeed: [ChangeHash]?
    var theirHave: [SyncMessage.Have]?
    /// The changes sent of which the peer has not yet said that it has them.
    var sentHashes: Set<ChangeHash> = []
    /// Whether a message is under way that the peer has not answered.
    var isInFlight = false
    /// Whether the peer was sent anything: also one that has the same hears so once.
    var hasSpoken = false
    /// Whether the next message is to tell the peer to begin again as well.
    var startsOver = false

    static let type: UInt8 = 0x43

    init(sharedHeads: [ChangeHash] = []) {
        self.sharedHeads = sharedHeads
    }

    init(encoded bytes: [UInt8]) throws(FormatError) {
        let heads = try bytes.withBytes { (buffer) throws(FormatError) in
            var reader = ByteReader(buffer)
            guard try reader.byte() == Self.type else {
                throw FormatError(.badMessage, "the bytes are not a sync state")
            }
            return try SyncMessage.readHashes(from: &reader)
        }
        self.init(sharedHeads: heads)
    }

    func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.byte(Self.type)
        SyncMessage.write(sharedHeads, to: &out)
        return out.array()
    }
}
