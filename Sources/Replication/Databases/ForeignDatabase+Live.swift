public import GRDB
import Glibc
import Synchronization

extension ForeignDatabase {
    /// Reads the database at `path` without a copy, while another program has it open in
    /// write-ahead mode.
    ///
    /// The log and its index are only read, so no file appears next to the database. The other
    /// program continues to write, and `body` sees one state of the database in a read transaction.
    /// If there is no log with an index, or if the other program has locked the file exclusively,
    /// this method calls ``read(_:unless:limits:_:)``, which copies the files if necessary.
    ///
    /// Use this for files that programs on this machine write. If a sync service carries the file
    /// and its log, the log may belong to another state of the file.
    ///
    /// - Parameter known: As in ``read(_:unless:limits:_:)``.
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
            // The other program is closing the database or has locked it exclusively, but its files
            // can still be copied.
            return try read(path, unless: known, limits: limits, body)
        } catch {
            throw explained(error, path)
        }
    }
}

/// A lock on a database in write-ahead mode. Without this lock, the last other program could close
/// the database and delete the log during a read. SQLite would then create a new log for this
/// process.
///
/// This class takes the same shared lock as SQLite's readers, so no reader or writer waits for it.
private final class LivePresence {
    private static let readers = Mutex<[SharedDescriptors.Key: Int]>([:])
    private let path: String
    private let key: SharedDescriptors.Key

    /// Takes the lock.
    ///
    /// - Returns: `nil` if the log or its index is missing, if no process maintains the index, or
    ///   if a program has locked the file exclusively.
    init?(_ path: String) throws {
        self.path = path
        key = try SharedDescriptors.hold(path).0
        let isLocked = try Self.change(key, by: 1, path)
        for suffix in ["-wal", "-shm"] where isLocked {
            guard try FileStatus.ofLink(at: path + suffix)?.isRegularFile == true else {
                return nil
            }
        }
        guard isLocked, try Self.isIndexInitialized(path + "-shm") else { return nil }
    }

    /// Returns whether SQLite would use the index of a log unchanged. Otherwise, SQLite would
    /// rebuild the index in another program's file.
    ///
    /// The index starts with two copies of a 48-byte header. The header contains a version, which
    /// hasn't changed since SQLite 3.7. Its byte 12 is the flag for an initialized index (wal.c,
    /// `WalIndexHdr`).
    private static func isIndexInitialized(_ path: String) throws -> Bool {
        guard let status = try FileStatus.ofLink(at: path) else { return false }
        let headers = try indexes.withLock { indexes in
            indexes.removeAll { number in
                guard Self.status(number)?.st_nlink == 0 else { return false }
                close(number)
                return true
            }
            let known = indexes.first {
                Self.status($0).map { SharedDescriptors.Key(FileStatus($0)) }
                    == SharedDescriptors.Key(status)
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

    /// Descriptors of the indexes that were checked. They stay open until the indexes are deleted.
    /// Closing a descriptor would release SQLite's own locks on the file, see
    /// ``SharedDescriptors``.
    private static let indexes = Mutex<[Int32]>([])

    private static func status(_ number: Int32) -> stat? {
        var raw = stat()
        return fstat(number, &raw) == 0 ? raw : nil
    }

    deinit {
        _ = try? Self.change(key, by: -1, path)
        SharedDescriptors.release(key)
    }

    /// Changes the number of readers. The first reader takes the lock, and the last one releases
    /// it.
    private static func change(
        _ key: SharedDescriptors.Key, by difference: Int, _ path: String
    ) throws -> Bool {
        try readers.withLock { readers in
            let count = (readers[key] ?? 0) + difference
            readers[key] = count > 0 ? count : nil
            guard count == 0 || count == 1 && difference == 1 else { return true }
            return try SharedDescriptors.look(at: path) { file throws(ReplicationError) in
                var lock = flock(ofSQLite: count == 0 ? F_UNLCK : F_RDLCK, ofReaders: true)
                // Independent of SQLite's own locks.
                return fcntl(file.number, DescriptorLock.set, &lock) == 0
            }
        }
    }
}
