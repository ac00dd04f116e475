public import Foundation

/// A group of operations that one actor made at once, with what is known about it.
public struct Change: Equatable, Sendable {
    /// Who made it.
    public let actorId: ActorId
    /// What its author said about it.
    public let message: String?
    /// The changes that its author had when making it, those implied by others left out.
    public let deps: [ChangeHash]
    /// When it was made, by its author's clock, in whole seconds.
    public let timestamp: Date
    /// The change as a chunk, not compressed: something ``Document/applyEncodedChanges(encoded:)``
    /// reads.
    public let bytes: Data
    /// Its identity.
    public let hash: ChangeHash

    init(
        actorId: ActorId, message: String?, deps: [ChangeHash], timestamp: Date, bytes: Data,
        hash: ChangeHash
    ) {
        self.actorId = actorId
        self.message = message
        self.deps = deps
        self.timestamp = timestamp
        self.bytes = bytes
        self.hash = hash
    }
}
