import Automerge
import Foundation
import Replication

/// Where a store's chunks come from and where they go to.
///
/// A store works on a listing of chunks in memory, whatever holds them, and asks for their bytes
/// when somebody opens a document. It calls a backing from one thread at a time.
protocol ChunkBacking: AnyObject, Sendable {
    /// Why nothing can be written; `nil` where it can.
    var readOnlyReason: String? { get }
    /// Whose chunks are written here; `nil` where they are nobody's, or nothing can be written.
    var ownDevice: DeviceID? { get }
    /// Whether documents belong to workspaces with names. Otherwise each is the index of its own.
    var hasWorkspaces: Bool { get }
    /// Whether what is written at once is written whole or not at all, and costs about what one of
    /// it would.
    var writesTogether: Bool { get }
    /// When deltas become a snapshot.
    var compaction: CompactionRule { get }

    /// What is odd about the store as a whole, each in a line.
    var oddities: [String] { get }

    /// What has come since the last call; at first, everything.
    ///
    /// - Parameter isWoken: Whether ``watch(_:)`` told that there is something; otherwise it is
    ///   looked for.
    /// - Throws: An error when there is nothing to read from at all.
    func read(isWoken: Bool) throws -> BackingRead

    /// The bytes of chunks. One that is not there, or not as long as its record says, is left out.
    ///
    /// - Throws: An error when none of them can be read.
    func contents(of chunks: [ChunkRecord]) throws -> [ChunkKey: Data]

    /// Writes all of it, or nothing, in the order given; it is on disk when this returns, what is
    /// added before anything is deleted.
    ///
    /// - Returns: What another process wrote as this device before, and this.
    func write(_ writes: [BackingWrite], at timestamp: Timestamp) throws -> BackingRead

    /// What was last shared of a document with another store; `nil` where that is not known, and
    /// where it is not kept here.
    func syncState(of document: UUID, with storageID: String) -> Data?

    /// Keeps what is shared of a document with another store, where such things are kept. It may be
    /// lost with the power.
    ///
    /// - Throws: An error when it cannot be written.
    func keepSyncState(_ state: Data, of document: UUID, with storageID: String) throws

    /// Calls `wake` from now on whenever there may be something new to read, from any thread.
    func watch(_ wake: @escaping @Sendable () -> Void)

    /// Lets go of files, and forgets what was read: the next call of ``read(isWoken:)`` is the first
    /// again.
    func close()
}

extension ChunkBacking {
    var writesTogether: Bool { true }
    var oddities: [String] { [] }
    func syncState(of document: UUID, with storageID: String) -> Data? { nil }
    func keepSyncState(_ state: Data, of document: UUID, with storageID: String) throws {}
}

/// What came, in the order in which it is to be taken in.
struct BackingRead: Sendable {
    enum Entry: Sendable {
        /// A workspace was made or renamed.
        case workspace(UUID, name: String, Stamp)
        case workspaceDeleted(UUID, Stamp)
        case chunk(ChunkRecord)
        case chunkDeleted(ChunkKey, of: UUID)

        /// Who wrote it.
        var device: DeviceID? {
            switch self {
            case .workspace(_, _, let stamp), .workspaceDeleted(_, let stamp): stamp.device
            case .chunk(let chunk): chunk.device
            case .chunkDeleted(let key, _): key.device
            }
        }

        /// The document, or the workspace, that it is about.
        var subject: UUID {
            switch self {
            case .workspace(let id, _, _), .workspaceDeleted(let id, _): id
            case .chunk(let chunk): chunk.document
            case .chunkDeleted(_, let id): id
            }
        }
    }

    /// When something was written, and by whom. Of two, the later counts, and of two at once the
    /// one of the greater device (data rule 6).
    struct Stamp: Hashable, Comparable, Sendable {
        var timestamp: Timestamp
        var device: DeviceID?

        static func < (lhs: Self, rhs: Self) -> Bool {
            if lhs.timestamp != rhs.timestamp { return lhs.timestamp < rhs.timestamp }
            guard let right = rhs.device else { return false }
            return lhs.device.map { $0 < right } ?? true
        }
    }

    /// Devices of which all that was read before is to be forgotten first: their files were
    /// replaced by others.
    var forgotten: Set<DeviceID> = []
    var entries: [Entry] = []
    /// How reading each device's file went; `nil` where nothing is to be said.
    var devices: [DeviceStatus]?
    /// Whether the store is gone from its place.
    var isGone = false
    /// Why the disk did not confirm what was written; `nil` if it did.
    var unconfirmed: ReplicationError?
}

/// Something to be written.
enum BackingWrite: Sendable {
    case workspace(UUID, name: String)
    case workspaceDeleted(UUID)
    /// - Parameters:
    ///   - heads: Of a snapshot, the heads of the document in it.
    ///   - actors: As in ``ChunkRecord``.
    case chunk(
        workspace: UUID, document: UUID, isSnapshot: Bool, data: Data, heads: Set<ChangeHash>,
        actors: ActorList = ActorList())
    case chunksDeleted([ChunkRecord], of: UUID)
}
