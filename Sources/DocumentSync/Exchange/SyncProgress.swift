import Automerge

/// A count of messages about a document that change neither side.
///
/// After a message was lost, each side assumes that it has already sent the changes that the other
/// side requests, and both sides answer each other forever. The protocol has no acknowledgements,
/// so this loop can only be detected by counting messages.
struct SyncProgress {
    /// The action to take for the next message.
    enum Advice {
        case proceed
        /// Discard the peer's sync state and start from scratch.
        case startOver
        /// Send nothing until one side has changes.
        case keepStill
    }

    private var own: Set<ChangeHash>?
    private var theirs: Set<ChangeHash>?
    private var idleRounds = 0
    private var restarts = 0

    /// The maximum number of consecutive messages without an effect. In about one of a hundred
    /// messages, a filter wrongly contains a change, which requires one more round.
    private static let mostIdleRounds = 8
    private static let mostRestarts = 3

    /// Returns the action to take for a message that is about to be sent, and records the heads of
    /// both sides.
    ///
    /// - Parameter theirs: The peer's heads, or `nil` if the peer has not sent any yet.
    mutating func advice(own: Set<ChangeHash>, theirs: Set<ChangeHash>?) -> Advice {
        guard let theirs, own != theirs else { return .proceed }
        guard own == self.own, theirs == self.theirs else {
            self.own = own
            self.theirs = theirs
            idleRounds = 0
            restarts = 0
            return .proceed
        }
        idleRounds += 1
        guard idleRounds > Self.mostIdleRounds else { return .proceed }
        guard restarts < Self.mostRestarts else { return .keepStill }
        restarts += 1
        idleRounds = 0
        return .startOver
    }
}
