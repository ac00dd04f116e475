public import Foundation
import Synchronization

/// The state of a synchronization with one peer.
///
/// Keep one state per peer. After losing a connection, continue with ``reset()``, or with a state
/// that was saved with ``encode()``. Both discard the part of the state that depends on the
/// connection.
///
/// Copies share their state.
public struct SyncState: Sendable {
    private final class Box: Sendable {
        let session: Mutex<SyncSession>

        init(_ session: SyncSession) {
            self.session = Mutex(session)
        }
    }

    private let box: Box

    /// Creates the state for a peer about which nothing is known.
    public init() {
        box = Box(SyncSession())
    }

    /// Restores a state that was saved with ``encode()``.
    ///
    /// - Throws: `DecodeSyncStateError` for any other bytes.
    public init(bytes: Data) throws {
        do throws(FormatError) {
            box = Box(try SyncSession(encoded: Array(bytes)))
        } catch {
            throw DecodeSyncStateError(error.message)
        }
    }

    /// The heads in the peer's last message; `nil` before its first message.
    public var theirHeads: Set<ChangeHash>? {
        withSession { session in session.theirHeads.map { Set($0) } }
    }

    /// The heads that both peers are known to have, in ascending order.
    package var sharedHeads: [ChangeHash] { withSession { $0.sharedHeads } }

    /// Resets all state that depends on messages arriving in order: pending messages, and the
    /// heads, requests and filters that the peer sent.
    public func reset() {
        withSession { session in session = SyncSession(sharedHeads: session.sharedHeads) }
    }

    /// Resets all state about the peer, and makes the peer reset its state too. The next message
    /// requests all changes of the peer.
    ///
    /// Call this method after a message was lost, because each side then waits for changes that the
    /// other side considers sent.
    package func startOver() {
        withSession { session in
            session = SyncSession()
            session.startsOver = true
        }
    }

    /// Returns the state to keep between connections: the heads that both peers are known to have.
    public func encode() -> Data {
        withSession { session in Data(session.encoded()) }
    }

    func withSession<Result: Sendable, Failure: Error>(
        _ body: (inout SyncSession) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try box.session.withLock { (session) throws(Failure) in try body(&session) }
    }
}

/// The state of one side of a synchronization.
struct SyncSession: Sendable {
    /// The heads that both peers are known to have, ascending.
    var sharedHeads: [ChangeHash] = []
    var lastSentHeads: [ChangeHash] = []
    /// The hashes that the last message requested.
    var lastSentNeed: [ChangeHash] = []
    var theirHeads: [ChangeHash]?
    var theirNeed: [ChangeHash]?
    var theirHave: [SyncMessage.Have]?
    /// The hashes of sent changes that the peer hasn't confirmed yet.
    var sentHashes: Set<ChangeHash> = []
    /// Whether a sent message hasn't been answered yet.
    var isInFlight = false
    /// Whether any message was sent to the peer. Even a peer that is in sync receives one message.
    var hasSentMessage = false
    /// Whether the next message must also make the peer start over.
    var startsOver = false

    static let type: UInt8 = 0x43

    init(sharedHeads: [ChangeHash] = []) {
        self.sharedHeads = sharedHeads
    }

    init(encoded bytes: [UInt8]) throws(FormatError) {
        let heads = try bytes.withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var reader = ByteReader(buffer)
            guard try reader.byte() == Self.type else {
                throw FormatError(.badMessage, "the bytes are not a sync state")
            }
            return try reader.hashes()
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
