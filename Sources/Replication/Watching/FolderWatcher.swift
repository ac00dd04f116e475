import Foundation
import Glibc

/// Tells what changes in a package, as soon as it does.
///
/// Events come from the kernel (inotify), on a thread that sleeps when nothing happens. Where the
/// kernel has none to give (a network file system, no more watches), the package is looked through
/// from time to time instead, or as well.
///
/// The first event after a quiet time is told at once; those that follow within
/// ``Options/window`` are told together. A database is told when its writer has finished a
/// transaction, or after ``Options/patience``.
public final class FolderWatcher: Sendable {
    /// How fast and by what means changes are told.
    public struct Options: Sendable {
        /// The least time from one call of the handler to the next.
        public var window: Duration = .milliseconds(5)
        /// How long a change is kept back while the journal shows that the writer is in a
        /// transaction.
        public var patience: Duration = .milliseconds(50)
        /// How often to look where there are no events.
        public var pollInterval: Duration = .seconds(3)
        /// Whether to look from time to time even where there are events, and not to use them.
        public var polls = false
        /// How many folders to watch before looking from time to time as well.
        package var watchLimit = Int.max
        /// Whether events have a queue of their own: what is lost there is lost to nobody else.
        package var hasOwnQueue = false
        /// Files whose changes are not told.
        public var ignoredFiles: Set<DeviceFile> = []

        /// Told at once, then at most every 5 ms; looked for every 3 s where the kernel gives no
        /// events.
        public init() {}
    }

    private let signal: WakeUp
    /// Whether changes were to be found by looking from time to time when watching began.
    public let isPolling: Bool

    /// Begins to watch. What happens after this returns is told.
    ///
    /// - Parameter handler: Called on the watcher's own thread; the next changes wait, and are
    ///   gathered, until it returns.
    /// - Throws: ``ReplicationError`` if the package is gone.
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

    /// Ends watching. A call of the handler that has begun goes on; another does not follow.
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

    /// Wakes the thread, now or when it goes to sleep; it stays awake until ``rest()``.
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
