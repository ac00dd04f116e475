import GRDB

/// One write transaction, and the work to do when it ends.
final class WriteSession {
    let file: DatabaseFile
    let db: Database
    private var atEnd: [(_ isCommitted: Bool) -> Void] = []
    private var after: [() -> Void] = []
    private var changes: [ObjectIdentifier: (table: any AnyTable, changes: TableChanges)] = [:]
    private var saving: Set<ObjectIdentifier> = []
    private var deletedObjects: Set<ObjectIdentifier> = []
    private var deleting: [ObjectIdentifier: Set<Int64>] = [:]

    init(file: DatabaseFile, db: Database) {
        self.file = file
        self.db = db
    }

    func atEnd(_ body: @escaping (_ isCommitted: Bool) -> Void) { atEnd.append(body) }
    func onCommit(_ body: @escaping () -> Void) { atEnd.append { if $0 { body() } } }
    /// Runs `body` after the transaction is committed and the file's lock is released.
    func afterUnlock(_ body: @escaping () -> Void) { after.append(body) }

    /// Records changed rows. Subscribers are notified of them after the commit.
    func note(_ table: any AnyTable, _ make: (inout TableChanges) -> Void) {
        let key = ObjectIdentifier(table)
        make(&changes[key, default: (table, TableChanges())].changes)
    }

    /// Runs `body` in a savepoint. If `body` throws, only its changes are rolled back.
    ///
    /// - Throws: ``AutoModelError`` if an earlier error made SQLite roll back the whole
    ///   transaction.
    func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        // Without a transaction, the savepoint would start and commit a new one.
        guard db.isInsideTransaction else {
            throw AutoModelError(
                .sql, "\(file.path): the transaction was rolled back because of an earlier error")
        }
        let before = (
            ends: atEnd.count, after: after.count, changes: changes, saving: saving,
            deletedObjects: deletedObjects, deleting: deleting
        )
        try db.run("SAVEPOINT automodel")
        do {
            let result = try body()
            try db.run("RELEASE automodel")
            return result
        } catch {
            // Some errors make SQLite roll back the whole transaction.
            if db.isInsideTransaction {
                try db.run("ROLLBACK TO automodel")
                try db.run("RELEASE automodel")
            }
            // Run the closures in reverse order, because those added first restore the oldest
            // state.
            for body in atEnd[before.ends...].reversed() { body(false) }
            atEnd.removeSubrange(before.ends...)
            after.removeSubrange(before.after...)
            (changes, saving) = (before.changes, before.saving)
            (deletedObjects, deleting) = (before.deletedObjects, before.deleting)
            throw error
        }
    }

    /// Returns whether the transaction can continue after an error of a single object.
    func canContinue(after error: AutoModelError) -> Bool {
        let codes: [AutoModelError.Code] = [
            .notUnique, .noRow, .invalidValue, .declaration, .referred, .sql,
        ]
        return codes.contains(error.code) && db.isInsideTransaction
    }

    /// Marks an object as being saved.
    ///
    /// - Returns: `false` if the object is already being saved, which is possible because objects
    ///   may refer to each other.
    func begin(saving object: any AutoObject) -> Bool {
        saving.insert(ObjectIdentifier(object)).inserted
    }

    /// Marks rows as being deleted.
    ///
    /// - Returns: The rows that weren't already being deleted. Rows may refer to each other, so a
    ///   deletion may reach the same row twice.
    func begin(deleting ids: [Int64], of table: any AnyTable) -> [Int64] {
        let key = ObjectIdentifier(table)
        let new = Set(ids).subtracting(deleting[key] ?? [])
        deleting[key, default: []].formUnion(new)
        return new.sorted()
    }

    /// Marks objects as being deleted, including those without a row.
    func begin(deleting objects: [some AutoObject]) {
        deletedObjects.formUnion(objects.map { ObjectIdentifier($0) })
    }

    /// Returns whether the transaction deletes the object.
    func deletes(_ object: some AutoObject, of table: any AnyTable) -> Bool {
        deletedObjects.contains(ObjectIdentifier(object))
            || deleting[ObjectIdentifier(table)]?.contains(object.storedID) == true
    }

    func ended(_ isCommitted: Bool) {
        // Run the closures in reverse order, because those added first restore the oldest state.
        for body in isCommitted ? atEnd : atEnd.reversed() { body(isCommitted) }
        guard isCommitted else { return }
        for (table, changes) in changes.values { table.committed(changes) }
    }

    func runAfter() { for body in after { body() } }
}

/// The rows of a table that a transaction changed.
public struct TableChanges: Sendable, Equatable {
    /// The identifiers of inserted rows.
    public internal(set) var inserted: Set<Int64> = []
    /// The identifiers of updated rows.
    public internal(set) var updated: Set<Int64> = []
    /// The identifiers of deleted rows.
    public internal(set) var deleted: Set<Int64> = []
    /// Whether other rows may have changed, too, through SQL statements or another process.
    public internal(set) var isUnknown = false

    /// Creates an empty set of changes.
    public init() {}
    init(isUnknown: Bool) { self.isUnknown = isUnknown }

    /// The identifiers of all inserted, updated and deleted rows.
    public var ids: Set<Int64> { inserted.union(updated).union(deleted) }

    mutating func formUnion(_ other: TableChanges) {
        inserted.formUnion(other.inserted)
        updated.formUnion(other.updated)
        deleted.formUnion(other.deleted)
        isUnknown = isUnknown || other.isUnknown
    }
}
