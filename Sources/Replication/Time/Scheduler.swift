public import Dispatch

/// Runs work later: on a queue of the system, or when a test says that time has passed.
public struct Scheduler: Sendable {
    /// Time that only runs forward, counted from any instant.
    public let now: @Sendable () -> Duration
    private let run: @Sendable (Duration, @escaping @Sendable () -> Void) -> Cancellation

    /// Cancels work that has not begun.
    public struct Cancellation: Sendable {
        private let body: @Sendable () -> Void
        /// A cancellation that calls `body`.
        public init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        /// Keeps the work from beginning. Work that has begun goes on; calling it again does
        /// nothing.
        public func cancel() { body() }
    }

    /// A scheduler of one's own, for tests that decide when time passes.
    ///
    /// - Parameters:
    ///   - now: Time that only runs forward, counted from any instant.
    ///   - run: Runs work once after a delay, unless what it returns is called before.
    public init(
        now: @escaping @Sendable () -> Duration,
        run: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Cancellation
    ) {
        self.now = now
        self.run = run
    }

    /// Runs `work` once, `delay` from now.
    @discardableResult
    public func schedule(
        after delay: Duration, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation {
        run(max(delay, .zero), work)
    }

    /// The system's clock; work runs on `queue`.
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
