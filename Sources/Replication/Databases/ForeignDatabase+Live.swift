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

    /// - Returns: `nil` where the log or its index is missing, nobody keeps the index up, or a
    ///   program has the file to itself.
    init?(_ path: String) throws {
        self.path = path
        key = try HeldFiles.hold(path).0
        let isLocked = try Self.change(key, by: 1, path)
        for suffix in ["-wal", "-shm"] where isLocked {
            guard try FileStatus.ofLink(at: path + suffix)?.isRegularFile == true else {
                return nil
            }
        }
        guard isLocked, try Self.isKeptUp(path + "-shm") else { return nil }
    }

    /// Whether the index of a log is one that SQLite would use as it is. Any other it would build
    /// anew, in a file of another program.
    ///
    /// Its header, of 48 bytes, stands there twice: a version, which is the same since SQLite 3.7,
    /// and in byte 12 whether it was built (wal.c, `WalIndexHdr`).
    private static func isKeptUp(_ path: String) throws -> Bool {
        guard let status = try FileStatus.ofLink(at: path) else { return false }
        let headers = try indexes.withLock { indexes in
            indexes.removeAll { number in
                guard Self.status(number)?.st_nlink == 0 else { return false }
                close(number)
                return true
            }
            let known = indexes.first {
                Self.status($0).map { HeldFiles.Key(FileStatus($0)) } == HeldFiles.Key(status)
            }
            let number = known ?? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            guard number >= 0 else { throw ReplicationError(system: errno, "open", path) }
            if known == nil { indexes.append(number) }
            return try Descriptor(borrowed: number).read(96, at: 0, path)
        }
        guard headers.count == 96 else { return false }
        let version = headers.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        return headers.prefix(48).elementsEqual(headers.suffix(48))
            && version == 3_007_000 && headers[12] == 1
    }

    /// Descriptors of the indexes that were looked at, kept until these are deleted: closing one
    /// would end the locks of SQLite's own on the file, see ``HeldFiles``.
    private static let indexes = Mutex<[Int32]>([])

    private static func status(_ number: Int32) -> stat? {
        var raw = stat()
        return fstat(number, &raw) == 0 ? raw : nil
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
