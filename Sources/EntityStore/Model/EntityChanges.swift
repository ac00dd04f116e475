public import Replication

/// The effect of one write, on this or another device, on the entities.
///
/// Each entity is in one list only. An entity that a write creates and fills is only in ``added``.
public struct EntityChanges: Hashable, Sendable {
    /// The cause of a change.
    public enum Origin: Hashable, Sendable {
        /// A write by this store object.
        case local
        /// Rows of this device arrived. If it is the local device, another process wrote them.
        case device(DeviceID)
        /// The files were reloaded because one was replaced.
        case reload
    }

    /// The cause of the change.
    public var origin: Origin
    /// Entities that were created or restored.
    public var added: [EntityReference] = []
    /// Entities that existed before and have different properties now.
    public var changed: [EntityReference] = []
    /// Entities that were deleted.
    public var deleted: [EntityReference] = []
    /// The keys of the properties that changed in ``changed`` entities.
    public var keys: Set<Name> = []
    /// The subset of ``keys`` that were removed from at least one of the ``changed`` entities.
    public var removedKeys: Set<Name> = []
    /// The number of rows that arrived.
    public var rowCount = 0
    /// The time of the oldest of these rows by its device's clock; `nil` after a reload.
    public var written: Timestamp?

    /// Whether all lists are empty.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && deleted.isEmpty }
}
