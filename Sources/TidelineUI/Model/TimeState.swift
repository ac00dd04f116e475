public import Replication
public import TidelineCore

/// The store at an instant of its past: where the bar stands and what was marked on it.
struct TimeState: Hashable, Sendable {
    var instant: Timestamp
    /// The device that a step by device follows.
    var device: DeviceID?
    var markA: Timestamp?
    var markB: Timestamp?
    /// The step that is on its way; the newest wins.
    var pending: RequestID?
    /// Whether it goes to an end of time: not to what was written then, but to how all was.
    var isJump = false
}

/// A step in time: the instant of the next write, and what was written then.
public struct Step: Hashable, Sendable {
    public var instant: Timestamp
    public var writes: [PastWrite]

    public init(instant: Timestamp, writes: [PastWrite]) {
        self.instant = instant
        self.writes = writes
    }
}
