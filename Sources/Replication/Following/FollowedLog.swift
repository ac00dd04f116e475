public import GRDB

/// The rules for reading the rows of a store's logs. A store provides these rules to its
/// ``LogFollower``, and merges the rows itself.
///
/// Logs that follow this library's rules (``ConsecutiveLog``) only declare their table and how its
/// rows become a batch. Other logs implement reading themselves.
public protocol FollowedLog: Sendable {
    /// New rows of one log, checked and ready to be merged.
    associatedtype Batch: Sendable
    /// The state that is kept between two readings of a log, in addition to the cursor.
    associatedtype Notes: Sendable = NoNotes
    /// The type of all rows of all logs, when the logs are read together.
    associatedtype Whole = [LogRows<Batch, Notes>]

    /// The kind of database that contains the log.
    var kind: DatabaseKind { get }

    /// Reads the new rows and checks each one. Nothing in a file can be trusted.
    ///
    /// Called in a read transaction, and again if the file changed during the call.
    ///
    /// - Parameters:
    ///   - device: The device whose folder contains the log.
    ///   - head: The result of the previous reading, if any.
    /// - Throws: ``ReplicationError`` if the file is not a valid log. None of its rows are used.
    func read(
        _ db: Database, of device: DeviceID, after head: LogHead<Notes>?
    ) throws -> LogReading<Batch, Notes>

    /// Reads all logs from the start. Called for the first reading, and when a log was replaced by
    /// another log.
    ///
    /// By default, reads the rows of each log one after the other.
    func readAll(_ folders: [DeviceFolder]) -> LogLoad<Whole, Notes>

    /// Whether the store keeps the rows of unreadable logs when all logs are read again. Otherwise,
    /// everything stays unchanged until each log can be read.
    var keepsRows: Bool { get }

    /// Returns a suggestion for handling the file at `path`: another version of a log that a sync
    /// service kept.
    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion
}

/// A log whose table has ids 1, 2, 3, and so on, and that stores its ``LogIdentity``.
public protocol ConsecutiveLog: FollowedLog {
    /// The table of the rows. Its mark is the time of a row.
    var table: LogTable { get }
    /// The notes before the first reading.
    var notes: Notes { get }

    /// Checks that a database has the store's format. Check each table with
    /// ``GRDB/Database/ordinaryColumns(of:)``.
    ///
    /// - Throws: ``ReplicationError``: `.unreadable`, `.newerFormat`.
    func identity(in db: Database) throws -> LogIdentity

    /// Reads the rows after `progress.start` in order of ids. Pass each to
    /// ``LogProgress/accept(_:mark:)``, which determines where to stop.
    func rows(
        _ db: Database, of device: DeviceID, behind progress: inout LogProgress,
        _ head: inout LogHead<Notes>
    ) throws -> Batch
}

extension FollowedLog {
    /// `false`: if a log is unreadable, everything stays unchanged.
    public var keepsRows: Bool { false }

    /// Suggests deleting a copy of the log.
    public func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        Suggestion("delete it", .deleteFile, paths: [path])
    }

    /// Reads the log in a device's folder.
    ///
    /// - Returns: `nil` if the file has the known stamp.
    /// - Throws: ``ReplicationError``, and errors of reading.
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
    /// Reads each log from the start.
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
    /// The empty notes.
    public var notes: NoNotes { NoNotes() }
}

extension ConsecutiveLog {
    /// Compares the log with the rows read before and continues after the cursor, up to the first
    /// missing row.
    ///
    /// - Throws: ``ReplicationError``: `.notFound` if the log has no tables yet, `.deviceCopy` if it
    ///   belongs to another device, the errors of ``identity(in:)``; SQLite's errors.
    /// - Complexity: Three look-ups, and O(*n*) in the number of new rows.
    public func read(
        _ db: Database, of device: DeviceID, after head: LogHead<Notes>?
    ) throws -> LogReading<Batch, Notes> {
        // If the writer was killed while creating the file, the file has no page after the journal
        // is played back.
        if head == nil, try Int.fetchOne(db, sql: "PRAGMA page_count") == 0 {
            throw ReplicationError(.notFound, "the log was not completely created")
        }
        let identity = try identity(in: db)
        // Without this check, the rows of a copied log would be read as another device's rows and
        // appear twice.
        try LogIdentity.check(identity.device, isOf: device)
        let cursor = head?.cursor ?? .start
        var progress = try cursor.progress(in: db, table: table, identity: identity)
        if progress.startsOver, cursor != .start { return .replaced }
        var head = head ?? LogHead(form: identity.format, notes: notes)
        head.stop = nil
        let batch = try rows(db, of: device, behind: &progress, &head)
        head.cursor = progress.cursor
        head.rowCount = Int(clamping: progress.cursor.lastID)
        if let gap = progress.gap {
            head.stop = ReplicationError(
                .incomplete,
                "row \(gap) is missing; later rows up to \(progress.lastID) are not used yet")
        }
        return .rows(batch, head)
    }
}
