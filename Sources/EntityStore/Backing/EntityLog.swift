import GRDB
public import Replication
import Synchronization

/// State kept from one reading of an entity log to the next.
struct EntityNotes: Sendable {
    /// The number of names that were read.
    var nameCount = 0
}

typealias EntityHead = LogHead<EntityNotes>

/// The format of entities in a device's `Entities.db`.
final class EntityLog: ConsecutiveLog, WrittenLog {
    typealias Batch = EntityRowBatch
    typealias Notes = EntityNotes

    /// Operations to append to the log.
    struct Draft {
        let operations: [EntityOperation]
        let timestamp: Timestamp
    }

    let kind = DatabaseKind.entities
    let table = EntityLogSchema.table
    let notes = EntityNotes()
    private let state = Mutex(State())

    /// The names and row numbers of this device's log.
    private struct State {
        var encoder = RowEncoder()
        /// The state to restore if the write isn't confirmed to be on disk.
        var mark: RowEncoder.Mark?

        mutating func rollBack() {
            if let mark { encoder.rollBack(to: mark) }
            mark = nil
        }
    }

    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .importEntities(ofCopyAt: path, into: package)
    }

    func identity(in db: Database) throws -> LogIdentity { try EntityLogSchema.identity(in: db) }

    func rows(
        _ db: Database, of device: DeviceID, behind progress: inout LogProgress,
        _ head: inout EntityHead
    ) throws -> EntityRowBatch {
        try EntityLogReader.read(db, of: device, behind: &progress, &head)
    }

    // MARK: Writing

    func create(in db: Database, as device: DeviceID) throws {
        try EntityLogSchema.create(in: db, device: device)
    }

    func append(
        _ draft: Draft, as device: DeviceID, behind head: inout EntityHead,
        _ others: inout EntityRowBatch, to db: Database
    ) throws -> EntityRowBatch {
        // Times must not decrease (data rule 7), regardless of what another process has written
        // since.
        let newest = try head.newest(near: draft.timestamp, in: db)
        let timestamp = max(draft.timestamp, min(newest.successor, .latest))
        let own = try state.withLock { state in
            state.rollBack()
            state.mark = state.encoder.mark
            state.encoder.observe(others)
            return try state.encoder.encode(
                draft.operations, device: device, timestamp: timestamp)
        }
        try Self.requireNew(draft.operations, own, among: others)
        try EntityLogWriter.append(own, firstName: UInt32(head.notes.nameCount + 1), to: db)
        for row in own.rows { _ = try head.append(at: row.timestamp) }
        head.notes.nameCount += own.names.count
        return own
    }

    /// Throws if other rows have created an entity that must be new.
    ///
    /// - Parameter own: The rows of `operations`, in the same order.
    private static func requireNew(
        _ operations: [EntityOperation], _ own: EntityRowBatch, among others: EntityRowBatch
    ) throws(EntityStoreError) {
        guard operations.contains(where: { $0.mustBeNew == true }) else { return }
        var existing: Set<UInt32> = []
        for row in others.rows {
            switch row.operation {
            case .creation: existing.insert(row.entity)
            case .deletion: existing.remove(row.entity)
            case .entry, .removal: break
            }
        }
        for (operation, row) in zip(operations, own.rows)
        where operation.mustBeNew == true && existing.contains(row.entity) {
            throw EntityStoreError(
                .exists, "the entity \(operation.identifier.quoted) already exists")
        }
    }

    /// Records that the last append is on disk.
    func confirm() { state.withLock { $0.mark = nil } }

    /// Records rows that were read from this device's log.
    ///
    /// - Parameter isComplete: Whether the batch contains all rows.
    func observe(_ batch: EntityRowBatch, isComplete: Bool) {
        state.withLock { state in
            state.rollBack()
            if isComplete { state.encoder = RowEncoder() }
            state.encoder.observe(batch)
        }
    }
}

extension Suggestion.Action {
    /// Import the entities of the file at `paths[1]` into the package at `paths[0]`.
    public static let importEntities = Self("importEntities")
}

extension Suggestion {
    /// Returns the suggestion for a copy of a log of entities.
    package static func importEntities(ofCopyAt path: String, into package: StorePackage) -> Self {
        Suggestion(
            "import its entities, then delete it", .importEntities, paths: [package.path, path])
    }
}

extension DatabaseKind {
    /// A device's log of entities.
    public static let entities = DatabaseKind(named: "Entities")
}
