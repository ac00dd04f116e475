import Synchronization

/// A schedule that decides when pending rows are written.
///
/// Rows are written a delay after the last change of a burst, but within a limit after the first.
/// If writing fails, the schedule retries after increasing pauses.
public final class SaveSchedule: Sendable {
    private struct State {
        var first: Duration?
        var last: Duration = .zero
        var isScheduled = false
        var failures = 0
        var failure: (any Error)?
    }

    private let delay: Duration
    private let limit: Duration
    private let scheduler: Scheduler
    private let state = Mutex(State())

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - delay: The delay between the last change and writing.
    ///   - limit: The maximum delay between the first unsaved change and writing.
    public init(
        delay: Duration = .seconds(1), limit: Duration = .seconds(15), scheduler: Scheduler
    ) {
        self.delay = delay
        self.limit = limit
        self.scheduler = scheduler
    }

    /// The error of the last attempt; `nil` after a successful one.
    package var failure: (any Error)? { state.withLock { $0.failure } }

    /// The message of the error of the last attempt; `nil` after a successful one.
    public var problem: String? { failure.map { "\($0)" } }

    /// Records a change.
    ///
    /// - Parameter save: Called on the scheduler's thread when writing is due. The schedule retains
    ///   the closure until then. So pending changes are written even if no other reference to the
    ///   store remains.
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

    /// Writes all pending changes. If that fails, retries after a pause, which grows with each
    /// failure.
    ///
    /// - Parameters:
    ///   - save: As in ``touch(_:)``.
    ///   - write: Writes the changes.
    /// - Returns: Whether this attempt ended a series of retries.
    /// - Throws: Errors of `write`.
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
                state.failure = error
                state.failures = min(state.failures + 1, 6)
                state.isScheduled = true
                state.first = state.first ?? now
                return state.failures
            }
            schedule(after: delay * (1 << failures), save)
            throw error
        }
    }

    /// Ends a series of retries.
    ///
    /// - Returns: Whether a retry was pending.
    @discardableResult
    public func succeeded() -> Bool {
        state.withLock { state in
            defer { (state.failures, state.failure) = (0, nil) }
            return state.failures > 0
        }
    }

    /// Cancels scheduled writes and retries.
    public func reset() {
        state.withLock { ($0.first, $0.failures, $0.failure) = (nil, 0, nil) }
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
