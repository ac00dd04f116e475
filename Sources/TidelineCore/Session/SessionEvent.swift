public import Foundation
public import Replication

/// An event of an open store.
public struct SessionEvent: Hashable, Sendable {
    /// The kinds of event.
    public enum Kind: Hashable, Sendable {
        /// The store, or a part of it, was loaded. Subscribers should refresh everything.
        case loaded
        /// Rows of a pane were written, by this device (`isOwn`) or by another device.
        case changed(PaneID, rows: [RowID: RowMark], isOwn: Bool)
        /// A row in this pane is now in conflict.
        case conflict(PaneID, RowID)
        /// The conflict of a row is resolved.
        case resolved(PaneID, RowID)
        /// From a part: its devices may have changed. The session then sends
        /// ``device(state:problem:)`` for each changed device. From the session: the list of
        /// problems has changed.
        case devices
        /// The merged state or problem of a device changed.
        case device(state: String, problem: String?)
        /// A file in `Blobs/` was added, changed or deleted.
        case blob(String)
        /// The session's status, which the header shows, changed.
        case status
        /// The store is missing.
        case deleted
        /// The store has returned.
        case returned
    }

    /// The kind of event.
    public var kind: Kind
    /// The time of the event, by the wall clock.
    public var date: Date
    /// The device that the event is about, if any.
    public var device: DeviceID?
    /// A line for the Events panel: `ipad +3 note/2/*`.
    public var summary: String
    /// The rows of other panes that the event affects, such as the log rows that changed keys.
    public var elsewhere: [PaneID: [RowID: RowMark]]
    /// The new values of the changed rows, each on one line; empty if there are many.
    public var values: [RowID: String]
    /// The changed parts of a single row that another device wrote, such as the properties of an
    /// entity. Empty if several rows were written, or if ``values`` contains the row. Parts that
    /// take time to read are included only on request; see ``StoreSession/setReadsParts(_:)``.
    public var parts: [EditPreview.Change] = []
    /// The timestamp of the rows that arrived, by their device's clock. If there are several rows,
    /// this is the oldest timestamp, because the oldest row took the longest time to arrive.
    public var written: Timestamp?
    /// The number of log rows that a device wrote, including rows without effect. If `nil`, the
    /// number of marked rows is used.
    public var rowCount: Int?
    /// The event in the form for scripts; `nil` if only the screen uses it.
    public var report: EventReport?

    /// Creates an event of a part.
    public init(
        _ kind: Kind, date: Date, device: DeviceID? = nil, summary: String = "",
        elsewhere: [PaneID: [RowID: RowMark]] = [:], values: [RowID: String] = [:],
        written: Timestamp? = nil,
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
        self.values = values
    }
}

extension SessionEvent {
    static func store(_ subject: String = "store", isMissing: Bool, date: Date = Date()) -> Self {
        isMissing
            ? SessionEvent(.deleted, date: date, summary: "the \(subject) is missing")
            : SessionEvent(.returned, date: date, summary: "the \(subject) is back")
    }

    static func notLoaded(_ error: any Error) -> SessionEvent {
        SessionEvent(.status, date: Date(), summary: String(describing: error))
    }
}

/// The mark on a row after an event.
public enum RowMark: Hashable, Sendable, CaseIterable {
    case new, changed, conflict, deleted
}
