import Replication

/// Typed keys that haven't been handled yet.
public struct PendingInput: Sendable {
    /// Keys that wait for an answer or, after the user has left the screen, keys for the next
    /// screen.
    public internal(set) var waiting: [Input] = []
    /// Whether another screen is about to be shown. Keys that are typed after that belong to the
    /// other screen.
    var isLeft = false
    /// Whether keys wait for the first panes and rows of a store that is being opened.
    var waitsForStore = true
    /// The keys of an incomplete sequence.
    var keys: [Key] = []
    /// The count typed before a key.
    var count: Int?
    /// The kind of the message that the current key has also closed; `nil` if it closed none.
    var closedNotice: Notice.Kind?
    /// Whether the last line showed a step of the guided tour when the key was pressed.
    var isOnTour = false
    /// The time of the last user action. It determines when writing is locked again.
    var lastTime: Timestamp
}

extension PendingInput {
    /// The maximum number of waiting keys.
    private static let waitingLimit = 1_000
    /// The maximum number of consecutive equal keys in ``waiting``. Without this limit, the
    /// repetitions of a key that is held down would continue long after it is released.
    private static let repeatLimit = 16

    mutating func hold(_ input: Input) {
        let isRepeated =
            waiting.count >= Self.repeatLimit
            && waiting.suffix(Self.repeatLimit).allSatisfy { $0 == input }
        if waiting.count < Self.waitingLimit, !isRepeated { waiting.append(input) }
    }

    /// Drops the count and the keys of an incomplete sequence.
    mutating func clearSequence() {
        count = nil
        keys = []
    }
}
