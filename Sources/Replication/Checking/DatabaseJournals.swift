/// The journals next to a database file that SQLite would use when a process opens it for writing.
package struct DatabaseJournals: Sendable {
    /// The role of a rollback journal with content.
    package enum Rollback: Sendable {
        case none
        /// A transaction was interrupted. The next writer rolls it back.
        case unfinished
        /// Rolling back would mix two states of the file, or open a file that the journal names.
        case refused(ReplicationError)
        /// The database file that the journal belongs to is missing.
        case orphan
        /// The file is not a journal despite its name. SQLite ignores it.
        case noJournal
    }

    package private(set) var rollback = Rollback.none
    /// The size of the write-ahead log in bytes; `nil` if it is missing or has no content.
    package private(set) var logByteCount: Int64?
    /// The reason why SQLite must not use the write-ahead log; `nil` if it may.
    package private(set) var logRefusal: ReplicationError?
    /// Whether there is an index of a write-ahead log without the log.
    package private(set) var hasIndexAlone = false
    /// Whether the journal changed a moment ago, which means that a process is writing.
    package private(set) var isFresh = false

    /// Examines the files next to the database at `path`, which may be missing.
    ///
    /// - Throws: ``ReplicationError`` if a file can't be examined.
    package init(ofDatabaseAt path: String, now: Timestamp) throws(ReplicationError) {
        let log = try FileStatus.ofLink(at: path + "-wal")
        logByteCount = log.flatMap { $0.byteCount > 0 ? $0.byteCount : nil }
        let index = try FileStatus.ofLink(at: path + "-shm")
        hasIndexAlone = log == nil && index != nil
        guard try FileStatus.ofLink(at: path) != nil else {
            let journal = try FileStatus.ofLink(at: path + "-journal")
            if journal?.isRegularFile == true, journal?.byteCount ?? 0 > 0 { rollback = .orphan }
            return
        }
        let (stamp, header) = try FileStamp.take(path)
        if let log = stamp.writeAheadLog {
            do {
                try WriteAheadLog.check("\(path)-wal", byteCount: log.byteCount, database: header)
            } catch {
                logRefusal = error
                isFresh = log.isFresh(at: now)
            }
        }
        guard let journal = stamp.rollbackJournal else {
            if try Self.hasContent(path + "-journal") { rollback = .noJournal }
            return
        }
        isFresh = isFresh || journal.isFresh(at: now)
        do {
            try RollbackJournal.check(
                "\(path)-journal", byteCount: journal.byteCount, database: header)
            rollback = .unfinished
        } catch {
            rollback = .refused(error)
        }
    }

    /// Returns whether a journal has content other than the zeros that SQLite may leave after a
    /// commit.
    private static func hasContent(_ path: String) throws(ReplicationError) -> Bool {
        guard let status = try FileStatus.ofLink(at: path), status.isRegularFile,
            status.byteCount > 0
        else { return false }
        return try Descriptor(file: path).read(1, at: 0, path) != [0]
    }
}
