/// The pauses before a client tries again. They grow up to a limit.
public struct RetryPauses: Sendable {
    /// The first pause.
    public var shortest: Duration = .milliseconds(250)
    /// The longest pause, without its random part.
    public var longest: Duration = .seconds(30)
    /// The maximum random extension of a pause, as a fraction of the pause. The extension keeps
    /// many clients of a failed server from reconnecting at the same time.
    public var randomPart = 0.25
    /// The time that a connection must last to reset the next pause to the shortest pause.
    public var lasting: Duration = .seconds(10)

    /// Creates the pauses with their default lengths.
    public init() {}

    /// Returns the pause after a number of failures. Each failure doubles it.
    ///
    /// - Parameter random: A number from 0 to 1.
    public func pause(afterFailures failures: Int, random: Double) -> Duration {
        var pause = max(shortest, .milliseconds(1))
        for _ in 1..<max(min(failures, 64), 1) where pause < longest { pause = pause * 2 }
        return min(pause, longest) * (1 + randomPart * min(max(random, 0), 1))
    }
}
