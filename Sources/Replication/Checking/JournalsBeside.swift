import Foundation

/// What stands beside a database file that SQLite would act on when somebody opens it for writing.
package struct JournalsBeside: Sendable {
    /// What a rollback journal with content is to the file.
    package enum Rollback: Sendable {
        case none
        /// A transaction was broken off; whoever writes next takes it back.
        case unfinished
        /// It would mix two states of the file, or lead elsewhere.
        case refused(ReplicationError)
        /// There is no file that it belongs to.
        case orphan
        /// It is none, whatever its name says: SQLite passes it over.
        case noJournal
    }

    package private(set) var rollback = Rollback.none
    /// The size of a write-ahead log with content.
    package private(set) var logByteCount: Int64?
    /// Whether there is an index of a write-ahead log, and no such log.
    package private(set) var hasIndexAlone = false
    /// Whether the journal changed a moment ago: somebody is writing.
    package private(set) var isFresh = false

    /// Looks beside the file at `path`, which need not be there.
    ///
    /// - Throws: ``ReplicationError`` for what cannot be looked at.
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
        guard let journal = stamp.rollbackJournal else {
            if try Self.hasContent(path + "-journal") { rollback = .noJournal }
            return
        }
        let age = now.date.timeIntervalSince1970 - Double(journal.modified) / 1e9
        isFresh = abs(age) < 2
        do {
            try RollbackJournal.check(
                "\(path)-journal", byteCount: journal.byteCount, database: header)
            rollback = .unfinished
        } catch {
            rollback = .refused(error)
        }
    }

    /// Whether there is more in a journal than the zeros that end it.
    private static func hasContent(_ path: String) throws(ReplicationError) -> Bool {
        guard let status = try FileStatus.ofLink(at: path), status.isRegularFile,
            status.byteCount > 0
        else { return false }
        return try Descriptor(file: path).read(1, at: 0, path) != [0]
    }
}
