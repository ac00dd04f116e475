public import Foundation
public import Replication

/// Something that happened in an open store.
public struct SessionEvent: Hashable, Sendable {
    /// What can happen.
    public enum Kind: Hashable, Sendable {
        /// The store, or a part of it, was read: look at everything again.
        case loaded
        /// Rows of a pane were written, by this device (`isOwn`) or by another.
        case changed(PaneID, rows: [RowID: RowMark], isOwn: Bool)
        /// Devices have begun to disagree about a row, in the pane that shows them.
        case conflict(PaneID, RowID)
        /// Devices no longer disagree about a row of a pane.
        case resolved(PaneID, RowID)
        /// What a part knows of its devices may have changed. The session finds out of which, and
        /// tells each as ``device(state:problem:)``; its own event says that other problems are
        /// known than before.
        case devices
        /// The device's state or problem changed, of all its stores together.
        case device(state: String, problem: String?)
        /// A file under `Blobs/` appeared, changed or went.
        case blob(String)
        /// The header has changed.
        case status
        /// The store is gone from its place.
        case deleted
        /// The store is in its place again.
        case returned
    }

    /// What happened.
    public var kind: Kind
    /// When, by the wall clock.
    public var date: Date
    /// The device that it is about, where it is about one.
    public var device: DeviceID?
    /// One line for the event feed: `ipad +3 note/2/*`.
    public var summary: String
    /// Rows of other panes that the same news is about: the log rows that changed some keys.
    public var elsewhere: [PaneID: [RowID: RowMark]]
    /// When the rows that arrived were written, by the clock of their device: the oldest of them,
    /// which is the latest to arrive.
    public var written: Timestamp?
    /// How many rows of its log a device wrote, those included that changed nothing; `nil` where
    /// that is not told: as many as the pane marks.
    public var rowCount: Int?
    /// The same for programs; `nil` for what concerns the screen alone.
    public var report: EventReport?

    /// An event as a part tells it.
    public init(
        _ kind: Kind, date: Date, device: DeviceID? = nil, summary: String = "",
        elsewhere: [PaneID: [RowID: RowMark]] = [:], written: Timestamp? = nil,
        rowCount: Int? = nil, report: EventReport? = nil
    ) {
        self.written = written
        self.rowCount = rowCount
        self.report = report
        self.kind = kind
        self.date = date
        self.device = device
        self.summary = summary
        self.elsewhere = elsewhere
    }
}

/// What happened to a row, for the mark beside it.
public enum RowMark: Hashable, Sendable, CaseIterable {
    case new, changed, conflict, gone
}
