import Glibc
import Synchronization

/// How long calls wait for a lock that another process holds.
///
/// The limit can be changed while somebody waits, and holds for that wait too: a program that is
/// asked to end makes it short.
public final class LockPatience: Sendable {
    private struct State {
        var limit: Duration
        var waitsSince = ContinuousClock.now
    }

    private let state: Mutex<State>

    /// Waits of at most `limit` each.
    public init(_ limit: Duration) { state = Mutex(State(limit: limit)) }

    /// How long one wait may take, counted from its beginning. May be set from any thread.
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
    /// - Parameter tries: How often it has asked during this wait.
    /// - Returns: Whether to look again.
    func wait(after tries: Int) -> Bool {
        let mayWait = state.withLock { state in
            if tries == 0 { state.waitsSince = .now }
            return .now - state.waitsSince < state.limit
        }
        if mayWait { usleep(tries < 5 ? 1_000 << UInt32(tries) : 25_000) }
        return mayWait
    }
}
