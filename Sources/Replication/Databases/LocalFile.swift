import Foundation
package import GRDB
import Glibc

/// A database file of this device, open for writing. All writable files are opened this way.
///
/// Opening checks the journals next to the file before SQLite can use them, and refuses symbolic
/// links, pipes, and devices. It also keeps other code in this process from opening and closing the
/// file separately (``SharedDescriptors``).
package final class LocalFile: Sendable {
    package let path: String
    package let database: DatabaseQueue
    /// Whether opening created the file.
    let isNew: Bool
    private let key: SharedDescriptors.Key

    /// Opens the file at `path`, and creates it if necessary.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the connection. Full flushing is added to it.
    ///   - creationSQL: SQL to run first in a new file.
    ///   - keepsJournalMode: Whether the file keeps its journal mode, for files that belong to
    ///     another program. Other files get a rollback journal in TRUNCATE mode.
    ///   - trustsSchema: Whether the file's schema may use features that SQLite doesn't classify as
    ///     innocuous, for files of another program.
    /// - Throws: ``ReplicationError``: `.unsafePath`, `.unreadable`, `.noPermission`, `.noLocks`,
    ///   `.busy` for a file that another program has open in write-ahead mode.
    package init(
        _ path: String, configuration: Configuration, creationSQL: String = "",
        keepsJournalMode: Bool = false, trustsSchema: Bool = false
    ) throws {
        self.path = path
        for suffix in ["-journal", "-wal", "-shm"] {
            guard let status = try FileStatus.ofLink(at: path + suffix) else { continue }
            guard status.isRegularFile else {
                throw ReplicationError(
                    .unsafePath, at: path + suffix, "it is not a regular file")
            }
        }
        try Self.checkJournal(path)
        (key, isNew) = try SharedDescriptors.hold(path)
        do {
            database = try Self.open(
                path, configuration, creationSQL: isNew ? creationSQL : "",
                keepsJournalMode: keepsJournalMode, trustsSchema: trustsSchema)
        } catch {
            let failure: any Error = (error as? DatabaseError)?.explained(path) ?? error
            if isNew { _ = SharedDescriptors.deleteIfEmpty(key, at: path) }
            SharedDescriptors.release(key)
            throw failure
        }
    }

    deinit { SharedDescriptors.release(key) }

    func close() {
        // A connection refuses to close while a statement is in use. It then closes when its last
        // reference is released.
        try? database.close()
    }

    /// Refuses a file with a rollback journal or write-ahead log that must not be used. SQLite
    /// would use it regardless of its origin.
    ///
    /// If another process of this device is writing, the journal and the file are checked again.
    private static func checkJournal(_ path: String) throws {
        for attempt in 0..<100 {
            guard try FileStatus.ofLink(at: path) != nil else { return }
            let (stamp, header) = try FileStamp.take(path)
            do {
                if let log = stamp.writeAheadLog {
                    try WriteAheadLog.check(
                        "\(path)-wal", byteCount: log.byteCount, database: header)
                }
                guard let journal = stamp.rollbackJournal else { return }
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
            // EXTRA has no additional effect in TRUNCATE mode. FULL flushes the journal, the file,
            // and the truncation of the journal, which commits.
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

    /// Runs `body` in one transaction, which is on disk when this method returns.
    ///
    /// - Throws: Errors of `body`, after rolling back. `DatabaseError` if the transaction is not in
    ///   the file. ``ReplicationError``: `.unconfirmed` if it is in the file, but the disk didn't
    ///   confirm it; `.busy` if the file is no longer at its path.
    package func inTransaction<Value>(
        _ kind: Database.TransactionKind, _ body: (Database) throws -> Value
    ) throws -> Value {
        try database.writeWithoutTransaction { db in
            var value: Value?
            var counter: UInt32?
            do {
                try db.inTransaction(kind) {
                    guard try kind == .deferred || isInPlace() else {
                        throw ReplicationError(
                            .busy, "\(path) was just replaced or deleted by another process")
                    }
                    counter = try? FileStamp(ofFileAt: path).changeCounter
                    value = try body(db)
                    return .commit
                }
            } catch let error as DatabaseError where error.isAboutDisk {
                // If the commit failed, the transaction is in the file only if the last step
                // failed: flushing the journal that was truncated or deleted.
                guard value != nil, isCommitted(after: counter) else {
                    // SQLite may leave the journal until the file is used again. Rolling back now
                    // frees the disk, and other programs find a complete file.
                    _ = try? Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
                    throw error
                }
                throw ReplicationError(unconfirmedAt: path, cause: error)
            }
            guard let value else {
                throw ReplicationError(.inputOutput, "\(path): the transaction did not run")
            }
            return value
        }
    }

    /// Replaces the whole content with that of another database, in one transaction.
    ///
    /// - Throws: ``ReplicationError``, `.unconfirmed` if the content is in the file, but the disk
    ///   didn't confirm it; `DatabaseError`.
    package func replaceContent(with source: Database) throws {
        try database.writeWithoutTransaction { db in
            let counter = try? FileStamp(ofFileAt: path).changeCounter
            do {
                try source.backup(to: db)
            } catch let error as DatabaseError {
                // SQLite has no message for errors of a backup, so its text would be "not an
                // error".
                let failure = DatabaseError(resultCode: error.extendedResultCode)
                guard failure.isAboutDisk, isCommitted(after: counter) else {
                    throw failure.explained(path)
                }
                throw ReplicationError(unconfirmedAt: path, cause: failure)
            }
        }
    }

    /// Returns whether a transaction is in the file although its commit failed. This is the case if
    /// the file has changed and no journal remains that would roll it back.
    ///
    /// If the file can't be read, the transaction counts as written. Otherwise, the caller might
    /// write the same rows again.
    ///
    /// - Parameter counter: The file's change counter at the start of the transaction.
    private func isCommitted(after counter: UInt32?) -> Bool {
        guard let stamp = try? FileStamp(ofFileAt: path) else { return true }
        return stamp.rollbackJournal == nil && stamp.changeCounter != counter
    }

    /// Deletes the file and its journal after a failed creation. Deletes only if opening created
    /// the file and nothing else was written. If that is uncertain, the file stays.
    ///
    /// A process that waits for the file's lock notices that the file was deleted, and writes
    /// nothing (``inTransaction(_:_:)``).
    ///
    /// - Parameter isUnused: Returns whether the content of a file that isn't empty can be deleted.
    package func discard(if isUnused: (Database) throws -> Bool = { _ in false }) {
        guard isNew, !SharedDescriptors.deleteIfEmpty(key, at: path) else { return }
        try? database.writeWithoutTransaction { db in
            try db.inTransaction(.exclusive) {
                if try isInPlace(), try isUnused(db) {
                    unlink("\(path)-journal")
                    unlink(path)
                }
                return .rollback
            }
        }
    }

    /// Flushes a new file's name to disk, so that it survives a power failure.
    func makeNameDurable() throws(ReplicationError) {
        guard isNew else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Descriptor(folder: folder).confirmChange(of: path)
    }

    /// Returns whether the open file is still the one at its path.
    func isInPlace() throws -> Bool {
        guard let status = try FileStatus.ofLink(at: path) else { return false }
        return SharedDescriptors.Key(status) == key
    }
}
