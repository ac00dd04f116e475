import Glibc

/// What tells two states of a SQLite file apart without opening it as a database.
///
/// Two equal stamps, taken before and after reading, mean that the file was not written in
/// between: it is the same file (device and inode), as long, with the same modification time and
/// the same change counter in SQLite's header, and the journals beside it are as they were. A
/// journal without content, as SQLite's TRUNCATE mode leaves it, does not count.
public struct FileStamp: Hashable, Sendable {
    /// A journal with content beside a database file.
    public struct Journal: Hashable, Sendable {
        /// The file's number on its file system.
        public let inode: UInt64
        /// The size in bytes.
        public let byteCount: Int64
        /// Nanoseconds since 1970.
        public let modified: Int64
    }

    /// The number of the device that the file system is on.
    public let device: UInt64
    /// The file's number on its file system; another file at the same path has another.
    public let inode: UInt64
    /// The size in bytes, without the journals.
    public let byteCount: Int64
    /// Nanoseconds since 1970.
    public let modified: Int64
    /// SQLite's count of the transactions that changed the file (header bytes 24..<28).
    public let changeCounter: UInt32
    /// The rollback journal beside the file, if it has content that SQLite would play back.
    public let rollbackJournal: Journal?
    /// The write-ahead log beside the file, if it has content.
    public let writeAheadLog: Journal?
    /// Whether the file had changed only just before the stamp was taken.
    ///
    /// File systems date changes by a clock that ticks every few milliseconds (Linux before 6.13),
    /// so that another change right after may leave the same stamp. One that is fresh does not
    /// count as known; it is left out of comparisons.
    public let isFresh: Bool

    /// Whether the state of the database is in the file alone.
    public var isAlone: Bool { rollbackJournal == nil && writeAheadLog == nil }

    /// Whether the two were taken of one state of one file; ``isFresh`` does not count.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.device == rhs.device && lhs.inode == rhs.inode && lhs.byteCount == rhs.byteCount
            && lhs.modified == rhs.modified && lhs.changeCounter == rhs.changeCounter
            && lhs.rollbackJournal == rhs.rollbackJournal
            && lhs.writeAheadLog == rhs.writeAheadLog
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(inode)
        hasher.combine(modified)
        hasher.combine(changeCounter)
    }
}

extension FileStamp {
    /// Takes the stamp of the file at `path`. About ten microseconds.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unsafePath` for a symbolic
    ///   link, `.unreadable` for what is not a regular file.
    public init(ofFileAt path: String) throws(ReplicationError) {
        (self, _) = try Self.take(path)
    }

    /// The stamp and the first 100 bytes (fewer in a shorter file), which hold SQLite's header.
    static func take(_ path: String) throws(ReplicationError) -> (FileStamp, header: [UInt8]) {
        // A writer has content in a journal from before its first change of the main file until
        // after its last. Looking at the journals before and after the main file, none of its
        // changes can go unnoticed however coarse the file system's clock is.
        let logPath = path + "-wal"
        let rollbackJournal = try rollbackJournal(of: path)
        let writeAheadLog = try journal(logPath, isRollback: false)
        let (status, header) = try HeldFiles.look(at: path) { file throws(ReplicationError) in
            (try file.status(path), try file.read(100, at: 0, path))
        }
        let laterJournal = try Self.rollbackJournal(of: path)
        let laterLog = try journal(logPath, isRollback: false)
        let stamp = FileStamp(
            device: status.device, inode: status.inode, byteCount: status.byteCount,
            modified: status.modified, changeCounter: header.bigEndian(at: 24) ?? 0,
            rollbackJournal: rollbackJournal ?? laterJournal,
            writeAheadLog: writeAheadLog ?? laterLog,
            isFresh: status.modified > Self.now &- 50_000_000)
        return (stamp, header)
    }

    /// Nanoseconds since 1970, as the file system counts them.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The rollback journal beside the database at `path`, if SQLite would play it back.
    static func rollbackJournal(of path: String) throws(ReplicationError) -> Journal? {
        try journal(path + "-journal", isRollback: true)
    }

    private static func journal(
        _ path: String, isRollback: Bool
    ) throws(ReplicationError) -> Journal? {
        guard let seen = try FileStatus.ofLink(at: path), seen.byteCount > 0 else { return nil }
        do {
            let file = try Descriptor(file: path)
            let status = try file.status(path)
            let isActedOn =
                isRollback
                ? try RollbackJournal.isActedOn(file, byteCount: status.byteCount, path)
                : status.byteCount > 0
            guard isActedOn else { return nil }
            return Journal(
                inode: status.inode, byteCount: status.byteCount, modified: status.modified)
        } catch {
            // Deleted since it was seen.
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
