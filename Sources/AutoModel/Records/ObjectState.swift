import Glibc

/// The state of an object's row: its identifier, phase and changed columns. For code that the macro
/// generates.
///
/// Each object has a state, which lives as long as the object.
public struct ObjectState: ~Copyable, Sendable {
    enum Phase: UInt8 {
        /// The object exists only in memory and doesn't belong to a database.
        case temporary
        /// The next save inserts the object.
        case created
        case stored
        case deleted
    }

    /// The row's identifier; 0 if it has none yet.
    var id: Int64 = 0 {
        willSet {
            precondition(
                !isHeld || id == newValue, "the cache holds the object under another identifier")
        }
    }
    var table: (any ObjectTable)? {
        willSet {
            precondition(!isHeld || table === newValue, "another table's cache holds the object")
        }
    }
    var dirty = ColumnSet.empty
    var phase = Phase.temporary
    /// Whether the object is on its table's list for the next `saveChanges`.
    var isListed = false
    /// Whether the object is in its table's cache. It leaves the cache at the latest when it is
    /// deallocated.
    private var isHeld = false
    /// The number of other processes' commits that the values already include.
    var generation: UInt32 = 0
    /// The number of times that a property was set. The number shows whether a property changed
    /// during a comparison that is made outside the lock.
    var edits: UInt32 = 0
    /// State that only a few objects need; `nil` for the others.
    var extras: ObjectExtras?

    /// The state of an object that doesn't belong to a database.
    public static var temporary: ObjectState { ObjectState() }

    /// Adds the object to its table's cache.
    ///
    /// - Parameter object: The object with this state.
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

/// State that few objects need. Protected by the object's lock.
final class ObjectExtras: @unchecked Sendable {
    /// Related objects that were fetched or set.
    var relations: [Int: RelationSlot] = [:]
    var followers: [UInt64: ObjectFollower] = [:]
    /// The thread that runs `awakeFromFetch`. Properties that it sets don't count as changes.
    var awakingThread: pthread_t?

    var isEmpty: Bool { relations.isEmpty && followers.isEmpty && awakingThread == nil }
    var hasDirtyRelations: Bool { relations.values.contains { $0.isDirty } }
}

typealias ObjectFollower = @Sendable (ObjectChange) -> Void

/// A change of an object.
public struct ObjectChange: Sendable, Equatable {
    /// A kind of change.
    public enum Kind: Sendable {
        /// A property was set.
        case edited
        /// Changes were saved.
        case saved
        /// Values of another writer were read.
        case refreshed
        /// The row was deleted.
        case deleted
    }
    /// The kind of change.
    public let kind: Kind
    /// The columns with new values, or the saved columns.
    public let columns: [String]
    /// The values that these columns had before, in the form that SQLite stores. Only edits and
    /// refreshes have them.
    public let oldValues: [String: SQLValue]

    init(kind: Kind, columns: [String], oldValues: [String: SQLValue] = [:]) {
        self.kind = kind
        self.columns = columns
        self.oldValues = oldValues
    }

    /// Returns the value that a column had before.
    ///
    /// ```swift
    /// for await change in nina.changes() {
    ///     if let name = try change.oldValue(of: \Artist.Columns.name) { print(name) }
    /// }
    /// ```
    ///
    /// - Returns: `nil` if the column didn't change.
    /// - Throws: An error if the old value doesn't represent a `Value`.
    public func oldValue<Columns: RecordColumns, Record, Value>(
        of column: KeyPath<Columns, ModelColumn<Record, Value>>
    ) throws -> Value? {
        let column = Columns()[keyPath: column]
        return try oldValues[column.name].map(column.coder.decode)
    }
}
