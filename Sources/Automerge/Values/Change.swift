public import Foundation

/// A group of operations that an actor made together, with metadata.
public struct Change: Equatable, Sendable {
    /// The actor that made the change.
    public let actorId: ActorId
    /// The author's description of the change.
    public let message: String?
    /// The heads of the author's document before the change. Changes that these heads depend on are
    /// left out.
    public let deps: [ChangeHash]
    /// The time of the change by the author's clock, in whole seconds.
    public let timestamp: Date
    /// The change as an uncompressed chunk, in a form that
    /// ``Document/applyEncodedChanges(encoded:)`` accepts.
    public let bytes: Data
    /// The hash that identifies the change.
    public let hash: ChangeHash
}
