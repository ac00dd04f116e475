public import Foundation
public import Replication

/// An event of a store. See ``AutomergeStore/events()``.
public enum AutomergeStoreEvent: Sendable {
    /// The stored content changed, because of a write by this or any other device.
    case changed(StoreChanges)
    /// An open document merged changes of these devices.
    case documentChanged(UUID, by: Set<DeviceID>)
    /// The edits of a document are on disk.
    case saved(UUID)
    /// The edits of a document could not be saved. The store retries.
    case notSaved(UUID, because: String)
    /// The edits of a document are written, but the disk did not confirm them.
    case unconfirmed(UUID, because: String)
    /// The given number of this device's chunks were compacted into one snapshot.
    case compacted(UUID, chunkCount: Int)
    /// The set of damaged chunks of an open document changed.
    case problemsChanged(UUID)
    /// Devices appeared, or became readable or unreadable.
    case devices([DeviceStatus])
    /// The store is missing from its path. The loaded state stays.
    case deleted
    /// The store is back at its path.
    case returned
}

/// The changed items of a store.
public struct StoreChanges: Hashable, Sendable {
    /// Workspaces that were created or renamed, or whose set of documents changed.
    public var workspaces: Set<UUID>
    /// Workspaces that were deleted.
    public var deletedWorkspaces: Set<UUID>
    /// Documents whose set of chunks changed.
    public var documents: Set<UUID>
    /// Whether this store object wrote the changes.
    public var isOwn: Bool
    /// The device that wrote the newest of the new chunks; `nil` if there are no new chunks, or if
    /// the device is unknown.
    public var device: DeviceID?
    /// The time when the oldest of the new chunks was written, by the clock of its device.
    public var written: Timestamp?
    /// The documents and workspaces that new entries refer to, by the device that wrote the
    /// entries.
    public var subjects: [DeviceID: Set<UUID>] = [:]
}

extension AutomergeStore {
    /// Returns a new subscription to all later events. The subscription ends when the store is
    /// closed or deallocated.
    public func events() -> AsyncStream<AutomergeStoreEvent> { hub.events() }
}
