import Replication
import TidelineCore

/// The store at an instant of its past: where the bar stands and what was marked on it.
struct TimeState: Hashable, Sendable {
    /// A step that is on its way.
    struct Pending: Hashable, Sendable {
        var id: RequestID
        /// Whether it goes to an end of time: what was written there is told, and the selection
        /// stays.
        var isJump = false
        /// Whether it goes to what one device wrote.
        var isByDevice = false
        /// The row whose writes it follows.
        var row: RowID?
    }

    var instant: Timestamp
    /// The device that a step by device follows.
    var device: DeviceID?
    var markA: Timestamp?
    var markB: Timestamp?
    /// Microseconds between two steps, while they are made without a person.
    var playing: Int64?
    /// The newest step wins.
    var pending: Pending?
    /// The row whose writes are followed, until another one is selected: at some instants it is not
    /// in its list.
    var row: RowID?
    /// Where the write that was stepped to last is shown.
    var written: Detail.Link?
    /// The most rows that each list had at an instant that was shown.
    var mostRows: [SourceID: Int] = [:]
    /// The device whose lane came into view last, and the number of the lane that was then the
    /// first.
    var lane: DeviceID?
    var topLane = 0
}
