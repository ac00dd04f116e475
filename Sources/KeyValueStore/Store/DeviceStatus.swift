public import Replication

/// The form of a device's log.
public enum LogFormat: String, Sendable, CaseIterable {
    /// This library's own.
    case tideline2 = "tideline-2"
    /// Core Data's, as PARStore 1 wrote it.
    case parstore1 = "parstore-1"
}

/// What is known of one device's log.
public struct DeviceStatus: Hashable, Sendable {
    /// Whether the device's log could be read when it was last looked at.
    public enum State: String, Sendable {
        /// All of it is read.
        case ok
        /// The file is half there: what was known before, or what comes before a gap, is shown.
        case incomplete
        /// The file cannot be read; what was known before is shown.
        case unreadable
        /// The device has a folder and no log in it, or its log has gone.
        case absent
    }

    /// The device, by the name of its folder.
    public let device: DeviceID
    /// What people call the device: from `Blobs/info/`, else its identifier.
    public var name: String
    /// Whether this is the device that the store writes as.
    public var isOwn: Bool
    /// Whether the log could be read when it was last looked at.
    public var state: State
    /// Why the state is not `ok`, or what else is wrong, as a sentence.
    public var problem: String?
    /// `nil` until the log was read once.
    public var format: LogFormat?
    /// Rows that are read.
    public var rows: Int
    /// Keys of which the device has rows.
    public var keys: Int
    /// The oldest timestamp among the rows that are read; `nil` without rows.
    public var first: Timestamp?
    /// The newest timestamp among the rows that are read; `nil` without rows.
    public var last: Timestamp?
    /// Size of the file.
    public var bytes: Int64
    /// Whether its newest row lies so far ahead that its clock must be wrong.
    public var hasClockProblem: Bool
    /// Files that a sync service left beside the log.
    public var findings: [SyncServiceFile]
    /// The last row that counts, where rows behind it wait for others that are missing.
    var lastID: Int64?
    /// Whether some of its rows are left out, so that numbers do not count them.
    var leavesOutRows = false

    /// Why nothing may be appended to the log: what it holds is not known whole, so a new row could
    /// not come after all that it has. `nil` where it may.
    ///
    /// One that is only being written just now may be appended to: the transaction reads the rest.
    var refusal: String? {
        switch state {
        case .ok, .absent: nil
        case .incomplete: lastID == nil ? nil : problem
        case .unreadable: problem ?? "it cannot be read"
        }
    }

    init(_ device: DeviceID, isOwn: Bool) {
        self.device = device
        self.name = device.name
        self.isOwn = isOwn
        state = .absent
        rows = 0
        keys = 0
        bytes = 0
        hasClockProblem = false
        findings = []
    }
}
