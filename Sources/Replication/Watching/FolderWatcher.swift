import Foundation
import Glibc

/// Reports changes in a package as soon as they happen.
///
/// Events come from the kernel (inotify), on a thread that sleeps while nothing happens. If events
/// aren't available or incomplete (network file system, no watches left), the watcher polls the
/// package, too.
///
/// The first event after a quiet period is reported immediately. Further events within
/// ``Options/window`` are combined. A change of a database is reported when its writer has finished
/// a transaction, or after ``Options/patience``.
public final class FolderWatcher: Sendable {
    /// Timing options and event sources.
    public struct Options: Sendable {
        /// The minimum time between two calls of the handler.
        public var window: Duration = .milliseconds(5)
        /// The maximum time to hold back a change while the journal shows an open transaction.
        public var patience: Duration = .milliseconds(50)
        /// The polling interval if there are no events.
        public var pollInterval: Duration = .seconds(3)
        /// Whether to poll even if there are events, and to ignore those.
        public var polls = false
        /// The number of folders to watch before polling as well.
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

    private let signal: WakeUp
    /// Whether the watcher polled when it started.
    public let isPolling: Bool

    /// Starts watching. All changes after this returns are reported.
    ///
    /// - Parameter handler: Called on the watcher's own thread. Further changes are collected until
    ///   it returns.
    /// - Throws: ``ReplicationError`` if the package is missing.
    public init(
        _ package: StorePackage, options: Options = Options(),
        handler: @escaping @Sendable (PackageChange) -> Void
    ) throws(ReplicationError) {
        let signal = try WakeUp()
        let loop = try WatchLoop(package, options, signal, handler)
        self.signal = signal
        isPolling = loop.isPolling
        let thread = Thread { loop.run() }
        thread.name = "tideline-watch"
        thread.stackSize = 1 << 20
        thread.start()
    }

    deinit { stop() }

    /// Stops watching. A running call of the handler finishes, and no further call follows.
    public func stop() { signal.send() }
}

/// A pipe that wakes a thread that sleeps in `poll`.
final class WakeUp: Sendable {
    private let reading: Int32
    private let writing: Int32

    init() throws(ReplicationError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ReplicationError(system: errno, "open", "a pipe") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    var descriptor: Int32 { reading }

    /// Wakes the thread, now or as soon as it sleeps. It stays awake until ``rest()``.
    func send() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Lets the thread sleep again.
    func rest() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        while read(reading, &bytes, bytes.count) == bytes.count {}
    }
}
