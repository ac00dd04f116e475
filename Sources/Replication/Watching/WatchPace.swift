/// The pace at which a handler is called after changes: with a minimum time between two calls.
struct WatchPace {
    private let window: Duration
    private let handler: @Sendable () -> Void
    private var hasNews = false
    private var quietUntil = ContinuousClock.now

    init(window: Duration, handler: @escaping @Sendable () -> Void) {
        self.window = window
        self.handler = handler
    }

    /// The time at which the handler can be called about news that came too early; otherwise `nil`.
    var nextCall: ContinuousClock.Instant? { hasNews ? quietUntil : nil }

    /// Calls the handler if there is news, unless the last call was too recent.
    mutating func turn(hasNews isNews: Bool) {
        hasNews = hasNews || isNews
        guard hasNews, .now >= quietUntil else { return }
        hasNews = false
        handler()
        quietUntil = .now + window
    }
}
