import Foundation
package import GRDB

/// A database file of this device's own, opened for writing: the one way to do so.
///
/// What stands beside the file is looked at before SQLite would act on it, the file itself is not a
/// symbolic link, pipe or device, and as long as this lives nothing in this process opens and
/// closes it separately (``HeldFiles``).
package final class LocalFile: Sendable {
    package let path: String
    package let database: DatabaseQueue
    /// Whether the file was made by opening it.
    let isNew: Bool
    private let key: HeldFiles.Key

    /// Opens the file at `path`, and creates it where nothing is.
    ///
    /// - Parameters:
    ///   - configuration: Full flushing is added to it.
    ///   - creationSQL: SQL for a new file, before anything else.
    ///   - keepsJournalMode: Whether the file keeps the journal that it has, as one that belongs to
    ///     another program does. Others get a rollback journal in TRUNCATE mode.
    ///   - trustsSchema: Whether the schema of the file may use what SQLite doesn't call innocuous,
    ///     as that of another program may.
    /// - Throws: ``ReplicationError``: `.unsafePath`, `.unreadable`, `.noPermission`, `.busy` for a
    ///   file that another program keeps in write-ahead mode.
    package init(
        _ path: String, configuration: Configuration, creationSQL: String = "",
        keepsJournalMode: Bool = false, trustsSchema: Bool = false
    ) throws {
        self.path = path
        for suffix in ["-journal", "-wal", "-shm"] {
            guard let status = try FileStatus.ofLink(at: path + suffix) else { continue }
            guard status.isRegularFile else {
                throw ReplicationError(.unsafePath, "\(path)\(suffix) is not a regular file")
            }
        }
        try Self.checkJournal(path)
        (key, isNew) = try HeldFiles.hold(path)
        do {
            database = try Self.open(
                path, configuration, creationSQL: isNew ? creationSQL : "",
                keepsJournalMode: keepsJournalMode, trustsSchema: trustsSchema)
        } catch {
            HeldFiles.release(key)
            throw (error as? DatabaseError)?.explained(path) ?? error
        }
    }

    deinit { HeldFiles.release(key) }

    /// SQLite plays a journal back without asking where it came from.
    ///
    /// Another process of this device may be writing: then journal and file are looked at again.
    private static func checkJournal(_ path: String) throws {
        for attempt in 0..<100 {
            guard try FileStatus.ofLink(at: path) != nil else { return }
            let (stamp, header) = try FileStamp.take(path)
            guard let journal = stamp.rollbackJournal else { return }
            do {
                return try RollbackJournal.check(
                    "\(path)-journal", byteCount: journal.byteCount, database: header)
            } catch {
                guard try FileStamp(ofFileAt: path) != stamp, attempt < 99 else { throw error }
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    private static func open(
        _ path: String, _ configuration: Configuration, creationSQL: String,
        keepsJournalMode: Bool, trustsSchema: Bool
    ) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.prepareDatabase { db in
            if !creationSQL.isEmpty { try db.execute(sql: creationSQL) }
            // EXTRA would do no more in this mode; FULL flushes the journal, the file and the
            // shortening of the journal, which is what commits.
            try db.execute(
                sql: """
                    PRAGMA synchronous = FULL;
                    PRAGMA trusted_schema = \(trustsSchema ? "ON" : "OFF");
                    PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0
                    """)
            guard !keepsJournalMode else { return }
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = TRUNCATE")
            guard mode == "truncate" else {
                throw ReplicationError(
                    .busy, "\(path) is open in another program that keeps a write-ahead log")
            }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Runs `body` in one transaction, which is on disk when this returns.
    ///
    /// - Throws: What `body` throws, after rolling back. `DatabaseError` for a transaction that is
    ///   not in the file. ``ReplicationError``, `.unconfirmed`, for one that is in the file, though
    ///   the disk did not confirm it.
    package func inTransaction<Value>(
        _ kind: Database.TransactionKind, _ body: (Database) throws -> Value
    ) throws -> Value {
        try database.writeWithoutTransaction { db in
            var value: Value?
            var counter: UInt32?
            do {
                try db.inTransaction(kind) {
                    counter = try? FileStamp(ofFileAt: path).changeCounter
                    value = try body(db)
                    return .commit
                }
            } catch let error as DatabaseError where value != nil && error.isAboutDisk {
                // The commit failed. Only the last step of a commit comes after the transaction is
                // in the file: the flush of the journal that was truncated or deleted.
                guard isCommitted(after: counter) else { throw error }
                throw ReplicationError(unconfirmedAt: path, cause: error)
            }
            guard let value else {
                throw ReplicationError(.inputOutput, "\(path): the transaction did not run")
            }
            return value
        }
    }

    /// Whether a transaction whose commit failed is in the file all the same: no journal is left
    /// that would roll it back, and the file has changed.
    ///
    /// A file that cannot be read now counts as written: a caller that is told otherwise might
    /// write the same again.
    ///
    /// - Parameter counter: The file's change counter when the transaction started.
    private func isCommitted(after counter: UInt32?) -> Bool {
        guard let stamp = try? FileStamp(ofFileAt: path) else { return true }
        return stamp.rollbackJournal == nil && stamp.changeCounter != counter
    }

    /// Whether the file that is open is still the one at its path.
    func isInPlace() throws -> Bool {
        guard let status = try FileStatus.ofLink(at: path) else { return false }
        return HeldFiles.Key(status) == key
    }
}
