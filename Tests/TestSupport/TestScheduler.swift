public import Replication
import Synchronization

/// Time that stands still until a test moves it. Due work runs on the thread that moves it.
public final class TestScheduler: Sendable {
    private struct State {
        var now: Duration = .zero
        var next = 0
        var waiting: [(number: Int, due: Duration, work: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// The number of pending work items.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The time until the first work item is due.
    public var nextDelay: Duration? {
        state.withLock { state in state.waiting.map { $0.due - state.now }.min() }
    }

    public var scheduler: Scheduler {
        Scheduler(
            now: { self.state.withLock { $0.now } },
            run: { delay, work in
                let number = self.state.withLock { state in
                    state.next += 1
                    state.waiting.append((state.next, state.now + delay, work))
                    return state.next
                }
                return Scheduler.Cancellation {
                    self.state.withLock { $0.waiting.removeAll { $0.number == number } }
                }
            })
    }

    /// Moves time forward, running due work in order of time.
    public func advance(by duration: Duration) {
        let end = state.withLock { $0.now + duration }
        while true {
            let work = state.withLock { state -> (@Sendable () -> Void)? in
                let next = state.waiting.filter { $0.due <= end }.min {
                    ($0.due, $0.number) < ($1.due, $1.number)
                }
                guard let next else {
                    state.now = end
                    return nil
                }
                state.waiting.removeAll { $0.number == next.number }
                state.now = max(state.now, next.due)
                return next.work
            }
            guard let work else { return }
            work()
        }
    }
}
