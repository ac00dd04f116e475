import Foundation
public import GRDB
import Glibc
import Synchronization

extension ForeignDatabase {
    /// Reads the database at `path` beside a program that keeps it in write-ahead mode, without a
    /// copy of it.
    ///
    /// The log and its index are only read, so nothing appears beside the file; the other program
    /// goes on writing, and `body` sees one state of the database, in a read transaction. Where
    /// there is no log with its index, or the other program wants the file to itself, the answer
    /// is that of ``read(_:unless:limits:_:)``, which copies where it has to.
    ///
    /// Meant for files that programs of this machine write, not for what a sync service carries:
    /// there a log may belong to another state of the file.
    ///
    /// - Parameter known: As ``read(_:unless:limits:_:)`` has it.
    /// - Throws: As ``read(_:unless:limits:_:)``.
    public static func readLive<Value>(
        _ path: String, unless known: FileStamp? = nil, limits: Limits = Limits(),
        _ body: (Database) throws -> Value
    ) throws -> Outcome<Value> {
        let stamp = try FileStamp(ofFileAt: path)
        guard readsInPlace, !limits.copies, stamp.rollbackJournal == nil,
            stamp.writeAheadLog != nil, let presence = try LivePresence(path)
        else { return try read(path, unless: known, limits: limits, body) }
        if let known, stamp == known, !known.isFresh { return .unchanged }
        do {
            let value = try withExtendedLifetime(presence) {
                try Connection(live: path, byteCount: stamp.totalByteCount, limits)
                    .read(limits, body)
            }
            return .read(value, stamp)
        } catch let error as DatabaseError
            where [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN, .SQLITE_READONLY]
            .contains(error.resultCode)
        {
            // It is being closed, or a program has it to itself: its files can still be copied.
            return try read(path, unless: known, limits: limits, body)
        } catch {
            throw explained(error, path)
        }
    }
}

/// Keeps the last other user of a database in write-ahead mode from deleting its log while it is
/// read here: SQLite would make a new one for us then.
///
/// It is a shared lock as SQLite's readers hold it, so nobody who reads or writes waits for it.
private final class LivePresence {
    private static let readers = Mutex<[HeldFiles.Key: Int]>([:])
    private let path: String
    private let key: HeldFiles.Key

    /// - Returns: `nil` where the log or its index is missing, or a program has the file to itself.
    init?(_ path: String) throws {
        self.path = path
        key = try HeldFiles.hold(path).0
        let isLocked = try Self.change(key, by: 1, path)
        for suffix in ["-wal", "-shm"] where isLocked {
            guard try FileStatus.ofLink(at: path + suffix)?.isRegularFile == true else {
                return nil
            }
        }
        guard isLocked else { return nil }
    }

    deinit {
        _ = try? Self.change(key, by: -1, path)
        HeldFiles.release(key)
    }

    /// Counts a reader more or less; the first takes the lock, the last lets it go.
    private static func change(
        _ key: HeldFiles.Key, by difference: Int, _ path: String
    ) throws -> Bool {
        try readers.withLock { readers in
            let count = (readers[key] ?? 0) + difference
            readers[key] = count > 0 ? count : nil
            guard count == 0 || count == 1 && difference == 1 else { return true }
            return try HeldFiles.look(at: path) { file throws(ReplicationError) in
                var lock = flock()
                lock.l_type = Int16(count == 0 ? F_UNLCK : F_RDLCK)
                lock.l_whence = Int16(SEEK_SET)
                // The range that SQLite's readers lock: os.h, SHARED_FIRST and SHARED_SIZE.
                lock.l_start = 0x4000_0002
                lock.l_len = 510
                // F_OFD_SETLK: the lock is the descriptor's, apart from those of SQLite's own.
                return fcntl(file.number, 37, &lock) == 0
            }
        }
    }
}
