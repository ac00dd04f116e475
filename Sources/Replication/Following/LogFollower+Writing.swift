public import GRDB

/// A log that this device's rows are appended to.
public protocol WrittenLog: FollowedLog {
    /// Rows on their way to the log.
    associatedtype Draft
    /// What a store learns from writing them.
    associatedtype Written

    /// SQL for a file that is about to be created, before its first transaction.
    var creationSQL: String { get }

    /// Creates the schema in a new file.
    ///
    /// - Throws: ``LogReplaced`` where all must be read anew first, and what SQLite throws.
    func create(in db: Database, as device: DeviceID) throws

    /// Checks that a file that is there has the schema, and is this device's.
    ///
    /// - Throws: ``ReplicationError``, or ``LogReplaced``.
    func check(_ db: Database, as device: DeviceID) throws

    /// Appends rows behind the last one, in a transaction that is begun.
    ///
    /// - Parameters:
    ///   - head: The log as it is; to be brought up to what it is afterwards.
    ///   - others: Rows that another process of this device appended since the log was read; what
    ///     the store has to learn of them because of `rows` may be added.
    /// - Throws: ``LogReplaced`` where all must be read anew first. Nothing is written then.
    func append(
        _ rows: Draft, as device: DeviceID, behind head: inout LogHead<Notes>,
        _ others: inout Batch, to db: Database
    ) throws -> Written
}

extension WrittenLog {
    /// None.
    public var creationSQL: String { "" }
}

extension WrittenLog where Self: ConsecutiveLog {
    /// Checks what the file says of itself.
    public func check(_ db: Database, as device: DeviceID) throws {
        try LogIdentity.check(identity(in: db).device, isOf: device)
    }
}

/// Rows that are in this device's log.
public struct AppendedRows<Written> {
    /// What the store learns from writing them.
    public let written: Written
    /// Why the disk did not confirm the rows; `nil` if it did.
    public let unconfirmed: ReplicationError?

    /// Rows that are in the log, confirmed by the disk unless you give a reason.
    public init(written: Written, unconfirmed: ReplicationError? = nil) {
        self.written = written
        self.unconfirmed = unconfirmed
    }

    /// Throws ``unconfirmed``. Call this once the store has taken the rows in.
    public func requireConfirmation() throws(ReplicationError) {
        if let unconfirmed { throw unconfirmed }
    }
}

extension AppendedRows: Sendable where Written: Sendable {}

/// This device's log is not the one that was read: a file was restored or replaced. All must be read
/// anew before anything is written.
public struct LogReplaced: Error {
    /// That it was.
    public init() {}
}

extension LogFollower where Log: WrittenLog {
    /// Appends rows to this device's log in one transaction, which is on disk when this returns.
    ///
    /// What another process of this device appended meanwhile is read in the same transaction, and
    /// told as news before this returns. The file stays open for a while, so that a burst of writes
    /// opens it once.
    ///
    /// - Throws: ``ReplicationError``: `.busy` if another process keeps the log locked, `.incomplete`
    ///   where rows of it are missing, `.unreadable` where another log stands in its place that
    ///   cannot be read, `.noPermission` without a device to write as; and what the store's own
    ///   methods throw. Nothing is written then.
    /// - Returns: What was written, and whether the disk confirmed it. Rows that it did not confirm
    ///   are in the log: don't append them again.
    /// - Complexity: O(*n*) in the number of rows.
    public func append(_ rows: Log.Draft) throws -> AppendedRows<Log.Written> {
        guard let device else {
            throw ReplicationError(.noPermission, "there is no device to write as")
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
                        ?? "This device's log does not stay the same")
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
        // Another process may have written since; the next look at the file will tell.
        known[device]?.stamp = nil
    }

    /// This device's file, for what is not appending: it is made if need be, and opened when it is
    /// used.
    public func localDatabase(_ device: DeviceID) -> LocalDatabase {
        if let database { return database }
        var local = LocalDatabase.Options()
        local.idleTime = options.idleTime
        local.patience = options.patience
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
    /// Closes this device's file now; the next write opens it again.
    public func closeDatabase() {
        database?.close()
        database = nil
    }

    /// Whether this device's file is open at the moment.
    public var isDatabaseOpen: Bool { database?.isOpen ?? false }
}
