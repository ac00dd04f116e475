/// A watcher that reports changes in a package as soon as they happen.
///
/// Events come from the kernel (inotify). If events are unavailable or incomplete (network file
/// system, no watches left), the watcher also polls the package. While nothing happens, a watcher
/// needs no thread.
///
/// The first event after a quiet period is reported immediately. Further events within
/// ``Options/window`` are combined. A change of a database is reported when its writer has finished
/// a transaction, or after ``Options/patience``.
public final class PackageWatcher: Sendable {
    /// Timing options and event sources.
    public struct Options: Sendable {
        /// The minimum time between two calls of the handler.
        public var window: Duration = .milliseconds(5)
        /// The maximum time to hold back a change while the journal shows an open transaction.
        public var patience: Duration = .milliseconds(50)
        /// The polling interval if there are no events.
        public var pollInterval: Duration = .seconds(3)
        /// Whether to poll and ignore events, even if the kernel provides them.
        public var polls = false
        /// The maximum number of folders to watch. If there are more, the watcher polls as well.
        package var watchLimit = Int.max
        /// Whether to use a separate event queue, so that its overflow doesn't affect other
        /// watchers.
        package var hasOwnQueue = false
        /// Files whose changes are not reported.
        public var ignoredFiles: Set<DeviceFile> = []

        /// Creates options that report changes immediately, then at most every 5 ms, and poll every
        /// 3 s if the kernel provides no events.
        public init() {}
    }

    private let queue: WatchQueue
    /// Whether the watcher polled from the start.
    public let isPolling: Bool

    /// Starts watching. Every change made after this method returns is reported.
    ///
    /// - Parameter handler: Called on the watcher's own queue. Further changes are collected until
    ///   it returns.
    /// - Throws: ``ReplicationError`` if the package is missing.
    public init(
        _ package: StorePackage, options: Options = Options(),
        handler: @escaping @Sendable (PackageChange) -> Void
    ) throws(ReplicationError) {
        let turns = try PackageTurns(package, options, handler)
        isPolling = turns.isPolling
        queue = WatchQueue("tideline-watch", turns)
    }

    /// Stops watching. A running call of the handler finishes, and no further call follows.
    public func stop() { queue.stop() }
}
