import Foundation
import GRDB

/// An open connection to this device's own file.
final class LocalConnection {
    let path: String
    private var database: DatabaseQueue?
    private let key: HeldFiles.Key
    private let isNew: Bool

    init(_ path: String, _ options: LocalDatabase.Options) throws {
        self.path = path
        for suffix in ["-journal", "-wal", "-shm"] {
            guard let status = try FileStatus.ofLink(at: path + suffix) else { continue }
            guard status.isRegularFile else {
                throw ReplicationError(.unsafePath, "\(path)\(suffix) is no regular file")
            }
        }
        try Self.checkJournal(path)
        (key, isNew) = try HeldFiles.hold(path)
        do {
            database = try Self.open(path, options, isNew: isNew)
        } catch {
            HeldFiles.release(key)
            throw (error as? DatabaseError)?.explained(path) ?? error
        }
    }

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
        _ path: String, _ options: LocalDatabase.Options, isNew: Bool
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "Tideline.local"
        configuration.busyMode = .callback { [patience = options.patience] tries in
            patience.wait(after: tries)
        }
        configuration.prepareDatabase { db in
            if isNew, !options.creationSQL.isEmpty { try db.execute(sql: options.creationSQL) }
            // EXTRA would do no more in this mode; FULL flushes the journal, the file and the
            // shortening of the journal, which is what commits.
            try db.execute(
                sql: """
                    PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0
                    """)
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = TRUNCATE")
            guard mode == "truncate" else {
                throw ReplicationError(
                    .busy, "\(path) is open in another program that keeps a write-ahead log")
            }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Whether the file that is open is still the one at its path.
    func isInPlace() throws -> Bool {
        guard let status = try FileStatus.ofLink(at: path) else { return false }
        return HeldFiles.Key(status) == key
    }

    func inTransaction<Value>(
        _ kind: Database.TransactionKind, _ body: (Database) throws -> Value
    ) throws -> Value {
        guard let database else {
            throw ReplicationError(.inputOutput, "\(path) is closed")
        }
        return try database.writeWithoutTransaction { db in
            var value: Value?
            try db.inTransaction(kind) {
                value = try body(db)
                return .commit
            }
            guard let value else {
                throw ReplicationError(.inputOutput, "\(path): the transaction did not run")
            }
            return value
        }
    }

    /// Makes a new file's entry in its folder survive a loss of power.
    func makeNameDurable() throws(ReplicationError) {
        guard isNew else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Descriptor(folder: folder).synchronize(folder)
    }

    func close() {
        guard let database else { return }
        self.database = nil
        // A connection that refuses to close does so because a statement is in use: it will close
        // with the last reference to it.
        try? database.close()
        HeldFiles.release(key)
    }

    deinit { close() }
}
