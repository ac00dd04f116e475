import Dispatch
import Foundation
import GRDB
import Glibc
import Replication

/// One file of a database: its connection, and the queue for asynchronous work.
///
/// Only one thread at a time uses the file. A call inside a transaction of the same thread joins
/// that transaction.
final class DatabaseFile: @unchecked Sendable {
    let path: String
    let name: String?
    let queue: DispatchQueue
    private let configuration: GRDB.Configuration
    /// Held while the connection is used. Protects the properties below.
    private let lock = Lock()
    private var connection: DatabaseQueue?
    private var database: Database?
    private var session: WriteSession?
    private var isClosed = false
    private var dataVersion: Int64?
    private let closeDelay: DispatchTimeInterval?
    private var lastUse = DispatchTime.now()
    private var isClosingScheduled = false
    /// The state of the file at the time when the idle connection was closed.
    private var idleStamp: IdleStamp?
    /// The thread that holds the lock.
    private let owner = Locked<pthread_t?>(nil)
    /// The number of observed commits of other processes.
    private let foreign = Locked<UInt32>(1)
    private let isSecondLookScheduled = Locked(false)
    /// The value of `foreign` when subscribers were last notified.
    private let notified = Locked<UInt32>(1)

    /// - Parameter closeDelay: The time after which an idle file is closed; `nil` for never.
    init(path: String, name: String?, busyTimeout: TimeInterval, closeDelay: Duration? = nil) {
        // The content of a database in memory is lost when the database is closed.
        self.closeDelay =
            path == ":memory:"
            ? nil : closeDelay.map { .milliseconds(Int($0 / .milliseconds(1))) }
        self.path = path
        self.name = name
        queue = DispatchQueue(label: "AutoModel.\(name ?? "main")", qos: .userInitiated)
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        }
        self.configuration = configuration
    }

    /// The number of observed commits of other processes. Objects that were read when the number
    /// was lower may be out of date.
    var generation: UInt32 { foreign.withLock { $0 } }

    /// Records that rows may have changed, and that the objects in memory weren't updated.
    func noteForeign() { foreign.withLock { $0 &+= 1 } }

    /// Closes the connection. Everything that needs the file throws until ``open()``.
    func close() throws {
        try alone {
            isClosed = true
            dataVersion = nil
            idleStamp = nil
            try connection?.close()
            connection = nil
        }
    }

    /// Opens the connection.
    ///
    /// - Returns: Whether the file had been closed with ``close()``.
    func open() throws -> Bool {
        try alone {
            let wasClosed = isClosed
            isClosed = false
            _ = try connected()
            // Other processes may have committed while the file was closed.
            if wasClosed { foreign.withLock { $0 &+= 1 } }
            return wasClosed
        }
    }

    /// Reads in one transaction, so that all results are consistent.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        if let database = current { return try body(database) }
        return try alone {
            try use { db in
                var result: Result?
                try db.inTransaction(.deferred) {
                    try noticeOthers(db)
                    result = try body(db)
                    return .commit
                }
                return result!
            }
        }
    }

    /// Writes in one transaction. Inside a transaction of this thread, uses a savepoint instead. If
    /// `body` throws, only the savepoint is rolled back.
    func write<Result>(_ body: (WriteSession) throws -> Result) throws -> Result {
        if let session = currentSession { return try session.attempt { try body(session) } }
        if current != nil {
            throw AutoModelError(
                .sql, "\(path): 'read' can't write; 'write' can also read")
        }
        var ended: WriteSession?
        defer { ended?.runAfter() }
        return try alone {
            try use { db in
                let session = WriteSession(file: self, db: db)
                self.session = session
                defer { self.session = nil }
                var result: Result?
                do {
                    try db.inTransaction(.immediate) {
                        try noticeOthers(db)
                        result = try body(session)
                        return .commit
                    }
                    session.ended(true)
                    ended = session
                    return result!
                } catch let error as DatabaseError
                    where result != nil && error.explanation.code == .inputOutput
                {
                    session.ended(false)
                    try removeFailedCommit(db, error)
                    throw error
                } catch {
                    session.ended(false)
                    throw error
                }
            }
        }
    }

    /// Overwrites a transaction that the write-ahead log may contain although its commit failed.
    ///
    /// If only the flush failed, the log has the whole transaction, and the next process to open
    /// the file after a crash would replay this transaction.
    ///
    /// - Throws: ``AutoModelError``, `.unconfirmed`, if the transaction may still be replayed.
    private func removeFailedCommit(_ db: Database, _ failure: DatabaseError) throws {
        do {
            // Setting the same value still writes a page, which replaces the first page of the
            // failed transaction in the log.
            let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.inTransaction(.immediate) {
                try db.execute(sql: "PRAGMA user_version = \(version)")
                return .commit
            }
        } catch {
            throw AutoModelError(
                .unconfirmed,
                "\(path): perhaps written, but the disk did not confirm it: "
                    + failure.explanation.reason,
                cause: failure)
        }
    }

    /// Uses the connection outside a transaction, as migrations need.
    func withConnection<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try alone { try use(body) }
    }

    /// Runs `body` on the file's queue.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await queue.run(body)
    }

    /// Returns whether other processes have committed since the last call, in O(1).
    func lookForOthers() throws -> Bool {
        // Closing an idle database file changes the files next to it. This change must not reopen
        // the database.
        let isUnchanged = alone { idleStamp.map { $0 == IdleStamp(path) } ?? false }
        if !isUnchanged { try read { _ in } }
        let now = generation
        return notified.exchange(now) != now
    }

    /// Marks a second look at the file as scheduled.
    ///
    /// - Returns: Whether no second look was scheduled before.
    func scheduleSecondLook() -> Bool {
        !isSecondLookScheduled.exchange(true)
    }
    func endSecondLook() { isSecondLookScheduled.withLock { $0 = false } }

    /// The connection, if this thread holds it.
    private var current: Database? {
        let mine = owner.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        return mine ? database : nil
    }

    /// The write transaction of this thread, if any.
    var currentSession: WriteSession? { current == nil ? nil : session }

    private func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        owner.withLock { $0 = pthread_self() }
        defer {
            owner.withLock { $0 = nil }
            lock.unlock()
        }
        return try body()
    }

    private func use<Result>(_ body: (Database) throws -> Result) throws -> Result {
        guard !isClosed else {
            throw AutoModelError(
                .closed, "\(path): the file was released; call 'resume' to use it again")
        }
        do {
            defer {
                lastUse = .now()
                if let closeDelay { scheduleClosing(after: closeDelay) }
            }
            return try connected().writeWithoutTransaction { db in
                database = db
                defer { database = nil }
                return try body(db)
            }
        } catch let error as DatabaseError {
            throw error.asAutoModelError(path)
        }
    }

    /// The caller holds the lock.
    private func scheduleClosing(after delay: DispatchTimeInterval) {
        guard !isClosingScheduled else { return }
        isClosingScheduled = true
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.alone { self?.closeIfIdle() }
        }
    }

    private func closeIfIdle() {
        isClosingScheduled = false
        guard let closeDelay, let connection else { return }
        let (now, end) = (DispatchTime.now(), lastUse + closeDelay)
        guard end <= now else {
            let left = end.uptimeNanoseconds - now.uptimeNanoseconds
            return scheduleClosing(after: .nanoseconds(Int(left)))
        }
        // A connection that can't be closed now stays open.
        guard (try? connection.close()) != nil else { return }
        self.connection = nil
        dataVersion = nil
        idleStamp = IdleStamp(path)
    }

    private func connected() throws -> DatabaseQueue {
        if let connection { return connection }
        do {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            let opened = try DatabaseQueue(path: path, configuration: configuration)
            connection = opened
            return opened
        } catch let error as DatabaseError {
            throw error.asAutoModelError(path)
        } catch let error as CocoaError {
            throw AutoModelError(
                .noPermission, "\(path): the folder can't be created", cause: error)
        }
    }

    /// Records a commit of another connection, which changes SQLite's data version.
    private func noticeOthers(_ db: Database) throws {
        let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
        if let dataVersion, version != dataVersion { foreign.withLock { $0 &+= 1 } }
        dataVersion = version
        guard let idleStamp else { return }
        // Compare the stamp after reading the version, so that no commit between the two is missed.
        if idleStamp != IdleStamp(path) { foreign.withLock { $0 &+= 1 } }
        self.idleStamp = nil
    }
}

/// The state of a closed file and its write-ahead log. Each commit changes this state.
private struct IdleStamp: Equatable {
    private let file: FileTrace?
    private let log: FileTrace?

    init(_ path: String) {
        file = Self.trace(path)
        log = Self.trace("\(path)-wal")
    }

    /// Returns the trace of a file; `nil` if the file is missing or empty. An empty log counts as
    /// missing, because opening a database creates one.
    private static func trace(_ path: String) -> FileTrace? {
        FileTrace(path).flatMap { $0.byteCount > 0 ? $0 : nil }
    }
}

extension DatabaseError {
    /// Returns the failure as an error that names the file.
    func asAutoModelError(_ path: String) -> AutoModelError {
        let (code, reason) = explanation
        return AutoModelError(code, "\(path): \(reason)", cause: self)
    }

    var explanation: (code: AutoModelError.Code, reason: String) {
        let reason = message ?? "\(resultCode)"
        switch resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return (.busy, "another process keeps the file locked; try again later")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return (.unreadable, "the file is damaged or not a database (\(reason))")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN:
            return (.noPermission, "the file can't be opened for writing (\(reason))")
        case .SQLITE_IOERR, .SQLITE_FULL: return (.inputOutput, reason)
        case .SQLITE_CONSTRAINT
        where [
            .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID,
        ].contains(extendedResultCode):
            return (.notUnique, "another row has the same value (\(reason))")
        default: return (.sql, reason)
        }
    }
}
