public import GRDB

/// A log to which this device's rows are appended.
public protocol WrittenLog: FollowedLog {
    /// Rows to append.
    associatedtype Draft
    /// The result of writing rows.
    associatedtype Written

    /// SQL that runs in a new file before its first transaction.
    var creationSQL: String { get }

    /// Creates the schema in a new file.
    ///
    /// - Throws: ``LogReplaced`` if all logs must be read again first, and SQLite's errors.
    func create(in db: Database, as device: DeviceID) throws

    /// Checks that an existing file has the schema and belongs to this device.
    ///
    /// - Throws: ``ReplicationError``, or ``LogReplaced``.
    func check(_ db: Database, as device: DeviceID) throws

    /// Appends rows after the last one, inside a transaction.
    ///
    /// - Parameters:
    ///   - head: The state of the log. Update it to the state after the rows.
    ///   - others: Rows that another process of this device appended since the log was read. The
    ///     method may add further rows that result from `rows` and that the store must process.
    /// - Throws: ``LogReplaced`` if all logs must be read again first. After this error, nothing is
    ///   written.
    func append(
        _ rows: Draft, as device: DeviceID, behind head: inout LogHead<Notes>,
        _ others: inout Batch, to db: Database
    ) throws -> Written
}

extension WrittenLog {
    /// No SQL.
    public var creationSQL: String { "" }
}

extension WrittenLog where Self: ConsecutiveLog {
    /// Checks the identity that the file stores.
    public func check(_ db: Database, as device: DeviceID) throws {
        try LogIdentity.check(identity(in: db).device, isOf: device)
    }
}

/// Rows that were appended to this device's log.
public struct AppendedRows<Written> {
    /// The result of writing the rows.
    public let written: Written
    /// The reason why the disk didn't confirm the rows; `nil` if the disk confirmed them.
    public let unconfirmed: ReplicationError?

    /// Creates the result for appended rows. Pass an error if the disk didn't confirm them.
    public init(written: Written, unconfirmed: ReplicationError? = nil) {
        self.written = written
        self.unconfirmed = unconfirmed
    }
}

extension AppendedRows: Sendable where Written: Sendable {}

/// The error that this device's log differs from the log that was read, because a file was restored
/// or replaced. All logs must be read again before anything is written.
public struct LogReplaced: Error {
    /// Creates the error.
    public init() {}
}

extension LogFollower where Log: WrittenLog {
    /// Appends rows to this device's log in one transaction, which is on disk when this returns.
    ///
    /// Rows that another process of this device has appended are read in the same transaction, and
    /// reported before this method returns. The file stays open for a while, so a burst of writes
    /// opens the file only once.
    ///
    /// - Throws: ``ReplicationError``: `.busy` if another process holds the lock, `.incomplete` if
    ///   rows of the log are missing, `.unreadable` if the log was replaced by a log that can't be
    ///   read, `.noPermission` if the store has no device; errors of the store's own methods. After
    ///   an error, nothing is written.
    /// - Returns: The result of writing, and whether the disk confirmed it. Unconfirmed rows are in
    ///   the log: don't append them again.
    /// - Complexity: O(*n*) in the number of rows.
    public func append(_ rows: Log.Draft) throws -> AppendedRows<Log.Written> {
        guard let device else {
            throw ReplicationError(
                .noPermission, "the store was opened without a device, so it can't write")
        }
        do {
            return try append(rows, as: device)
        } catch is LogReplaced {
            try readReplaced(device)
            do {
                return try append(rows, as: device)
            } catch is LogReplaced {
                throw ReplicationError(
                    .unreadable,
                    known[device].flatMap { $0.problem?.message }
                        ?? "this device's log was replaced repeatedly")
            }
        }
    }

    private func append(
        _ rows: Log.Draft, as device: DeviceID
    ) throws -> AppendedRows<Log.Written> {
        typealias Head = LogHead<Log.Notes>
        let former = known[device]?.head
        var result: (written: Log.Written, others: Log.Batch, before: Head, head: Head)?
        var unconfirmed: ReplicationError?
        do {
            try localDatabase(device).write { db in
                guard case .rows(var others, var head) = try log.read(db, of: device, after: former)
                else { throw LogReplaced() }
                if let stop = head.stop { throw stop }
                let before = head
                let written = try log.append(rows, as: device, behind: &head, &others, to: db)
                result = (written, others, before, head)
            }
        } catch let error as ReplicationError where error.code == .unconfirmed {
            unconfirmed = error
        }
        guard let (written, others, before, head) = result else {
            throw unconfirmed
                ?? ReplicationError(.inputOutput, "the log of \(device) was not written")
        }
        note(head, of: device)
        if before.rowCount != former?.rowCount ?? 0 {
            send(
                .rows(
                    LogRows(
                        device: device, batch: others, head: before,
                        formerCount: former?.rowCount ?? 0, since: nil, isBehindWrite: true)))
        }
        refreshStatus(of: device)
        return AppendedRows(written: written, unconfirmed: unconfirmed)
    }

    private func note(_ head: LogHead<Log.Notes>, of device: DeviceID) {
        if known[device] == nil, let folder = try? package.device(device) {
            known[device] = Known(folder: folder)
        }
        if let folder = known[device]?.folder, !folder.has(log.kind) {
            known[device]?.folder = (try? folder.refreshed()) ?? folder
        }
        known[device]?.head = head
        known[device]?.problem = nil
        // Another process may have written after this one. The next reading checks the file.
        known[device]?.stamp = nil
    }

    /// Returns this device's file for operations other than appending. It is created if necessary,
    /// and opened on its first use.
    public func localDatabase(_ device: DeviceID) -> LocalDatabase {
        if let database { return database }
        var local = LocalDatabase.Options()
        local.idleTime = options.idleTime
        local.lockWait = options.lockWait
        local.scheduler = options.scheduler
        local.creationSQL = log.creationSQL
        let made = LocalDatabase(log.kind, of: device, in: package, options: local) {
            [log] db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
            if count == 0 { return try log.create(in: db, as: device) }
            try db.refuseTriggers()
            try log.check(db, as: device)
        }
        database = made
        return made
    }
}

extension LogFollower {
    /// Closes this device's file now. The next write reopens it.
    public func closeDatabase() {
        database?.close()
        database = nil
    }

    /// Whether this device's file is currently open.
    public var isDatabaseOpen: Bool { database?.isOpen ?? false }
}
