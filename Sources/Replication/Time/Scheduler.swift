public import Dispatch

/// A scheduler that runs work after a delay: on a dispatch queue, or under a test's control.
public struct Scheduler: Sendable {
    /// A monotonic time, counted from an arbitrary instant.
    public let now: @Sendable () -> Duration
    private let run: @Sendable (Duration, @escaping @Sendable () -> Void) -> Cancellation

    /// A handle that cancels work that hasn't started.
    public struct Cancellation: Sendable {
        private let body: @Sendable () -> Void
        /// Creates a cancellation that calls `body`.
        public init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        /// Prevents the work from starting. Work that has started continues. Further calls have no
        /// effect.
        public func cancel() { body() }
    }

    /// Creates a custom scheduler, for tests that control time.
    ///
    /// - Parameter run: Runs work once after a delay, unless the returned cancellation is called
    ///   first.
    public init(
        now: @escaping @Sendable () -> Duration,
        run: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Cancellation
    ) {
        self.now = now
        self.run = run
    }

    /// Runs `work` once, after `delay`.
    @discardableResult
    public func schedule(
        after delay: Duration, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation {
        run(max(delay, .zero), work)
    }

    /// Returns a scheduler that uses the system's clock and runs work on `queue`.
    public static func dispatch(on queue: DispatchQueue = .global(qos: .utility)) -> Scheduler {
        Scheduler(
            now: { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) },
            run: { delay, work in
                let item = SendableWorkItem(DispatchWorkItem(block: work))
                let (seconds, attoseconds) = delay.components
                let nanoseconds = Int(clamping: seconds)
                    .multipliedReportingOverflow(by: 1_000_000_000)
                let wait = DispatchTimeInterval.nanoseconds(
                    nanoseconds.overflow
                        ? .max / 2 : nanoseconds.partialValue + Int(attoseconds / 1_000_000_000))
                queue.asyncAfter(deadline: .now() + wait, execute: item.item)
                return Cancellation { item.item.cancel() }
            })
    }
}

/// `@unchecked`: a work item's `cancel` may be called on any thread.
private struct SendableWorkItem: @unchecked Sendable {
    let item: DispatchWorkItem
    init(_ item: DispatchWorkItem) { self.item = item }
}
