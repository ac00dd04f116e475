import Glibc
import Synchronization

/// The maximum time that calls wait for a lock that other processes hold.
///
/// The limit applies while the file doesn't change. If other processes keep writing to it in turn,
/// a call waits longer, up to twelve times the limit.
///
/// Changing the limit also affects calls that are already waiting. A program that is asked to quit
/// shortens it.
public final class LockWait: Sendable {
    private struct State {
        var limit: Duration
        /// The waits by the path of the file.
        var waits: [String: Wait] = [:]
    }

    private struct Wait {
        let began: ContinuousClock.Instant
        /// The time of the last change.
        var since: ContinuousClock.Instant
        var seen: FileTrace?
    }

    private let state: Mutex<State>

    /// Creates an instance with a limit for each wait.
    public init(_ limit: Duration) { state = Mutex(State(limit: limit)) }

    /// The maximum duration of a wait, counted from its start or from the last write of another
    /// process. Can be set from any thread.
    public var limit: Duration {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Lowers the limit to `limit` if the current limit is longer.
    public func shorten(to limit: Duration) {
        state.withLock { $0.limit = min($0.limit, limit) }
    }

    /// Sleeps before the next attempt, unless the time is up. SQLite calls this method each time it
    /// finds a lock.
    ///
    /// - Parameters:
    ///   - tries: The number of earlier attempts during this wait.
    ///   - path: The path of the file.
    /// - Returns: Whether to try again.
    func wait(
        after tries: Int, for path: String, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        let trace = FileTrace(path)
        let (wait, limit) = state.withLock { state in
            var wait = (tries == 0 ? nil : state.waits[path]) ?? Wait(began: now, since: now)
            if tries > 0, wait.seen != trace { wait.since = now }
            wait.seen = trace
            state.waits[path] = wait
            return (wait, state.limit)
        }
        guard now - wait.since < limit, now - wait.began < limit * 12 else { return false }
        // Processes that have waited for a long time try more often. Otherwise, processes that
        // started waiting later would always get the lock first.
        let isOld = now - wait.began > .seconds(1)
        usleep(tries < 5 ? 1_000 << UInt32(tries) : isOld ? 2_000 : 25_000)
        return true
    }
}
