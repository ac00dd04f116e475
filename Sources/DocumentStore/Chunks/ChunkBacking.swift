import Automerge
import Foundation
import Replication

/// The storage from which a store reads chunks and to which it writes them.
///
/// A store keeps a listing of chunks in memory and reads their bytes only when a document is
/// opened. The store calls a backing from one thread at a time.
protocol ChunkBacking: AnyObject, Sendable {
    /// The reason why the backing is read-only; `nil` if it is writable.
    var readOnlyReason: String? { get }
    /// The device that writes chunks; `nil` if the backing is read-only or its chunks don't name
    /// devices.
    var ownDevice: DeviceID? { get }
    /// Whether documents belong to named workspaces. If not, each document is the index of a
    /// separate workspace.
    var hasWorkspaces: Bool { get }
    /// Whether a batch of writes is atomic and costs about as much as a single write.
    var writesTogether: Bool { get }
    /// The rule for compacting deltas into a snapshot.
    var compaction: CompactionRule { get }

    /// Descriptions of unexpected items in the store.
    var unexpectedItems: [String] { get }

    /// Returns the changes since the last call; the first call returns everything.
    ///
    /// - Parameter isWoken: Whether ``watch(_:)`` reported a change. If not, the backing checks for
    ///   changes itself.
    /// - Throws: An error if there is nothing to read from.
    func read(isWoken: Bool) throws -> BackingRead

    /// Returns the bytes of chunks. Chunks that are missing or whose size doesn't match their
    /// record are omitted.
    ///
    /// - Throws: An error if no chunk can be read.
    func contents(of chunks: [ChunkRecord]) throws -> [ChunkKey: Data]

    /// Performs all writes in the given order, or none of them. They are on disk when this method
    /// returns. Chunks are added before any are deleted.
    ///
    /// - Returns: The entries of these writes, and of earlier writes by other processes of this
    ///   device that were not read yet.
    func write(_ writes: [BackingWrite], at timestamp: Timestamp) throws -> BackingRead

    /// Returns the sync state of a document with another store; `nil` if unknown or not kept.
    func syncState(of document: UUID, with storageID: String) -> Data?

    /// Returns the sync states of a document with all other stores, by their identifiers.
    func syncStates(of document: UUID) -> [String: Data]

    /// Stores the sync state of a document with another store, if the backing keeps sync states. A
    /// power failure may lose the state.
    ///
    /// - Throws: An error if the state can't be written.
    func keepSyncState(_ state: Data, of document: UUID, with storageID: String) throws

    /// Calls `wake`, from any thread, whenever there may be new data to read.
    func watch(_ wake: @escaping @Sendable () -> Void)

    /// Closes the files and discards what was read. The next ``read(isWoken:)`` counts as the
    /// first.
    func close()
}

extension ChunkBacking {
    var writesTogether: Bool { true }
    var unexpectedItems: [String] { [] }
    func syncState(of document: UUID, with storageID: String) -> Data? { nil }
    func syncStates(of document: UUID) -> [String: Data] { [:] }
    func keepSyncState(_ state: Data, of document: UUID, with storageID: String) throws {}
}

/// New entries, in the order in which to apply them.
struct BackingRead: Sendable {
    enum Entry: Sendable {
        /// A workspace was created or renamed.
        case workspace(UUID, name: String, Stamp)
        case workspaceDeleted(UUID, Stamp)
        case chunk(ChunkRecord)
        case chunkDeleted(ChunkKey, of: UUID)

        /// The device that wrote the entry.
        var device: DeviceID? {
            switch self {
            case .workspace(_, _, let stamp), .workspaceDeleted(_, let stamp): stamp.device
            case .chunk(let chunk): chunk.device
            case .chunkDeleted(let key, _): key.device
            }
        }

        /// The document or workspace that the entry refers to.
        var subject: UUID {
            switch self {
            case .workspace(let id, _, _), .workspaceDeleted(let id, _): id
            case .chunk(let chunk): chunk.document
            case .chunkDeleted(_, let id): id
            }
        }
    }

    /// The time and device of a write. The later write wins. If times are equal, the write of the
    /// greater device wins (data rule 6).
    struct Stamp: Hashable, Comparable, Sendable {
        var timestamp: Timestamp
        var device: DeviceID?

        static func < (lhs: Self, rhs: Self) -> Bool {
            if lhs.timestamp != rhs.timestamp { return lhs.timestamp < rhs.timestamp }
            guard let right = rhs.device else { return false }
            return lhs.device.map { $0 < right } ?? true
        }
    }

    /// Devices whose files were replaced. Discard their earlier entries before applying the new
    /// ones.
    var forgotten: Set<DeviceID> = []
    var entries: [Entry] = []
    /// The status of each device's file; `nil` if there is nothing to report.
    var devices: [DeviceStatus]?
    /// Whether the store is missing from its path.
    var isDeleted = false
    /// The error if the disk did not confirm the write; otherwise `nil`.
    var unconfirmed: ReplicationError?
}

enum BackingWrite: Sendable {
    case workspace(UUID, name: String)
    case workspaceDeleted(UUID)
    /// A snapshot or delta to add.
    ///
    /// - Parameters:
    ///   - heads: For a snapshot, the heads of its document.
    ///   - actors: See ``ChunkRecord``.
    case chunk(
        workspace: UUID, document: UUID, isSnapshot: Bool, data: Data, heads: Set<ChangeHash>,
        actors: ActorList = ActorList())
    case chunksDeleted([ChunkRecord], of: UUID)
}
