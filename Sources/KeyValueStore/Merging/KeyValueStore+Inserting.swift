import Foundation
import GRDB
public import Replication

extension KeyValueStore {
    /// Inserts rows with given timestamps into a device's log, which is created if necessary.
    ///
    /// Rows that the log already has are skipped. The others become visible like any change on
    /// disk: by watching, or through the next `sync` or `load`.
    ///
    /// While a device is in use elsewhere, only the device itself may write to its log. Insert rows
    /// for another device only if you know that it is not in use.
    ///
    /// - Parameter appendOnly: Whether to also skip rows that are older than the log's newest one.
    /// - Returns: The number of new rows.
    /// - Throws: `ReplicationError`. In that case, nothing is inserted.
    /// - Complexity: A look-up in the log for each change, in one transaction.
    @discardableResult
    public func insertChanges(
        _ changes: [Change], into device: DeviceID, appendOnly: Bool
    ) throws -> Int {
        guard let files else {
            throw KeyValueError(.inMemory, "a store in memory has no logs to insert rows into")
        }
        guard isLoaded else { throw KeyValueError(.notLoaded, "the store is not loaded") }
        if let change = changes.first(where: { !$0.isRecordable }) {
            throw KeyValueError(
                .timeOutOfRange,
                "the change of \(change.key.quoted) at \(change.timestamp.iso8601), or a row that "
                    + "it names, has a time outside the years 1 to 9999")
        }
        if let change = changes.first(where: \.lacksValue) {
            throw KeyValueError(
                .invalidValue,
                "the value of a change of \(change.key.quoted) was not loaded from the log: "
                    + "read it with bytes(of:)")
        }
        let rows = changes.map { change in
            LogRow(
                device: device, id: 0, timestamp: change.timestamp, key: change.key,
                bytes: change.bytes.flatMap { $0.isEmpty ? nil : $0 },
                parentTimestamp: change.parentTimestamp, parents: change.parents,
                reverts: change.reverts)
        }
        return try files.onQueue {
            try saveOnQueue()
            return try insert(rows, into: device, appendsOnly: appendOnly)
        }
    }

    /// Inserts rows on the store's queue.
    ///
    /// - Parameters:
    ///   - template: The template for a PARStore 1 log that has to be created. `nil` searches this
    ///     package's logs.
    ///   - forks: The keys whose rows are not a chain, if known.
    func insert(
        _ rows: [LogRow], into device: DeviceID, appendsOnly: Bool = false,
        template: ParstoreTemplate? = nil, forks: Set<Name>? = nil
    ) throws -> Int {
        guard let files, !rows.isEmpty else { return 0 }
        let head = files.follower.head(of: device)
        let database: LocalDatabase
        if device == self.device, head != nil || template == nil {
            try chooseForm(files)
            database = files.follower.localDatabase(device)
        } else {
            var form = KeyValueLog.Form(format: head?.format ?? .tideline2)
            if head == nil {
                form.template = try template ?? (files.hasParstore ? parstoreTemplate(files) : nil)
                if form.template != nil { form.format = .parstore1 }
            }
            database = form.database(
                of: device, in: files.package, lockWait: files.lockWait,
                configuration: configuration)
        }
        defer { if device != self.device { database.close() } }
        let path = "the log of \(device)"
        do {
            return try database.write { db in
                try LogInserter(db, path: path).insert(
                    rows, appendsOnly: appendsOnly, forks: forks)
            }
        } catch is LogReplaced {
            throw ReplicationError(.unreadable, "the format of \(path) has changed")
        }
    }
}

extension KeyValueLog.Form {
    /// Returns the log of any device, for rows with given timestamps.
    fileprivate func database(
        of device: DeviceID, in package: StorePackage, lockWait: LockWait,
        configuration: KeyValueStore.Configuration
    ) -> LocalDatabase {
        var options = LocalDatabase.Options()
        options.idleTime = configuration.closeDelay
        options.lockWait = lockWait
        options.scheduler = configuration.scheduler
        options.creationSQL = creationSQL
        return LocalDatabase(.logs, of: device, in: package, options: options) { db in
            let isNew = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
            if isNew { return try create(in: db, as: device) }
            try db.refuseTriggers()
            try check(db, as: device)
        }
    }
}
