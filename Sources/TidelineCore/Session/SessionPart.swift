public import Replication

/// One data model of an open store: its panes and its status.
///
/// A package has several parts, a single file has one. A part returns its state as values
/// (``status``), and the session merges the states of all parts. The parts of data models don't
/// depend on each other.
public protocol SessionPart: SessionOperations {
    /// The panes of the part. Their identifiers contain the part's name, which is unique in the
    /// session. Their groups decide where they are among the panes of the session.
    var panes: [Pane] { get }
    /// All panes that the part may ever have, in their fixed order.
    var possiblePanes: [Pane] { get }
    /// The conflicts of the part, for the list of all conflicts; `nil` if the part can't have
    /// conflicts.
    var conflicts: (any ConflictListing)? { get }
    /// The current status. Reading it is cheap and never waits for a file.
    var status: PartStatus { get }
    /// Starts loading and watching, and returns at once.
    ///
    /// - Parameter emit: Receives the events. It can be called from any thread.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void)
    /// Reacts to a changed state of a device's files. Called before the change is reported.
    func devicesChanged()
    /// Returns the write activity of each device; empty if the part has no history.
    ///
    /// - Parameter buckets: The resolution of the timeline. A part that has to collect its instants
    ///   returns this number of samples per device.
    /// - Throws: Errors from reading.
    func activity(buckets: Int) async throws -> Activity
}

extension SessionPart {
    /// The current panes, because no pane is added later.
    public var possiblePanes: [Pane] { panes }
    /// Returns `nil`, because devices can't disagree about this data.
    public var conflicts: (any ConflictListing)? { nil }
    /// Does nothing, because the part watches its own files.
    public func devicesChanged() {}
    /// Returns an empty activity, because the part has no history.
    public func activity(buckets: Int) async throws -> Activity { Activity() }
    /// Returns `nil`, because the part has no history.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    { nil }
    /// Does nothing, because the part is read-only.
    public func setWritable(_ isWritable: Bool) {}
}

/// A part that follows the logs of a data model.
package protocol LogPart: SessionPart {
    /// The kind of database that contains the logs.
    var kind: DatabaseKind { get }
    /// The status of each log; `nil` before all have been loaded.
    var logStatuses: [DeviceStatus]? { get }
}

/// The status of a part at one moment.
public struct PartStatus: Hashable, Sendable {
    /// The loading phase; `nil` if the store has none of this data, so that nothing needs to load.
    public var phase: SessionStatus.Phase?
    /// The writing device; `nil` if the part can't be written.
    public var ownDevice: DeviceID?
    /// The state of each device in this store.
    public var devices: [DeviceReport]
    /// The number of rows in conflict.
    public var conflictCount: Int
    /// Whether ``conflictCount`` is complete.
    public var hasCountedConflicts = true
    /// The number of rows per pane, for tabs and the sidebar.
    public var counts: [PaneID: Int]
    /// Problems that don't belong to one of ``devices``, one line each.
    public var problems: [String]
    /// The changes that couldn't be written and are retried. After closing, the lost changes.
    public var unsaved: UnsavedChanges?
    /// The findings of the file check; `nil` before the first check.
    public var findings: [DoctorFinding]?

    /// Creates a status.
    public init(
        phase: SessionStatus.Phase?, ownDevice: DeviceID? = nil, devices: [DeviceReport] = [],
        conflictCount: Int = 0, counts: [PaneID: Int] = [:], problems: [String] = [],
        unsaved: UnsavedChanges? = nil
    ) {
        self.phase = phase
        self.ownDevice = ownDevice
        self.devices = devices
        self.conflictCount = conflictCount
        self.counts = counts
        self.problems = problems
        self.unsaved = unsaved
    }
}
