import Glibc

/// What an object knows of its row. Used by what the macro makes.
///
/// There is one an object, which ends with it.
public struct ObjectState: ~Copyable, Sendable {
    enum Phase: UInt8 {
        /// In memory only, until it is saved.
        case temporary
        /// To be inserted by the next save.
        case created
        case stored
        case deleted
    }

    /// 0 until it has one.
    var id: Int64 = 0 {
        willSet {
            precondition(!isHeld || id == newValue, "the cache has it by another identifier")
        }
    }
    var table: (any ObjectTable)? {
        willSet { precondition(!isHeld || table === newValue, "another table's cache has it") }
    }
    var dirty = ColumnSet.empty
    var phase = Phase.temporary
    /// Whether it is among those that the next `saveChanges` saves.
    var isListed = false
    /// Whether the cache of its table has it, where it stays as long as it is there.
    private var isHeld = false
    /// The number of the other processes' commits up to which the values are those of the row.
    var generation: UInt32 = 0
    /// Counts what was set, so that a value compared outside the lock is known to be there yet.
    var edits: UInt32 = 0
    /// What only a few objects have.
    var extras: ObjectExtras?

    /// Of an object that belongs to no database.
    public static var temporary: ObjectState { ObjectState() }

    /// From now on its table finds it by its identifier.
    /// - Parameter object: The one whose state this is.
    mutating func enterCache(_ object: AnyObject) {
        guard let table else { return }
        isHeld = true
        table.cache.insert(object, id)
    }

    mutating func leaveCache(_ object: AnyObject) {
        if isHeld { table?.cache.remove(object, id) }
        isHeld = false
    }

    deinit {
        if isHeld { table?.cache.removeEnding(id) }
    }
}

/// Protected by the object's lock.
final class ObjectExtras: @unchecked Sendable {
    /// Related objects that were fetched or set.
    var relations: [Int: RelationSlot] = [:]
    var followers: [UInt64: ObjectFollower] = [:]
    /// The thread that runs `awakeFromFetch`: what that sets is no change.
    var awakingThread: pthread_t?

    var isEmpty: Bool { relations.isEmpty && followers.isEmpty && awakingThread == nil }
    var hasDirtyRelations: Bool { relations.values.contains { $0.isDirty } }
}

typealias ObjectFollower = @Sendable (ObjectChange) -> Void

/// What happened to an object.
public struct ObjectChange: Sendable, Equatable {
    public enum Kind: Sendable {
        /// A property was set.
        case edited
        /// What was set is in the database.
        case saved
        /// Values that somebody else wrote were read.
        case refreshed
        case deleted
    }
    public let kind: Kind
    /// The columns that have another value, or were saved.
    public let columns: [String]
}
