import Foundation
public import GRDB

/// This device's own database file, opened when it is needed and closed after a while without use.
///
/// One file and no other: a rollback journal in TRUNCATE mode, never a write-ahead log (data rule
/// 2). What ``write(_:)`` returned from is on disk (data rule 9); a process killed at any instant
/// leaves a file that opens and holds whole transactions only. Another process of this device may
/// write the same file: SQLite's locks order them.
///
/// Calls from several threads take turns, so `write` blocks: call it on a queue of your own. Calling
/// one method from inside another's body is a programming error.
///
/// `@unchecked`: `lock` protects `state`. A `Mutex` would let only sendable values out of `body`.
public final class LocalDatabase: @unchecked Sendable {
    /// How the file is kept open, waited for and created.
    public struct Options: Sendable {
        /// How long the file stays open after its last use.
        public var idleTime: Duration = .seconds(60)
        /// How long to wait for another process's transaction.
        public var busyTimeout: Duration {
            get { patience.limit }
            set { patience = LockPatience(newValue) }
        }
        /// As ``busyTimeout``, for those who want to shorten it while somebody waits.
        public var patience = LockPatience(.seconds(5))
        /// SQL for a file that is about to be created, before its first transaction: the pragmas
        /// that are fixed from then on, such as `auto_vacuum`.
        public var creationSQL = ""
        /// Closes the file when ``idleTime`` is over; tests pass one that they move on.
        public var scheduler: Scheduler = .dispatch()

        /// A minute open after the last use, and up to five seconds for another process's lock.
        public init() {}
    }

    private let place: Place
    private let options: Options
    private let prepare: @Sendable (Database) throws -> Void
    private let lock = NSLock()
    private var state = State()

    private enum Place: Sendable {
        case file(String)
        case package(StorePackage, DeviceID, DatabaseKind)
    }

    private struct State {
        var connection: LocalConnection?
        var lastUse: Duration = .zero
        var closing: Scheduler.Cancellation?
        /// Why the disk did not confirm that the file was created; `nil` if it did, or once a write
        /// has reported it.
        var unconfirmed: ReplicationError?
    }

    /// The database at `path`, in a folder that is there. The file is neither opened nor created
    /// yet.
    ///
    /// - Parameter prepare: Run in a transaction of its own each time the file is opened: creates
    ///   the schema, checks `application_id` and `user_version`, migrates. The file may be new.
    ///   What it throws, the call that opened the file throws.
    public init(
        path: String, options: Options = Options(),
        prepare: @escaping @Sendable (Database) throws -> Void
    ) {
        place = .file(path)
        self.options = options
        self.prepare = prepare
    }

    /// The database of this device in a package; its folder is created by the first write.
    /// Nothing is opened or created yet.
    ///
    /// - Parameter prepare: As for ``init(path:options:prepare:)``.
    public init(
        _ kind: DatabaseKind, of device: DeviceID, in package: StorePackage,
        options: Options = Options(), prepare: @escaping @Sendable (Database) throws -> Void
    ) {
        place = .package(package, device, kind)
        self.options = options
        self.prepare = prepare
    }

    deinit { closeUnlocked() }

    /// Whether the file is open at the moment.
    public var isOpen: Bool { lock.withLock { state.connection != nil } }

    /// Where the file is, or would be created.
    ///
    /// - Throws: ``ReplicationError``, `.unsafePath` if a symbolic link stands in the way.
    public func path() throws(ReplicationError) -> String {
        switch place {
        case .file(let path): path
        case .package(let package, let device, let kind):
            try package.device(device).path(of: kind)
        }
    }

    /// Runs `body` in one transaction, which is on disk when this returns.
    ///
    /// Creates the file, and this device's folder, if need be.
    ///
    /// - Throws: What `body` threw, after rolling back; ``ReplicationError``: `.busy` if another
    ///   process kept the file locked, `.noPermission`, `.unsafePath`, `.unreadable` for a damaged
    ///   file, `.inputOutput` (disk full); nothing was written then. `.unconfirmed` after a
    ///   transaction that is in the file, though the disk did not confirm it.
    public func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try lock.withLock {
            let value = try withConnection { try $0.inTransaction(.immediate, body) }
            if let unconfirmed = state.unconfirmed {
                state.unconfirmed = nil
                throw unconfirmed
            }
            return value
        }
    }

    /// Runs `body` in one read transaction, or returns `nil` where there is no file yet.
    ///
    /// - Throws: As ``write(_:)``.
    public func read<Value>(_ body: (Database) throws -> Value) throws -> Value? {
        try lock.withLock {
            if let open = state.connection, try !open.isInPlace() { closeUnlocked() }
            if state.connection == nil, try FileStatus.ofLink(at: path()) == nil { return nil }
            return try withConnection { try $0.inTransaction(.deferred, body) }
        }
    }

    /// Closes the file now. The next use opens it again.
    public func close() {
        lock.withLock { closeUnlocked() }
    }

    private func closeUnlocked() {
        state.closing?.cancel()
        state.closing = nil
        state.connection?.close()
        state.connection = nil
    }

    private func withConnection<Value>(
        _ body: (LocalConnection) throws -> Value
    ) throws -> Value {
        // Somebody may have put another file in its place, or taken the package away. What would be
        // written to the old one now, nobody would ever see.
        if let open = state.connection, try !open.isInPlace() { closeUnlocked() }
        let connection: LocalConnection
        if let open = state.connection {
            connection = open
        } else {
            connection = try open()
            state.connection = connection
        }
        defer {
            state.lastUse = options.scheduler.now()
            if state.closing == nil { scheduleClosing(after: options.idleTime) }
        }
        do {
            return try body(connection)
        } catch let error as DatabaseError {
            // What SQLite reports about the file does not heal on the same connection.
            if error.isAboutFile { closeUnlocked() }
            throw error.explained(connection.path)
        } catch let error as ReplicationError where error.code == .unconfirmed {
            closeUnlocked()
            throw error
        }
    }

    private func open() throws -> LocalConnection {
        let path: String
        switch place {
        case .file(let file): path = file
        case .package(let package, let device, let kind):
            path = try package.makeDeviceFolder(device).path(of: kind)
        }
        do {
            return try open(path)
        } catch let error as ReplicationError where error.code == .unconfirmed {
            // The file is there and prepared: the write that follows reports it.
            state.unconfirmed = error
            return try open(path)
        }
    }

    private func open(_ path: String) throws -> LocalConnection {
        let connection = try LocalConnection(path, options)
        do {
            try connection.inTransaction(.immediate, prepare)
            try connection.makeNameDurable()
        } catch {
            connection.close()
            throw (error as? DatabaseError)?.explained(path) ?? error
        }
        return connection
    }

    private func scheduleClosing(after delay: Duration) {
        state.closing = options.scheduler.schedule(after: delay) { [weak self] in
            self?.closeIfIdle()
        }
    }

    private func closeIfIdle() {
        lock.withLock {
            state.closing = nil
            guard state.connection != nil else { return }
            let left = state.lastUse + options.idleTime - options.scheduler.now()
            if left > .zero {
                scheduleClosing(after: left)
            } else {
                closeUnlocked()
            }
        }
    }
}
