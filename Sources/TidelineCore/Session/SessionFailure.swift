public import Replication

/// Why a store cannot be shown.
public struct SessionFailure: Hashable, Sendable {
    /// Why, as a clause without a full stop.
    public let reason: String
    /// What it means to a program that ends because of it.
    public let kind: FailureKind
    /// What to do about it, where there is something.
    public let wayOut: String?

    /// What an error comes to.
    public init(_ error: any Error) {
        let explained = error as? any ExplainedError
        reason = explained?.reason ?? String(describing: error)
        kind = explained?.kind ?? .inputOutput
        wayOut = explained?.wayOut
    }
}
