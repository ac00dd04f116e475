import Foundation
import Glibc

/// A value that distinguishes two states of a SQLite file without opening it as a database.
///
/// If the stamps before and after a read are equal, the file was not written in between. A stamp
/// consists of the device, inode, size, modification time, and the change counter in SQLite's
/// header, and of the state of the journals. A journal without content, which SQLite's TRUNCATE
/// mode leaves, is ignored.
public struct FileStamp: Hashable, Sendable {
    /// A journal with content next to a database file.
    public struct Journal: Hashable, Sendable {
        /// The inode number.
        public let inode: UInt64
        /// The size in bytes.
        public let byteCount: Int64
        /// The modification time, in nanoseconds since 1970.
        public let modified: Int64

        /// Returns whether the journal changed so recently that a process is probably writing.
        func isFresh(at now: Timestamp) -> Bool {
            abs(now.date.timeIntervalSince1970 - Double(modified) / 1e9) < 2
        }
    }

    /// The device number of the file system.
    public let device: UInt64
    /// The inode number. If another file replaces this file at its path, the new one has a
    /// different number.
    public let inode: UInt64
    /// The size in bytes, without the journals.
    public let byteCount: Int64
    /// The modification time, in nanoseconds since 1970.
    public let modified: Int64
    /// SQLite's count of the transactions that changed the file (header bytes 24..<28).
    public let changeCounter: UInt32
    /// The rollback journal next to the file, if it has content that SQLite would play back.
    public let rollbackJournal: Journal?
    /// The write-ahead log next to the file, if it has content.
    public let writeAheadLog: Journal?
    /// Whether the file changed just before the stamp was taken.
    ///
    /// File systems take modification times from a clock that ticks every few milliseconds (Linux
    /// before 6.13). Another change in the same tick may result in the same stamp. If `true`, the
    /// stamp therefore doesn't count as a known state. Comparisons ignore this property.
    public let isFresh: Bool

    /// Whether the file alone contains the state of the database.
    public var isAlone: Bool { rollbackJournal == nil && writeAheadLog == nil }

    /// Returns whether the two stamps are of the same state of the same file. Ignores ``isFresh``.
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
    /// Takes the stamp of the file at `path`. This takes about ten microseconds.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unsafePath` for a symbolic
    ///   link, `.unreadable` if the item is not a regular file.
    public init(ofFileAt path: String) throws(ReplicationError) {
        (self, _) = try Self.take(path)
    }

    /// Returns the stamp and the first 100 bytes (fewer in a shorter file), which contain SQLite's
    /// header.
    static func take(_ path: String) throws(ReplicationError) -> (FileStamp, header: [UInt8]) {
        // A writer's journal has content from before the first change of the main file until after
        // the last. Checking the journals before and after the main file detects every change,
        // regardless of the resolution of the file system's clock.
        let logPath = path + "-wal"
        let rollbackJournal = try rollbackJournal(of: path)
        let writeAheadLog = try journal(logPath, isRollback: false)
        let (status, header) = try SharedDescriptors.look(at: path) {
            file throws(ReplicationError) in
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

    /// The file system's current time, in nanoseconds since 1970.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Returns the rollback journal next to the database at `path`, if SQLite would play it back.
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
            // The journal was deleted since it was found.
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
