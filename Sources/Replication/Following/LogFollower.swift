public import Dispatch
import Foundation
import Synchronization

/// Keeps a store up with the logs of all devices in a package, and appends to this device's.
///
/// It watches the package, looks at what changed, reads the rows that came since, checks that none
/// is missing and that the file stood still, looks again at what is half there, and tells how each
/// device stands. What the rows mean is the store's business: it gets them in batches
/// (``LogNews``) and merges them.
///
/// `@unchecked`: everything that changes is touched on ``queue`` only. Methods without a word on
/// it are called there, by ``onQueue(_:)`` or in answer to news.
public final class LogFollower<Log: FollowedLog>: @unchecked Sendable {
    /// How a follower behaves in time.
    public struct Options: Sendable {
        /// Whether changes of the package are looked for by themselves. Without, call ``sync()``.
        public var watches = true
        /// A log that is half there is looked at again after so long …
        public var firstPause: Duration = .milliseconds(500)
        /// … and then after pauses that double, up to this.
        public var longestPause: Duration = .seconds(60)
        /// This device's file is closed when it was not used for this long.
        public var idleTime: Duration = .seconds(60)
        /// How long a write waits for a lock that another process holds on this device's file.
        public var patience = LockPatience(.seconds(5))
        /// Tells which times lie too far ahead.
        public var clock = HybridClock()
        /// Runs what is to happen later; tests pass one that waits for them.
        public var scheduler: Scheduler = .dispatch()

        /// What a program with a person before it needs.
        public init() {}
    }

    /// One device's log as it was last found.
    struct Known {
        var folder: DeviceFolder
        var head: LogHead<Log.Notes>?
        /// The state of the file that was read; `nil` makes the next look read again.
        var stamp: FileStamp?
        var byteCount: Int64 = 0
        /// Why the file could not be read when it was last looked at.
        var problem: ReplicationError?
        /// How often it was looked at again in vain.
        var failures = 0
        var retry: Scheduler.Cancellation?
        /// Whether the store asked for another look.
        var isWanted = false

        init(folder: DeviceFolder) { self.folder = folder }
    }

    /// The package that is followed.
    public let package: StorePackage
    /// The device that is written as; `nil` where nothing is written.
    public let device: DeviceID?
    /// How rows are read.
    public let log: Log
    /// The serial queue on which files are read and written, and news is told.
    public let queue: DispatchQueue
    let options: Options

    var known: [DeviceID: Known] = [:]
    /// The statuses as the store has them, and as they were when it was to tell of them.
    var statusesSent: [DeviceID: DeviceStatus] = [:]
    var told: [DeviceID: DeviceStatus] = [:]
    var subscription: PackageWatch.Subscription?
    var database: LocalDatabase?
    /// Whether logs were read and are followed.
    public private(set) var isFollowing = false
    /// Whether the package went from its place, and is not back.
    public internal(set) var isDeleted = false
    private let receiver = Mutex<(@Sendable (LogNews<Log>) -> Void)?>(nil)
    private let key = DispatchSpecificKey<Bool>()

    /// A follower of a package's logs of one kind. Nothing is read before ``load()``.
    ///
    /// - Parameter device: Who writes; `nil` for a store that only reads.
    public init(
        _ package: StorePackage, device: DeviceID?, log: Log, options: Options = Options()
    ) {
        self.package = package
        self.device = device
        self.log = log
        self.options = options
        queue = DispatchQueue(label: "Tideline.\(log.kind.rawValue)", qos: .userInitiated)
        queue.setSpecific(key: key, value: true)
    }

    /// Says who takes the news, on ``queue``; before ``load()``. May be called on any thread.
    public func onNews(_ receive: @escaping @Sendable (LogNews<Log>) -> Void) {
        receiver.withLock { $0 = receive }
    }

    func send(_ news: LogNews<Log>) {
        let receive = receiver.withLock { $0 }
        receive?(news)
    }

    /// Runs `body` on ``queue`` and waits for it; at once where that is the current one. May be
    /// called on any thread.
    ///
    /// - Throws: What `body` throws.
    public func onQueue<Result>(_ body: () throws -> Result) rethrows -> Result {
        if DispatchQueue.getSpecific(key: key) == true { return try body() }
        return try queue.sync(execute: body)
    }

    /// Runs `body` on ``queue`` without keeping a thread waiting. May be called from any task.
    ///
    /// - Throws: What `body` throws.
    public func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    // MARK: Beginning and ending

    /// Reads all logs, for the first time or anew, and follows them from then on.
    ///
    /// A log that cannot be read does not keep the others from being read: its status tells why.
    ///
    /// - Throws: ``ReplicationError`` if the package, or this device's folder in it, is not what it
    ///   should be.
    /// - Complexity: What ``FollowedLog/readAll(_:)`` takes.
    public func load() throws {
        if options.watches, subscription == nil {
            subscription = try PackageWatch.subscribe(to: package) { [weak self] change in
                guard let self else { return }
                queue.async { self.apply(change) }
            }
        }
        if try readAll() != nil {
            // Some log stands in the way of reading all anew: what is there is looked at.
            try sync()
        }
    }

    /// Ends watching, closes this device's file and forgets what was read. ``load()`` begins anew.
    public func close() {
        subscription?.cancel()
        subscription = nil
        closeDatabase()
        for log in known.values { log.retry?.cancel() }
        (known, statusesSent, told) = ([:], [:], [:])
        (isFollowing, isDeleted) = (false, false)
    }

    /// Reads all logs anew.
    ///
    /// - Parameter replaced: A device whose log is another now.
    /// - Returns: The device of which rows are known and no log can be read now, where that keeps
    ///   the others from being read anew.
    func readAll(because replaced: DeviceID? = nil) throws -> DeviceID? {
        var folders = try package.devices()
        if let device, !folders.contains(where: { $0.id == device }) {
            folders.append(try package.device(device))
        }
        // A folder that has gone may come back: what was read of it stays too.
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
            // What a damaged file no longer shows was read all the same (data rule 4).
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
            // What was known of a log that was replaced and cannot be read goes with the rest.
            for device in kept { fresh[device]?.head = nil }
            kept = []
        }
        closeDatabase()
        for log in known.values { log.retry?.cancel() }
        known = fresh
        isFollowing = true
        let statuses = statuses
        for status in statuses {
            (statusesSent[status.device], told[status.device]) = (status, status)
        }
        send(.loaded(load.whole, kept: kept, statuses))
        for (device, log) in known where log.mustBeLookedAtAgain { scheduleRetry(device) }
        return nil
    }

    /// A device of which rows are known and fewer could be read now.
    private func missing(
        in fresh: [DeviceID: Known], _ kept: Set<DeviceID>, besides replaced: DeviceID?
    ) -> DeviceID? {
        known.filter { device, log in
            guard device != replaced, let head = log.head else { return false }
            return kept.contains(device)
                || fresh[device]?.head.map { $0.cursor.lastID < head.cursor.lastID } ?? true
        }.keys.min()
    }

    /// Makes the next reading of a device's log begin anew: the store could not keep its rows.
    public func forget(_ device: DeviceID) {
        known[device]?.head = nil
        known[device]?.stamp = nil
    }

    /// The logs of which rows are known, in byte order of devices.
    public var logs: [(folder: DeviceFolder, head: LogHead<Log.Notes>)] {
        known.values.compactMap { log in log.head.map { (log.folder, $0) } }
            .sorted { $0.folder.id < $1.folder.id }
    }

    /// Why a device's log could not be read when it was last looked at.
    public func problem(of device: DeviceID) -> ReplicationError? { known[device]?.problem }

    /// Has a device's log read again after a pause, because the store needs more of it than could be
    /// read now.
    public func lookAgain(at device: DeviceID) {
        known[device]?.stamp = nil
        known[device]?.isWanted = true
        scheduleRetry(device)
    }

    /// What was read of a device's log.
    public func head(of device: DeviceID) -> LogHead<Log.Notes>? { known[device]?.head }
}

extension LogFollower.Known {
    /// Whether another look may show something else, though no event tells of it.
    var mustBeLookedAtAgain: Bool {
        isWanted || (problem?.mayHeal ?? (head?.stop?.mayHeal == true))
    }
}
