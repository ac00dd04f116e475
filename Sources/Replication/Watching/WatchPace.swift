/// Calls a handler after news, with a minimum time between two calls.
///
/// `@unchecked`: used only on the watcher's queue.
final class WatchPace: @unchecked Sendable {
    private let window: Duration
    private let handler: @Sendable () -> Void
    private var hasNews = false
    private var quietUntil = ContinuousClock.now

    init(window: Duration, handler: @escaping @Sendable () -> Void) {
        self.window = window
        self.handler = handler
    }

    /// Calls the handler if there are news, unless the last call was too recent.
    ///
    /// - Returns: The time to try again, if necessary.
    @discardableResult
    func turn(hasNews isNews: Bool) -> ContinuousClock.Instant? {
        hasNews = hasNews || isNews
        guard hasNews else { return nil }
        guard .now >= quietUntil else { return quietUntil }
        hasNews = false
        handler()
        quietUntil = .now + window
        return nil
    }
}
