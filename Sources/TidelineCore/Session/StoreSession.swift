public import Foundation
public import Replication

/// One open store, whatever kind of file it is: its panes, its devices, what happens in it.
///
/// The commands and the screen are written against this and nothing below it. Opening returns at
/// once; rows appear as they are read, announced by ``SessionEvent/loaded``.
public protocol StoreSession: AnyObject, Sendable {
    var path: String { get }
    /// The lists on the top floor, in pane order. Those that the file lacks are left out.
    var panes: [Pane] { get }
    /// The header: what the store is and how its devices fare. Cheap; never waits for a file.
    var status: SessionStatus { get }
    /// What happens from now on; each call is a subscription of its own, and the first also gets
    /// what has happened since the store was opened.
    func events() -> AsyncStream<SessionEvent>
    /// Reads what is new, now.
    func reload() async
    /// Allows or forbids writing. A session starts as it was opened.
    func setWritable(_ isWritable: Bool)
    /// The instants at which something was written, coarsened to `buckets` a device.
    func timeline(buckets: Int) async throws -> Timeline
    /// The nearest instant after (or before) `instant` at which a row was written, by `device` or
    /// by any.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// Takes back what was changed and could not be written yet; see ``SessionStatus/unsaved``.
    ///
    /// - Returns: What it was about: keys.
    func withdraw() async throws -> [String]
    /// Saves what is pending and lets go of every file. What could not be saved is lost, and told by
    /// ``SessionStatus/unsaved``.
    func close() async
}

extension StoreSession {
    public func withdraw() async throws -> [String] { [] }
}

/// Changes that are shown and are not on disk.
public struct UnsavedChanges: Hashable, Sendable {
    /// What they are about: keys.
    public var subjects: [String]
    /// Why they could not be written.
    public var reason: String

    public init(subjects: [String], reason: String) {
        self.subjects = subjects
        self.reason = reason
    }
}

/// The name of a pane, as `--pane` takes it.
public struct PaneID: Hashable, Sendable {
    public let name: String
    public init(_ name: String) { self.name = name }

    public static let keys = PaneID("keys")
    public static let log = PaneID("log")
    public static let conflicts = PaneID("conflicts")
    public static let entities = PaneID("entities")
    public static let servers = PaneID("servers")
    public static let documents = PaneID("documents")
    public static let tables = PaneID("tables")
    public static let devices = PaneID("devices")
    public static let blobs = PaneID("blobs")
}

/// One data model of an open store: a pane.
public struct Pane: Sendable {
    public let id: PaneID
    public let source: any RowSource

    public init(_ id: PaneID, _ source: any RowSource) {
        self.id = id
        self.source = source
    }
}

/// How a store and its devices fare at one moment.
public struct SessionStatus: Hashable, Sendable {
    public enum Phase: Hashable, Sendable {
        /// `fraction` is `nil` while the amount of work is unknown.
        case loading(stage: String, fraction: Double?)
        case live
        /// The package was moved or deleted; what was read stays visible.
        case gone
        case failed(String)
    }

    public struct Device: Hashable, Sendable {
        public var id: DeviceID
        public var name: String
        /// `ok`, `incomplete`, `unreadable`, `absent`.
        public var state: String
        public var problem: String?
        public var rows: Int
        public var newest: Timestamp?
        public var isOwn: Bool

        public init(
            id: DeviceID, name: String, state: String, problem: String? = nil, rows: Int = 0,
            newest: Timestamp? = nil, isOwn: Bool = false
        ) {
            self.id = id
            self.name = name
            self.state = state
            self.problem = problem
            self.rows = rows
            self.newest = newest
            self.isOwn = isOwn
        }
    }

    public var phase: Phase
    public var isWritable: Bool
    /// The device that writes go to as; `nil` where nothing can be written.
    public var ownDevice: DeviceID?
    public var devices: [Device]
    public var conflictCount: Int
    /// A count a pane, for tabs and the sidebar.
    public var counts: [PaneID: Int]
    public var problems: [String]
    /// What could not be written and is tried again; after closing, what is lost.
    public var unsaved: UnsavedChanges?

    public init(
        phase: Phase, isWritable: Bool = false, ownDevice: DeviceID? = nil,
        devices: [Device] = [], conflictCount: Int = 0, counts: [PaneID: Int] = [:],
        problems: [String] = []
    ) {
        self.phase = phase
        self.isWritable = isWritable
        self.ownDevice = ownDevice
        self.devices = devices
        self.conflictCount = conflictCount
        self.counts = counts
        self.problems = problems
    }
}

/// Something that happened in an open store.
public struct SessionEvent: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case loaded
        /// Rows of a pane were written, by this device (`isOwn`) or by another.
        case changed(PaneID, rows: [RowID: RowMark], isOwn: Bool)
        case conflict(RowID)
        case resolved(RowID)
        case device(state: String, problem: String?)
        case blob(String)
        case status
        case deleted
    }

    public var kind: Kind
    public var date: Date
    public var device: DeviceID?
    /// One line for the event feed: `ipad +3 note/2/*`.
    public var summary: String
    /// Rows of other panes that the same news is about: the log rows that changed some keys.
    public var elsewhere: [PaneID: [RowID: RowMark]]

    public init(
        _ kind: Kind, date: Date, device: DeviceID? = nil, summary: String = "",
        elsewhere: [PaneID: [RowID: RowMark]] = [:]
    ) {
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

/// When each device wrote, coarsened.
public struct Timeline: Hashable, Sendable {
    public var first: Timestamp
    public var last: Timestamp
    /// Rows a bucket, a device.
    public var activity: [DeviceID: [Int]]

    public init(first: Timestamp, last: Timestamp, activity: [DeviceID: [Int]]) {
        self.first = first
        self.last = last
        self.activity = activity
    }
}
