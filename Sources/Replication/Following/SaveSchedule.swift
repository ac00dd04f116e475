import Synchronization

/// When pending rows are written: a while after the last of a burst, at most so long after its first,
/// and later and later again where writing fails.
public final class SaveSchedule: Sendable {
    private struct State {
        var first: Duration?
        var last: Duration = .zero
        var isScheduled = false
        var failures = 0
        var problem: String?
    }

    private let delay: Duration
    private let limit: Duration
    private let scheduler: Scheduler
    private let state = Mutex(State())

    /// - Parameters:
    ///   - delay: Writing begins this long after the last change …
    ///   - limit: … but at most this long after the first that is not written.
    public init(
        delay: Duration = .seconds(1), limit: Duration = .seconds(15), scheduler: Scheduler
    ) {
        self.delay = delay
        self.limit = limit
        self.scheduler = scheduler
    }

    /// Why the last attempt failed; `nil` once one did not.
    public var problem: String? { state.withLock { $0.problem } }

    /// Notes a change.
    ///
    /// - Parameter save: Called when writing is due, on the scheduler's thread. It is kept until
    ///   then, and what it refers to with it: what waits must not go with the last reference.
    public func touch(_ save: @escaping @Sendable () -> Void) {
        let now = scheduler.now()
        let mustSchedule = state.withLock { state in
            state.first = state.first ?? now
            state.last = now
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { schedule(after: delay, save) }
    }

    /// Writes all that is pending, and tries again after a pause where that fails, which grows with
    /// each failure.
    ///
    /// - Parameters:
    ///   - save: As ``touch(_:)``'s.
    ///   - write: Writes it.
    /// - Returns: Whether something waited to be tried again, and does no longer.
    /// - Throws: What `write` throws.
    @discardableResult
    public func attempt(
        again save: @escaping @Sendable () -> Void, _ write: () throws -> Void
    ) throws -> Bool {
        state.withLock { $0.first = nil }
        do {
            try write()
            return succeeded()
        } catch {
            let now = scheduler.now()
            let failures = state.withLock { state in
                state.problem = "\(error)"
                state.failures = min(state.failures + 1, 6)
                state.isScheduled = true
                state.first = state.first ?? now
                return state.failures
            }
            schedule(after: delay * (1 << failures), save)
            throw error
        }
    }

    /// Notes that nothing waits to be tried again.
    ///
    /// - Returns: Whether something did.
    @discardableResult
    public func succeeded() -> Bool {
        state.withLock { state in
            defer { (state.failures, state.problem) = (0, nil) }
            return state.failures > 0
        }
    }

    /// Forgets what was pending.
    public func reset() {
        state.withLock { ($0.first, $0.failures, $0.problem) = (nil, 0, nil) }
    }

    private func schedule(after wait: Duration, _ save: @escaping @Sendable () -> Void) {
        scheduler.schedule(after: wait) { self.saveIfDue(save) }
    }

    private func saveIfDue(_ save: @escaping @Sendable () -> Void) {
        let now = scheduler.now()
        let wait: Duration? = state.withLock { state in
            guard let first = state.first else {
                state.isScheduled = false
                return nil
            }
            let due = min(state.last + delay, first + limit)
            if due > now { return due - now }
            (state.isScheduled, state.first) = (false, nil)
            return .zero
        }
        guard let wait else { return }
        if wait > .zero { schedule(after: wait, save) } else { save() }
    }
}
