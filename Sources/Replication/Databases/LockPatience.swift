import Glibc
import Synchronization

/// How long calls wait for a lock that other processes hold.
///
/// The limit is for a file in which nothing happens: while others write to it one after the other,
/// whose turn has not come yet waits on, up to twelve times as long.
///
/// The limit can be changed while somebody waits, and holds for that wait too: a program that is
/// asked to end makes it short.
public final class LockPatience: Sendable {
    private struct State {
        var limit: Duration
        /// By the path of the file.
        var waits: [String: Wait] = [:]
    }

    private struct Wait {
        let began: ContinuousClock.Instant
        /// Since when nothing happens.
        var since: ContinuousClock.Instant
        var seen: Trace?
    }

    /// What writing leaves on a file. It is looked at from outside: who opens and closes a file
    /// gives up all locks that the process has on it.
    private struct Trace: Hashable {
        let inode: UInt64
        let byteCount: Int64
        let seconds: Int
        let nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            inode = UInt64(status.st_ino)
            byteCount = Int64(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    private let state: Mutex<State>

    /// Waits of at most `limit` each.
    public init(_ limit: Duration) { state = Mutex(State(limit: limit)) }

    /// How long one wait may take, counted from its beginning, or from when somebody else wrote
    /// last. May be set from any thread.
    public var limit: Duration {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Makes the limit `limit` where it is longer, for somebody who wants to be done.
    public func shorten(to limit: Duration) {
        state.withLock { $0.limit = min($0.limit, limit) }
    }

    /// What SQLite asks each time it finds a lock: sleeps a while, unless the time is up.
    ///
    /// - Parameters:
    ///   - tries: How often it has asked during this wait.
    ///   - path: The file.
    /// - Returns: Whether to look again.
    func wait(
        after tries: Int, for path: String, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        let trace = Trace(path)
        let (wait, limit) = state.withLock { state in
            var wait = (tries == 0 ? nil : state.waits[path]) ?? Wait(began: now, since: now)
            if tries > 0, wait.seen != trace { wait.since = now }
            wait.seen = trace
            state.waits[path] = wait
            return (wait, state.limit)
        }
        guard now - wait.since < limit, now - wait.began < limit * 12 else { return false }
        // Who has waited for long asks more often: those that come later would always be before it.
        let isOld = now - wait.began > .seconds(1)
        usleep(tries < 5 ? 1_000 << UInt32(tries) : isOld ? 2_000 : 25_000)
        return true
    }
}
