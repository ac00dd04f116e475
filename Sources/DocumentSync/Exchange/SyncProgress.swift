import Automerge

/// Counts the messages about a document that change neither side.
///
/// After a message was lost, each side takes changes for sent that the other asks for, and the two
/// answer each other without end. The protocol has no acknowledgements, so only the count shows it.
struct SyncProgress {
    /// What to do about the next message.
    enum Advice {
        case goOn
        /// Forget what is known of the peer, and begin again.
        case startOver
        /// Say nothing until one side has something new.
        case keepStill
    }

    private var own: Set<ChangeHash>?
    private var theirs: Set<ChangeHash>?
    private var idleRounds = 0
    private var restarts = 0

    /// How many messages in a row may change nothing. A filter that holds a change by mistake, in
    /// one of a hundred messages, takes one more round.
    private static let mostIdleRounds = 8
    private static let mostRestarts = 3

    /// Notes that a message is to be sent, with the heads of both sides.
    ///
    /// - Parameter theirs: `nil` if the peer has not said anything yet.
    mutating func advice(own: Set<ChangeHash>, theirs: Set<ChangeHash>?) -> Advice {
        guard let theirs, own != theirs else { return .goOn }
        guard own == self.own, theirs == self.theirs else {
            self.own = own
            self.theirs = theirs
            idleRounds = 0
            restarts = 0
            return .goOn
        }
        idleRounds += 1
        guard idleRounds > Self.mostIdleRounds else { return .goOn }
        guard restarts < Self.mostRestarts else { return .keepStill }
        restarts += 1
        idleRounds = 0
        return .startOver
    }
}
