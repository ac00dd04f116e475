public import Replication

/// The reason why a store can't be shown.
public struct SessionFailure: Error, Hashable, Sendable {
    /// The reason, as a clause without a full stop.
    public let reason: String
    /// The general kind of failure.
    public let category: ErrorCategory
    /// A hint, if one is available.
    public let suggestion: Suggestion?

    /// Creates a failure from an error.
    public init(_ error: any Error) {
        let explained = error as? any ExplainedError
        reason = explained?.reason ?? String(describing: error)
        category = explained?.category ?? .inputOutput
        suggestion = explained?.suggestion
    }
}

extension SessionFailure: ExplainedError {}
