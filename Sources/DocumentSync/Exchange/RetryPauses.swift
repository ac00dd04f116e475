import Synchronization

/// How long a client waits before it tries again: longer each time, up to a limit.
public struct RetryPauses: Sendable {
    /// The first pause.
    public var shortest: Duration = .milliseconds(250)
    /// No pause is longer, but for the part that is random.
    public var longest: Duration = .seconds(30)
    /// How much may be added to each pause, as a part of it: so that many clients of a server that
    /// fails do not come back together.
    public var randomPart = 0.25
    /// A connection that lasted this long makes the next pause the shortest again.
    public var lasting: Duration = .seconds(10)

    public init() {}

    /// The pause behind a number of failures, each of which doubles it.
    ///
    /// - Parameter random: A number from 0 to 1.
    public func pause(afterFailures failures: Int, random: Double) -> Duration {
        var pause = max(shortest, .milliseconds(1))
        for _ in 1..<max(min(failures, 64), 1) where pause < longest { pause = pause * 2 }
        return min(pause, longest) * (1 + randomPart * min(max(random, 0), 1))
    }
}
