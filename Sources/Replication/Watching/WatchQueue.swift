import Dispatch
import Synchronization

/// The work of a watcher, turn by turn.
protocol WatchTurns: SendableMetatype {
    typealias Instant = ContinuousClock.Instant

    /// The descriptor that is readable while events wait; `nil` if no events are available.
    var descriptor: Int32? { get }
    /// The time of the next turn if no event arrives before; `nil` if only events cause a turn.
    var nextTurn: Instant? { get }
    /// Reads the waiting events, and performs the work that is due.
    mutating func turn()
}

/// A queue that runs the turns of a watcher, one at a time. A turn runs when the kernel has events,
/// and at the time that the last turn requested.
///
/// A waiting watcher needs no thread. One thread of the process waits for the events and timers of
/// all watchers, and each turn runs on a thread of Dispatch's pool.
///
/// `@unchecked`: Dispatch's sources aren't declared as Sendable, but may be used on any thread.
final class WatchQueue: @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let source: (any DispatchSourceRead)?
    private let isStopped = Atomic(false)

    /// Starts running turns.
    ///
    /// - Parameters:
    ///   - label: The label of the queue, for debuggers.
    ///   - turns: The work. The descriptor of the work stays open as long as a thread waits for it.
    init(_ label: String, _ turns: sending some WatchTurns) {
        let (descriptor, first) = (turns.descriptor, turns.nextTurn)
        let work = Work(turns)
        let queue = DispatchQueue(label: label, qos: .userInitiated)
        timer = DispatchSource.makeTimerSource(queue: queue)
        source = descriptor.map { DispatchSource.makeReadSource(fileDescriptor: $0, queue: queue) }
        let run: @Sendable () -> Void = { [weak self] in
            guard let self, !isStopped.load(ordering: .acquiring) else { return }
            schedule(work.turn())
        }
        timer.setEventHandler(handler: run)
        schedule(first)
        timer.resume()
        guard let source else { return }
        source.setEventHandler(handler: run)
        source.setCancelHandler { withExtendedLifetime(work) {} }
        source.resume()
    }

    deinit { stop() }

    /// Ends the turns. A running turn finishes, and no other follows.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        timer.cancel()
        source?.cancel()
    }

    private func schedule(_ instant: ContinuousClock.Instant?) {
        guard let instant else { return timer.schedule(deadline: .distantFuture) }
        let left = max(0, (instant - .now) / .nanoseconds(1))
        // The timer is set to at most one hour, so that the sum is a valid time.
        timer.schedule(
            deadline: .now() + .nanoseconds(Int(min(left, 3.6e12))), leeway: .nanoseconds(0))
    }

    /// The work, which only the queue accesses.
    private final class Work<SerialRunner: WatchTurns>: Sendable {
        private let turns: Mutex<SerialRunner>

        init(_ turns: sending SerialRunner) { self.turns = Mutex(turns) }

        /// Runs a turn.
        ///
        /// - Returns: The time of the next turn if no event arrives before.
        func turn() -> ContinuousClock.Instant? {
            turns.withLock {
                $0.turn()
                return $0.nextTurn
            }
        }
    }
}
