public import GRDB

/// How the rows of a store's logs are read: what a store tells a ``LogFollower``, beside merging.
///
/// Logs that this library's rules hold for (``ConsecutiveLog``) say which table has the rows and how
/// one becomes part of a batch. Others read themselves.
public protocol FollowedLog: Sendable {
    /// New rows of one log, checked and ready to be merged.
    associatedtype Batch: Sendable
    /// What has to be remembered of a log from one reading to the next, beside how far it was read.
    associatedtype Notes: Sendable = NoNotes
    /// All rows of all logs, where they are read together.
    associatedtype Whole = [LogRows<Batch, Notes>]

    /// Which of a device's databases it is.
    var kind: DatabaseKind { get }

    /// Reads the rows that came since, and checks each: nothing in a file can be trusted.
    ///
    /// It is called in one read transaction, and again if the file changed under it.
    ///
    /// - Parameters:
    ///   - device: In whose folder the log lies.
    ///   - head: What an earlier reading came to; `nil` for none.
    /// - Throws: ``ReplicationError`` for what is not such a log; nothing of it is used then.
    func read(
        _ db: Database, of device: DeviceID, after head: LogHead<Notes>?
    ) throws -> LogReading<Batch, Notes>

    /// Reads all logs from their beginning: at first, and when one was replaced by another.
    ///
    /// Without one of its own, a store gets the rows of each log one after the other.
    func readAll(_ folders: [DeviceFolder]) -> LogLoad<Whole, Notes>

    /// Whether the store keeps the rows of logs that cannot be read when all are read anew. Without,
    /// all stays as it was until each can be.
    var keepsRows: Bool { get }
}

/// A log whose table has ids 1, 2, 3 and so on, and that says who it is (``LogIdentity``).
public protocol ConsecutiveLog: FollowedLog {
    /// The table of the rows; its mark is the time of a row.
    var table: LogTable { get }
    /// What is remembered before anything was read.
    var notes: Notes { get }

    /// Checks that a database has the store's form: each table with
    /// ``GRDB/Database/ordinaryColumns(of:)``.
    ///
    /// - Throws: ``ReplicationError``: `.unreadable`, `.newerFormat`.
    func identity(in db: Database) throws -> LogIdentity

    /// Reads the rows behind `progress.start` in order of ids. Each goes through
    /// ``LogProgress/accept(_:mark:)``, which says where to stop.
    func rows(
        _ db: Database, of device: DeviceID, behind progress: inout LogProgress,
        _ head: inout LogHead<Notes>
    ) throws -> Batch
}

extension FollowedLog {
    /// `false`: all logs must be readable to be read anew.
    public var keepsRows: Bool { false }

    /// Reads the log in a device's folder.
    ///
    /// - Returns: `nil` where the file has the stamp that is known.
    /// - Throws: ``ReplicationError``, and what reading throws.
    func read(
        _ folder: DeviceFolder, unless stamp: FileStamp?, after head: LogHead<Notes>?,
        limits: ForeignDatabase.Limits = .init()
    ) throws -> (LogReading<Batch, Notes>, FileStamp)? {
        try folder.checkIsNoCopy()
        let outcome = try ForeignDatabase.read(
            folder.path(of: kind), unless: stamp, limits: limits
        ) {
            try read($0, of: folder.id, after: head)
        }
        guard case .read(let reading, let stamp) = outcome else { return nil }
        return (reading, stamp)
    }
}

extension FollowedLog where Whole == [LogRows<Batch, Notes>] {
    /// Reads each log from its beginning.
    ///
    /// - Complexity: O(*n*) in the number of all rows.
    public func readAll(_ folders: [DeviceFolder]) -> LogLoad<Whole, Notes> {
        var whole: Whole = []
        var logs: [DeviceID: Result<LogLoad<Whole, Notes>.Found, ReplicationError>] = [:]
        for folder in folders where folder.has(kind) {
            do {
                guard
                    case (.rows(let batch, let head), let stamp)? = try read(
                        folder, unless: nil, after: nil)
                else { throw ReplicationError(.incomplete, "\(folder.path) was not read") }
                whole.append(
                    LogRows(
                        device: folder.id, batch: batch, head: head, formerCount: 0, since: nil,
                        isBehindWrite: false))
                logs[folder.id] = .success(.init(head: head, stamp: stamp))
            } catch {
                logs[folder.id] = .failure(ReplicationError(reading: error))
            }
        }
        return LogLoad(whole: whole, logs: logs)
    }
}

extension ConsecutiveLog where Notes == NoNotes {
    /// Nothing.
    public var notes: NoNotes { NoNotes() }
}

extension ConsecutiveLog {
    /// Compares the log with what was read of it and reads on behind the cursor, up to the first row
    /// that is missing.
    ///
    /// - Complexity: Three look-ups, and O(*n*) in the number of new rows.
    public func read(
        _ db: Database, of device: DeviceID, after head: LogHead<Notes>?
    ) throws -> LogReading<Batch, Notes> {
        // Its writer was killed while it made the file: played back, it has no page.
        if head == nil, try Int.fetchOne(db, sql: "PRAGMA page_count") == 0 {
            throw ReplicationError(.notFound, "the log was not made to its end")
        }
        let identity = try identity(in: db)
        // The rows of a copied log would be taken for another device's, and be there twice.
        try LogIdentity.check(identity.device, isOf: device)
        let cursor = head?.cursor ?? .start
        var progress = try cursor.progress(in: db, table: table, identity: identity)
        if progress.isAnew, cursor != .start { return .replaced }
        var head = head ?? LogHead(form: identity.format, notes: notes)
        head.stop = nil
        let batch = try rows(db, of: device, behind: &progress, &head)
        head.cursor = progress.cursor
        head.rowCount = Int(clamping: progress.cursor.lastID)
        if let gap = progress.gap {
            head.stop = ReplicationError(
                .incomplete,
                "row \(gap) is missing; rows up to \(progress.lastID) wait for it")
        }
        return .rows(batch, head)
    }
}
