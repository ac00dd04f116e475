public import Replication

/// What one write, here or on another device, did to the entities.
///
/// An entity stands in one of the lists: one that a write made and filled is only in ``added``.
public struct EntityChanges: Hashable, Sendable {
    /// Who wrote, or why there is a difference.
    public enum Origin: Hashable, Sendable {
        /// This store object wrote.
        case local
        /// Rows of this device arrived; also this device's own, written by another process.
        case device(DeviceID)
        /// The files were read anew, because one was replaced.
        case reload
    }

    /// Who wrote, or why there is a difference.
    public var origin: Origin
    /// Entities that were made, or came back.
    public var added: [EntityReference]
    /// Entities that were there before and still are, with other properties.
    public var changed: [EntityReference]
    /// Entities that are no longer there.
    public var deleted: [EntityReference]
    /// The properties that changed, of the entities in ``changed``.
    public var keys: Set<Name>
    /// How many rows arrived.
    public var rowCount: Int
    /// When the oldest of them was written, by the clock of its device; `nil` after reading anew.
    public var written: Timestamp?

    /// Changes as a caller knows them.
    public init(
        origin: Origin, added: [EntityReference] = [], changed: [EntityReference] = [],
        deleted: [EntityReference] = [], keys: Set<Name> = [], rowCount: Int = 0,
        written: Timestamp? = nil
    ) {
        self.origin = origin
        self.added = added
        self.changed = changed
        self.deleted = deleted
        self.keys = keys
        self.rowCount = rowCount
        self.written = written
    }

    /// Whether no entity is in any of the lists.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && deleted.isEmpty }
}
