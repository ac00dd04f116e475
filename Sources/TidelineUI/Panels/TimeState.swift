import Replication
import TidelineCore

/// The state of time travel: the shown instant and the step in progress.
struct TimeState: Hashable, Sendable {
    /// A step to another write.
    struct Pending: Hashable, Sendable {
        /// The writes that a step follows.
        enum Path: Hashable, Sendable {
            case all
            case device(DeviceID)
            case row(RowID, SourceID)
        }

        /// The request; `nil` until it is made.
        var id: RequestID?
        var path = Path.all
        /// The instant to search from.
        var start: Timestamp
        var backwards: Bool
        /// Whether the step goes to the first or last write. Such a step keeps the selection.
        var isJump = false

        func effect(_ id: RequestID) -> Effect {
            switch path {
            case .all: .step(id, from: start, backwards: backwards, device: nil)
            case .device(let device):
                .step(id, from: start, backwards: backwards, device: device)
            case .row(let row, let source):
                .stepOfRow(id, source, row, from: start, backwards: backwards)
            }
        }
    }

    var instant: Timestamp
    /// The instant that was shown before the current instant. On the timeline, the two instants
    /// must look different.
    var previous: Timestamp?
    /// The device whose writes are followed when the user steps by device.
    var device: DeviceID?
    /// The microseconds between steps during playback.
    var playing: Int64?
    /// The step in progress. A newer step replaces it.
    var pending: Pending?
    /// The row whose writes are followed until the user selects another row. At some instants, the
    /// row may not exist.
    var row: RowID?
    /// The row that the write of the last step changed.
    var written: Detail.Link?
    /// The largest number of rows that each list had at any shown instant.
    var mostRows: [SourceID: Int] = [:]
    /// The device whose lane was last scrolled into view, and the index of the first visible lane.
    var lane: DeviceID?
    var topLane = 0
}
