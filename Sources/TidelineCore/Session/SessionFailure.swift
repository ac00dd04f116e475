public import Replication

/// The reason why a store can't be shown.
public struct SessionFailure: Hashable, Sendable {
    /// The reason, as a clause without a full stop.
    public let reason: String
    /// The kind of failure, for the exit code of the program.
    public let kind: FailureKind
    /// A hint what to do, if there is one.
    public let wayOut: String?

    /// Creates a failure from an error.
    public init(_ error: any Error) {
        let explained = error as? any ExplainedError
        reason = explained?.reason ?? String(describing: error)
        kind = explained?.kind ?? .inputOutput
        wayOut = explained?.wayOut
    }
}
