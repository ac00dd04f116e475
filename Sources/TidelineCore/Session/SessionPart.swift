public import Replication

/// One data model within an open store: its panes, and what it knows of the store.
///
/// A package is several parts side by side; a single file is one. A part returns what it knows as
/// values (``status``), and the session merges those of all parts; no part sees another.
public protocol SessionPart: AnyObject, Sendable {
    /// The lists that the part adds. Their identifiers have the part's own name, which no other
    /// part of the session has.
    var panes: [Pane] { get }
    /// The lists that the part can add, those that there are and those that may appear, in their
    /// order: always the same ones.
    var possiblePanes: [PaneID] { get }
    /// What the part knows at this moment. Cheap; never waits for a file.
    var status: PartStatus { get }
    /// Begins to load and to watch. Returns at once; `emit` may be called from any thread.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void)
    /// Reads what is new, now.
    ///
    /// - Throws: What reading meets.
    func reload() async throws
    /// The files of a device are in another state than before, before it is told.
    func devicesChanged()
    /// Allows or forbids writing.
    func setWritable(_ isWritable: Bool)
    /// When each device wrote; empty where the part has no past.
    ///
    /// - Parameter buckets: How finely the whole is shown: a part that has to gather its instants
    ///   gives that many of them a device.
    /// - Throws: What reading meets.
    func activity(buckets: Int) async throws -> Activity
    /// The nearest instant at which something was written; `nil` where there is none.
    ///
    /// - Throws: What reading meets.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// What `device`, or any, wrote at an instant, the first of it where it is much.
    ///
    /// - Throws: What reading meets.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite]
    /// Takes back what was changed and could not be written yet.
    ///
    /// - Returns: What it was about: keys.
    /// - Throws: What reading the store anew meets.
    func withdraw() async throws -> [String]
    /// Saves what is pending and lets go of every file. What could not be saved is told by
    /// ``status`` from then on.
    func close() async
}

extension SessionPart {
    /// Those that there are: none comes later.
    public var possiblePanes: [PaneID] { panes.map(\.id) }
    /// Does nothing: the part follows the files that it shows by itself.
    public func devicesChanged() {}
    /// None: the part has no past.
    public func activity(buckets: Int) async throws -> Activity { Activity() }
    /// `nil`: the part has no past.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    { nil }
    /// None: the part does not tell.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] { [] }
    /// Does nothing: nothing here can be written.
    public func setWritable(_ isWritable: Bool) {}
    /// Nothing: what is written is on disk at once.
    public func withdraw() async throws -> [String] { [] }
}

/// What a part of a store knows of itself at one moment.
public struct PartStatus: Hashable, Sendable {
    /// How far the part is; `nil`: there is nothing of it here, which is nothing to wait for.
    public var phase: SessionStatus.Phase?
    /// Who writes; `nil` where the part cannot be written.
    public var ownDevice: DeviceID?
    /// What its store has of each device.
    public var devices: [DeviceReport]
    /// How many rows there are that devices disagree about.
    public var conflictCount: Int
    /// Whether these are all: nothing is left that was not looked at.
    public var hasCountedConflicts = true
    /// A count a pane, for tabs and the sidebar.
    public var counts: [PaneID: Int]
    /// What is wrong beside what ``devices`` say, each thing in one line.
    public var problems: [String]
    /// What could not be written and is tried again; after closing, what is lost.
    public var unsaved: UnsavedChanges?
    /// What looking at all files has found; `nil` before anybody looked.
    public var findings: [Finding]?

    /// A status with as much as the part has to say.
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
