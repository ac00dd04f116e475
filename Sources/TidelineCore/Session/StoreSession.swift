public import Foundation
public import Replication

/// One open store, whatever kind of file it is: its panes, its devices, what happens in it.
///
/// The commands and the screen are written against this and nothing below it. Opening returns at
/// once; rows appear as they are read, announced by ``SessionEvent/Kind/loaded``.
public protocol StoreSession: AnyObject, Sendable {
    /// Where the store is, symbolic links resolved.
    var path: String { get }
    /// The lists on the top floor, in pane order. Those that the file lacks are left out.
    var panes: [Pane] { get }
    /// The header: what the store is and the status of its devices. Cheap; never waits for a file.
    var status: SessionStatus { get }
    /// What happens from now on; each call is a subscription of its own, and the first also gets
    /// what has happened since the store was opened.
    func events() -> AsyncStream<SessionEvent>
    /// Reads what is new, now.
    func reload() async
    /// Allows or forbids writing. A session starts as it was opened.
    func setWritable(_ isWritable: Bool)
    /// The instants at which something was written, coarsened to `buckets` a device.
    ///
    /// - Throws: ``CoreError``, `.noAnswer`, where nothing has a past; what reading meets.
    func timeline(buckets: Int) async throws -> Timeline
    /// The nearest instant after (or before) `instant` at which a row was written, by `device` or
    /// by any.
    ///
    /// - Throws: What reading meets.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// Takes back what was changed and could not be written yet; see ``SessionStatus/unsaved``.
    ///
    /// - Returns: What it was about: keys.
    /// - Throws: What reading the store anew meets.
    func withdraw() async throws -> [String]
    /// Saves what is pending and lets go of every file. What could not be saved is lost, and told by
    /// ``SessionStatus/unsaved``.
    func close() async
}

extension StoreSession {
    /// Nothing: what is written is on disk at once.
    public func withdraw() async throws -> [String] { [] }
}

/// Changes that somebody made and that are not on disk.
public struct UnsavedChanges: Hashable, Sendable {
    /// What they are about: keys, edits of entities.
    public var subjects: [String]
    /// Why they could not be written.
    public var reason: String

    /// Changes with the reason why they wait.
    public init(subjects: [String], reason: String) {
        self.subjects = subjects
        self.reason = reason
    }

    /// Those of two parts of a store.
    static func + (lhs: Self?, rhs: Self) -> Self {
        guard let lhs else { return rhs }
        return Self(
            subjects: lhs.subjects + rhs.subjects,
            reason: lhs.reason == rhs.reason ? lhs.reason : "\(lhs.reason); \(rhs.reason)")
    }
}

/// The name of a pane, as `--pane` takes it.
public struct PaneID: Hashable, Sendable {
    /// The name, in lower case.
    public let name: String
    /// The identifier of that name, whether a store has such a list or not.
    public init(_ name: String) { self.name = name }

    /// The keys of the dictionary, with their values.
    public static let keys = PaneID("keys")
    /// The rows of all logs, by time.
    public static let log = PaneID("log")
    /// The keys on which devices disagree.
    public static let conflicts = PaneID("conflicts")
    /// The entities.
    public static let entities = PaneID("entities")
    /// The servers of a catalog.
    public static let servers = PaneID("servers")
    /// The content of a document.
    public static let documents = PaneID("documents")
    /// The tables of a database.
    public static let tables = PaneID("tables")
    /// The devices of a package.
    public static let devices = PaneID("devices")
    /// The files under `Blobs/`.
    public static let blobs = PaneID("blobs")
}

/// One data model of an open store: a pane.
public struct Pane: Sendable {
    public let id: PaneID
    /// Where its rows come from.
    public let source: any RowSource

    /// A list under a name.
    public init(_ id: PaneID, _ source: any RowSource) {
        self.id = id
        self.source = source
    }
}

/// The status of a store and of its devices at one moment.
public struct SessionStatus: Hashable, Sendable {
    /// How far opening has come.
    public enum Phase: Hashable, Sendable {
        /// `fraction` is `nil` while the amount of work is unknown.
        case loading(stage: String, fraction: Double?)
        /// All is read; what is written arrives.
        case live
        /// The package was moved or deleted; what was read stays visible.
        case gone
        /// It cannot be read, and why.
        case failed(String)
    }

    /// What is known of one device.
    public struct Device: Hashable, Sendable {
        public var id: DeviceID
        /// What people call the device.
        public var name: String
        /// `ok`, `incomplete`, `unreadable`, `absent`.
        public var state: String
        /// Why it is not `ok`, or what else is wrong.
        public var problem: String?
        /// How many rows of it are read.
        public var rows: Int
        /// Its newest timestamp.
        public var newest: Timestamp?
        /// Whether it is the device that writes go to as.
        public var isOwn: Bool

        /// A device's status as a part knows it.
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

    /// How far opening has come.
    public var phase: Phase
    /// Whether edits are let through now.
    public var isWritable: Bool
    /// The device that writes go to as; `nil` where nothing can be written.
    public var ownDevice: DeviceID?
    /// Each device of the store.
    public var devices: [Device]
    /// The number of keys on which devices disagree.
    public var conflictCount: Int
    /// A count a pane, for tabs and the sidebar.
    public var counts: [PaneID: Int]
    /// What is wrong, each thing in one line.
    public var problems: [String]
    /// What could not be written and is tried again; after closing, what is lost.
    public var unsaved: UnsavedChanges?

    /// A header to which the parts add what they know.
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
    /// What can happen.
    public enum Kind: Hashable, Sendable {
        /// The store, or a part of it, was read: look at everything again.
        case loaded
        /// Rows of a pane were written, by this device (`isOwn`) or by another.
        case changed(PaneID, rows: [RowID: RowMark], isOwn: Bool)
        /// Devices have begun to disagree about this row.
        case conflict(RowID)
        /// Devices no longer disagree about this row.
        case resolved(RowID)
        /// The device's state or problem changed.
        case device(state: String, problem: String?)
        /// A file under `Blobs/` appeared, changed or went.
        case blob(String)
        /// The header has changed.
        case status
        /// The store is gone from its place.
        case deleted
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

    /// An event as a part tells it.
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
    /// The oldest instant.
    public var first: Timestamp
    /// The newest instant.
    public var last: Timestamp
    /// Rows a bucket, a device.
    public var activity: [DeviceID: [Int]]

    /// Counts of rows in equal parts of the time from `first` to `last`.
    public init(first: Timestamp, last: Timestamp, activity: [DeviceID: [Int]]) {
        self.first = first
        self.last = last
        self.activity = activity
    }
}
