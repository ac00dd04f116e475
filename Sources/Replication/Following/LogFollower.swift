public import Dispatch
import Foundation
import Synchronization

/// An object that keeps a store up to date with the logs of all devices in a package, and appends
/// to this device's log.
///
/// A follower watches the package and reads new rows of changed logs. It checks that no row is
/// missing and that the file didn't change during the read. It retries incomplete files and reports
/// the status of each device. It passes rows to the store in batches (``LogEvent``); the store
/// interprets and merges them.
///
/// `@unchecked`: mutable state is only accessed on ``queue``. Unless noted, call methods on
/// ``queue``: through ``onQueue(_:)`` or while handling events.
public final class LogFollower<Log: FollowedLog>: @unchecked Sendable {
    /// Timing and watching options of a follower.
    public struct Options: Sendable {
        /// Whether to watch the package for changes. Otherwise, call ``sync()``.
        public var watches = true
        /// The delay before an incomplete log is read again.
        public var firstPause: Duration = .milliseconds(500)
        /// The maximum delay. Each failed attempt doubles the delay, up to this maximum.
        public var longestPause: Duration = .seconds(60)
        /// The time for which this device's file stays open after its last use.
        public var idleTime: Duration = .seconds(60)
        /// The maximum time that a write waits for another process's lock on this device's file.
        public var lockWait = LockWait(.seconds(5))
        /// The clock that detects times too far ahead.
        public var clock = HybridClock()
        /// The scheduler for delayed work. Tests pass one that they control.
        public var scheduler: Scheduler = .dispatch()

        /// Creates the defaults for interactive programs.
        public init() {}
    }

    /// The last known state of one device's log.
    struct Known {
        var folder: DeviceFolder
        var head: LogHead<Log.Notes>?
        /// The state of the file that was read; `nil` forces the next check to read it.
        var stamp: FileStamp?
        var byteCount: Int64 = 0
        /// The error of the last attempt to read the file, if it failed.
        var problem: ReplicationError?
        /// The number of failed retries.
        var failures = 0
        var retry: Scheduler.Cancellation?
        /// Whether the store requested another reading.
        var isWanted = false
    }

    /// The package to follow.
    public let package: StorePackage
    /// The device that writes; `nil` for a follower that only reads.
    public let device: DeviceID?
    /// The rules for reading rows.
    public let log: Log
    /// The serial queue that reads and writes files and reports events.
    public let queue: DispatchQueue
    let options: Options

    var known: [DeviceID: Known] = [:]
    /// The last status that the store received for each device, and the last notable one.
    var statusesSent: [DeviceID: DeviceStatus] = [:]
    var reported: [DeviceID: DeviceStatus] = [:]
    var subscription: SharedPackageWatcher.Subscription?
    var database: LocalDatabase?
    /// The registration that prevents this process from deleting the logs.
    private var openLog: LogRegistration?
    /// Whether logs were read and are followed.
    public private(set) var isFollowing = false
    /// Whether the package was deleted or moved away and is still missing.
    public internal(set) var isDeleted = false
    private let receiver = Mutex<(@Sendable (LogEvent<Log>) -> Void)?>(nil)
    private let key = DispatchSpecificKey<Bool>()

    /// Creates a follower of a package's logs of one kind. Nothing is read before ``load()``.
    public init(
        _ package: StorePackage, device: DeviceID?, log: Log, options: Options = Options()
    ) {
        self.package = package
        self.device = device
        self.log = log
        self.options = options
        queue = DispatchQueue(label: "Tideline.\(log.kind.fileName)", qos: .userInitiated)
        queue.setSpecific(key: key, value: true)
    }

    /// Sets the receiver of events, which is called on ``queue``. Call this before ``load()``, on
    /// any thread.
    public func onEvent(_ receive: @escaping @Sendable (LogEvent<Log>) -> Void) {
        receiver.withLock { $0 = receive }
    }

    func send(_ event: LogEvent<Log>) {
        let receive = receiver.withLock { $0 }
        receive?(event)
    }

    /// Runs `body` synchronously on ``queue``, or directly if the caller is on it. Can be called on
    /// any thread.
    ///
    /// - Throws: Errors of `body`.
    public func onQueue<Result>(_ body: () throws -> Result) rethrows -> Result {
        if DispatchQueue.getSpecific(key: key) == true { return try body() }
        return try queue.sync(execute: body)
    }

    /// Runs `body` on ``queue`` without blocking a thread. Can be called from any task.
    ///
    /// - Throws: Errors of `body`.
    public func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await queue.run(body)
    }

    // MARK: Loading and closing

    /// Reads all logs, for the first time or again, and follows them from then on.
    ///
    /// A log that can't be read doesn't affect the others; its status has the reason.
    ///
    /// - Throws: ``ReplicationError`` if the package, or this device's folder in it, is invalid.
    /// - Complexity: As ``FollowedLog/readAll(_:)``.
    public func load() throws {
        if options.watches, subscription == nil {
            subscription = try SharedPackageWatcher.subscribe(to: package) { [weak self] change in
                guard let self else { return }
                queue.async { self.apply(change) }
            }
        }
        if try readAll() != nil {
            // Known rows of a log can't be read again, so nothing was replaced. Check each known
            // log instead.
            try sync()
        }
    }

    /// Stops watching, closes this device's file, and discards the rows. ``load()`` starts again.
    public func close() {
        subscription?.cancel()
        subscription = nil
        closeDatabase()
        openLog = nil
        for log in known.values { log.retry?.cancel() }
        (known, statusesSent, reported) = ([:], [:], [:])
        (isFollowing, isDeleted) = (false, false)
    }

    /// Reads all logs again, and replaces the known rows.
    ///
    /// - Parameter replaced: A device whose log was replaced.
    /// - Returns: `nil` if the known rows were replaced. Otherwise, a device whose known rows can't
    ///   all be read again, in which case nothing changes.
    func readAll(because replaced: DeviceID? = nil) throws -> DeviceID? {
        var folders = try package.devices()
        if let device, !folders.contains(where: { $0.id == device }) {
            folders.append(try package.device(device))
        }
        // A deleted folder may come back, so the known rows of its log are also kept.
        let present = Set(folders.map(\.id))
        folders += known.values.filter { $0.head != nil && !present.contains($0.folder.id) }
            .compactMap { try? $0.folder.refreshed() }
        let load = log.readAll(folders)
        var fresh: [DeviceID: Known] = [:]
        var kept: Set<DeviceID> = []
        for folder in folders {
            var now = Known(folder: folder)
            let former = known[folder.id]
            switch load.logs[folder.id] {
            case .success(let found)?:
                (now.head, now.stamp) = (found.head, found.stamp)
                now.byteCount = found.stamp.byteCount
            case .failure(let problem)?: now.problem = problem
            case nil: now.problem = Self.absence(of: folder, wasThere: former?.head != nil)
            }
            // Rows that can no longer be read because of damage stay known (data rule 4).
            if let head = now.head, let stop = head.stop,
                let known = former?.head?.cursor, known.identity == head.cursor.identity,
                known.lastID > head.cursor.lastID
            {
                (now.head, now.stamp, now.problem) = (nil, nil, stop)
            }
            if now.head == nil, let former, former.head != nil {
                (now.head, now.byteCount) = (former.head, former.byteCount)
                if let problem = now.problem, problem.code != .notFound { now.head?.stop = problem }
                kept.insert(folder.id)
            }
            fresh[folder.id] = now
        }
        if !log.keepsRows {
            if let missing = missing(in: fresh, kept, besides: replaced) { return missing }
            // The rows of all logs are discarded, also the rows of a replaced log whose new file
            // can't be read.
            for device in kept { fresh[device]?.head = nil }
            kept = []
        }
        closeDatabase()
        for log in known.values { log.retry?.cancel() }
        known = fresh
        isFollowing = true
        openLog = openLog ?? LogRegistration(log.kind, in: package)
        let statuses = statuses
        for status in statuses {
            (statusesSent[status.device], reported[status.device]) = (status, status)
        }
        send(.loaded(load.whole, kept: kept, statuses))
        for (device, log) in known where log.mustBeLookedAtAgain { scheduleRetry(device) }
        return nil
    }

    /// Returns a device whose log has fewer readable rows now than were read before.
    private func missing(
        in fresh: [DeviceID: Known], _ kept: Set<DeviceID>, besides replaced: DeviceID?
    ) -> DeviceID? {
        known.filter { device, log in
            guard device != replaced, let head = log.head else { return false }
            return kept.contains(device)
                || fresh[device]?.head.map { $0.cursor.lastID < head.cursor.lastID } ?? true
        }.keys.min()
    }

    /// Makes the next reading of a device's log start over. Call this if the store could not keep
    /// the log's rows.
    public func forget(_ device: DeviceID) {
        known[device]?.head = nil
        known[device]?.stamp = nil
    }

    /// The logs with known rows, in byte order of devices.
    public var logs: [(folder: DeviceFolder, head: LogHead<Log.Notes>)] {
        known.values.compactMap { log in log.head.map { (log.folder, $0) } }
            .sorted { $0.folder.id < $1.folder.id }
    }

    /// Returns the error of the last attempt to read a device's log, if it failed.
    public func problem(of device: DeviceID) -> ReplicationError? { known[device]?.problem }

    /// Schedules another reading of a device's log. Call this if the store needs rows that could
    /// not be read.
    public func reread(at device: DeviceID) {
        known[device]?.stamp = nil
        known[device]?.isWanted = true
        scheduleRetry(device)
    }

    /// Returns the state of a device's log after the last reading.
    public func head(of device: DeviceID) -> LogHead<Log.Notes>? { known[device]?.head }
}

extension LogFollower.Known {
    /// Whether the log has to be read again without an event.
    var mustBeLookedAtAgain: Bool {
        isWanted || (problem?.isTransient ?? (head?.stop?.isTransient == true))
    }
}
