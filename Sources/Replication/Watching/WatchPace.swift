/// The pace at which a handler is called after changes: with a minimum time between two calls.
struct WatchPace {
    private let window: Duration
    private let handler: @Sendable () -> Void
    private var hasUnreportedChanges = false
    private var quietUntil = ContinuousClock.now

    init(window: Duration, handler: @escaping @Sendable () -> Void) {
        self.window = window
        self.handler = handler
    }

    /// The time of the next call, if changes came too soon after the last call; otherwise `nil`.
    var nextCall: ContinuousClock.Instant? { hasUnreportedChanges ? quietUntil : nil }

    /// Calls the handler if there are unreported changes and the minimum time since the last call
    /// has passed.
    mutating func turn(hasChanges: Bool) {
        hasUnreportedChanges = hasUnreportedChanges || hasChanges
        guard hasUnreportedChanges, .now >= quietUntil else { return }
        hasUnreportedChanges = false
        handler()
        quietUntil = .now + window
    }
}
