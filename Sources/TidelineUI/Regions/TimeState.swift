import Replication
import TidelineCore

/// The state of time travel: the shown instant and the step in progress.
struct TimeState: Hashable, Sendable {
    /// A step in progress.
    struct Pending: Hashable, Sendable {
        var id: RequestID
        /// Whether the step goes to the first or last write. It reports that write and keeps the
        /// selection.
        var isJump = false
        /// Whether the step follows the writes of one device.
        var isByDevice = false
        /// The row whose writes the step follows.
        var row: RowID?
    }

    var instant: Timestamp
    /// The device that steps by device follow.
    var device: DeviceID?
    /// The microseconds between steps during playback.
    var playing: Int64?
    /// The latest step; a newer one replaces it.
    var pending: Pending?
    /// The row whose writes are followed until another one is selected. At some instants it doesn't
    /// exist.
    var row: RowID?
    /// The row of the write that was stepped to last.
    var written: Detail.Link?
    /// The largest number of rows that each list had at any shown instant.
    var mostRows: [SourceID: Int] = [:]
    /// The device whose lane was last scrolled into view, and the index of the first visible lane.
    var lane: DeviceID?
    var topLane = 0
}
