import Dispatch
import Synchronization

/// Runs the turns of a watcher, one at a time: when the kernel has events, and at the time that the
/// last turn returned.
///
/// A waiting watcher has no thread of its own. One thread of the process waits for all watchers'
/// events and timers, and a turn runs on a thread of Dispatch's pool.
///
/// `@unchecked`: Dispatch's sources may be used on any thread.
final class WatchQueue: @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    private let timer: any DispatchSourceTimer
    private let source: (any DispatchSourceRead)?
    private let isStopped = Atomic(false)

    /// Starts running turns.
    ///
    /// - Parameters:
    ///   - label: The label of the queue, for debuggers.
    ///   - descriptor: Readable while events wait. `turn` keeps it open.
    ///   - first: The time of the first turn if no event arrives before.
    ///   - turn: Reads the waiting events, and returns the time of the next turn if no event
    ///     arrives before.
    init(
        _ label: String, descriptor: Int32?, first: Instant?,
        turn: @escaping @Sendable () -> Instant?
    ) {
        let queue = DispatchQueue(label: label, qos: .userInitiated)
        timer = DispatchSource.makeTimerSource(queue: queue)
        source = descriptor.map { DispatchSource.makeReadSource(fileDescriptor: $0, queue: queue) }
        let run: @Sendable () -> Void = { [weak self] in
            guard let self, !isStopped.load(ordering: .acquiring) else { return }
            schedule(turn())
        }
        timer.setEventHandler(handler: run)
        schedule(first)
        timer.resume()
        guard let source else { return }
        source.setEventHandler(handler: run)
        // Keeps the descriptor open until nothing waits for it.
        source.setCancelHandler { withExtendedLifetime(turn) {} }
        source.resume()
    }

    deinit { stop() }

    /// Ends the turns. A running turn finishes, and no other follows.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        timer.cancel()
        source?.cancel()
    }

    private func schedule(_ instant: Instant?) {
        guard let instant else { return timer.schedule(deadline: .distantFuture) }
        let left = max(0, (instant - .now) / .nanoseconds(1))
        // An hour at most, so that the sum is a valid time.
        timer.schedule(
            deadline: .now() + .nanoseconds(Int(min(left, 3.6e12))), leeway: .nanoseconds(0))
    }
}
