public import Foundation
public import Replication

/// What happened in a store, with ``AutomergeStore/events()``.
public enum AutomergeStoreEvent: Sendable {
    /// What is stored is another than before, by whomever.
    case changed(StoreChanges)
    /// An open document took in what these devices wrote.
    case documentChanged(UUID, by: Set<DeviceID>)
    /// Edits of a document are on disk.
    case saved(UUID)
    /// Edits of a document could not be stored, and are tried again.
    case notSaved(UUID, because: String)
    /// Edits of a document are stored, but the disk did not confirm them.
    case unconfirmed(UUID, because: String)
    /// Chunks of this device, that many, became one snapshot.
    case compacted(UUID, chunkCount: Int)
    /// Other chunks of an open document are damaged than before.
    case problemsChanged(UUID)
    /// Devices came, or can be read or not.
    case devices([DeviceStatus])
    /// The store is gone from its place; what was read stays.
    case gone
    /// The store is there again.
    case returned
}

/// What is stored differently than before.
public struct StoreChanges: Hashable, Sendable {
    /// Workspaces that were made, renamed, or have other documents.
    public var workspaces: Set<UUID>
    /// Workspaces that were deleted.
    public var deletedWorkspaces: Set<UUID>
    /// Documents with other chunks.
    public var documents: Set<UUID>
    /// Whether this store object wrote it.
    public var isOwn: Bool
    /// Who wrote the newest of the chunks that came; `nil` where none came, or no device is known.
    public var device: DeviceID?
    /// When the oldest of those chunks was written, by the clock of its device.
    public var written: Timestamp?
    /// By device, the documents and workspaces that what came of it is about.
    public var subjects: [DeviceID: Set<UUID>] = [:]
}

extension AutomergeStore {
    /// What happens from now on; each call is a subscription of its own. Ends when the store is
    /// closed or let go of.
    public func events() -> AsyncStream<AutomergeStoreEvent> { hub.events() }
}
