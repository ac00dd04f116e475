import Foundation
public import GRDB

/// This device's own database file, which is opened on demand and closed after a period without
/// use.
///
/// The database is a single file: it uses a rollback journal in TRUNCATE mode, never a write-ahead
/// log (data rule 2). When ``write(_:)`` returns, the data is on disk (data rule 9). A process
/// killed at any time leaves a valid file with complete transactions only. Another process of this
/// device may write the same file; SQLite's locks order the transactions.
///
/// Calls from several threads are serialized, so `write` blocks. Call it on your own queue. Calling
/// a method inside the `body` of another call is a programming error.
///
/// `@unchecked`: `lock` protects `state`. A `Mutex` would require `body` to return sendable values.
public final class LocalDatabase: @unchecked Sendable {
    /// Options for opening, locking, and creating the file.
    public struct Options: Sendable {
        /// The time for which the file stays open after its last use.
        public var idleTime: Duration = .seconds(60)
        /// The maximum time to wait for another process's transaction.
        public var busyTimeout: Duration {
            get { lockWait.limit }
            set { lockWait = LockWait(newValue) }
        }
        /// The same limit as ``busyTimeout``, as an object that can shorten the limit during a
        /// wait.
        public var lockWait = LockWait(.seconds(5))
        /// SQL to run in a new file before its first transaction: the pragmas that are fixed from
        /// then on, such as `auto_vacuum`.
        public var creationSQL = ""
        /// The scheduler that closes the file after ``idleTime``. Tests pass one that they control.
        public var scheduler: Scheduler = .dispatch()

        /// Creates options that keep the file open for a minute after its last use and wait up to
        /// five seconds for another process's lock.
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
        var file: LocalFile?
        var lastUse: Duration = .zero
        var closing: Scheduler.Cancellation?
        /// The reason why the disk didn't confirm the creation of the file; `nil` if the disk
        /// confirmed it, or if a write has already reported the error.
        var unconfirmed: ReplicationError?
    }

    /// Creates the database at `path`, in an existing folder. The file is neither opened nor
    /// created yet.
    ///
    /// - Parameter prepare: Runs in its own transaction each time the file is opened: creates the
    ///   schema, checks `application_id` and `user_version`, migrates. The file may be new. The
    ///   call that opened the file throws the errors of `prepare`.
    public init(
        path: String, options: Options = Options(),
        prepare: @escaping @Sendable (Database) throws -> Void
    ) {
        place = .file(path)
        self.options = options
        self.prepare = prepare
    }

    /// Creates the database of this device in a package. The first write creates the device's
    /// folder. Nothing is opened or created yet.
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

    /// Whether the file is currently open.
    public var isOpen: Bool { lock.withLock { state.file != nil } }

    /// Returns the location of the file, which need not exist yet.
    ///
    /// - Throws: ``ReplicationError``, `.unsafePath` if a symbolic link is in the way.
    public func path() throws(ReplicationError) -> String {
        switch place {
        case .file(let path): path
        case .package(let package, let device, let kind):
            try package.device(device).path(of: kind)
        }
    }

    /// Runs `body` in one transaction, which is on disk when this method returns.
    ///
    /// Creates the file and this device's folder if necessary.
    ///
    /// - Throws: Errors of `body`, after rolling back. ``ReplicationError``: `.busy` if another
    ///   process held the lock, `.noPermission`, `.unsafePath`, `.unreadable` for a damaged file,
    ///   `.inputOutput` (disk full). After an error, nothing is written, and a file that couldn't
    ///   be prepared is deleted. `.unconfirmed` if the transaction is in the file, but the disk
    ///   didn't confirm it.
    public func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try lock.withLock {
            let value = try withFile { try $0.inTransaction(.immediate, body) }
            if let unconfirmed = state.unconfirmed {
                state.unconfirmed = nil
                throw unconfirmed
            }
            return value
        }
    }

    /// Runs `body` in one read transaction, or returns `nil` if there is no file yet.
    ///
    /// - Throws: As ``write(_:)``.
    public func read<Value>(_ body: (Database) throws -> Value) throws -> Value? {
        try lock.withLock {
            if let open = state.file, try !open.isInPlace() { closeUnlocked() }
            if state.file == nil, try FileStatus.ofLink(at: path()) == nil { return nil }
            return try withFile { try $0.inTransaction(.deferred, body) }
        }
    }

    /// Closes the file now. The next use reopens it.
    public func close() {
        lock.withLock { closeUnlocked() }
    }

    private func closeUnlocked() {
        state.closing?.cancel()
        state.closing = nil
        state.file?.close()
        state.file = nil
    }

    private func withFile<Value>(_ body: (LocalFile) throws -> Value) throws -> Value {
        // The file may have been replaced, or the package moved away. A write to the old file would
        // be lost.
        if let open = state.file, try !open.isInPlace() { closeUnlocked() }
        let file = try state.file ?? open()
        state.file = file
        defer {
            state.lastUse = options.scheduler.now()
            if state.closing == nil { scheduleClosing(after: options.idleTime) }
        }
        do {
            return try body(file)
        } catch let error as DatabaseError {
            // Errors about the file can't be recovered on the same connection.
            if error.isAboutFile { closeUnlocked() }
            throw error.explained(file.path)
        } catch let error as ReplicationError where error.code == .unconfirmed {
            closeUnlocked()
            throw error
        }
    }

    private func open() throws -> LocalFile {
        let path: String
        switch place {
        case .file(let file): path = file
        case .package(let package, let device, let kind):
            let folder = try package.makeDeviceFolder(device)
            try folder.checkIsDownloaded(kind)
            path = folder.path(of: kind)
        }
        do {
            return try open(path)
        } catch let error as ReplicationError where error.code == .unconfirmed {
            // The file exists and is prepared. The next write reports the error.
            state.unconfirmed = error
            return try open(path)
        }
    }

    private func open(_ path: String) throws -> LocalFile {
        var configuration = Configuration()
        configuration.label = "Tideline.local"
        configuration.busyMode = .callback { [lockWait = options.lockWait] tries in
            // If the file can't be locked at all, waiting doesn't help.
            (tries > 0 || !SharedDescriptors.lacksLocks(path))
                && lockWait.wait(after: tries, for: path)
        }
        let file = try LocalFile(
            path, configuration: configuration, creationSQL: options.creationSQL)
        do {
            try file.inTransaction(.immediate, prepare)
            try file.makeNameDurable()
        } catch {
            let failure: any Error = (error as? DatabaseError)?.explained(path) ?? error
            file.discard()
            file.close()
            throw failure
        }
        return file
    }

    private func scheduleClosing(after delay: Duration) {
        state.closing = options.scheduler.schedule(after: delay) { [weak self] in
            self?.closeIfIdle()
        }
    }

    private func closeIfIdle() {
        lock.withLock {
            state.closing = nil
            guard state.file != nil else { return }
            let left = state.lastUse + options.idleTime - options.scheduler.now()
            if left > .zero {
                scheduleClosing(after: left)
            } else {
                closeUnlocked()
            }
        }
    }
}
