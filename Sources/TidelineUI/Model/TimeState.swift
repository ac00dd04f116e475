import Replication

/// The store at an instant of its past: where the bar stands and what was marked on it.
struct TimeState: Hashable, Sendable {
    var instant: Timestamp
    /// The device that a step by device follows.
    var device: DeviceID?
    var markA: Timestamp?
    var markB: Timestamp?
    /// The step that is on its way; the newest wins.
    var pending: RequestID?
}
