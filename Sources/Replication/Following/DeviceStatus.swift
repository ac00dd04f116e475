/// What is known of one device's log in a store.
public struct DeviceStatus: Hashable, Sendable {
    /// Whether the device's log could be read when it was last looked at.
    public enum State: String, Sendable {
        /// All of it is read.
        case ok
        /// The file is half there, or kept locked: what was known before, or what comes before a gap,
        /// is shown, and the file is looked at again.
        case incomplete
        /// The file cannot be read, or is damaged; what was known before, or can be read, is shown.
        case unreadable
        /// The device has a folder and no such file in it, or its file or folder has gone; what was
        /// known before is shown.
        case absent
    }

    /// The device, by the name of its folder.
    public let device: DeviceID
    /// What people call the device, where the store knows; else its identifier.
    public var name: String
    /// Whether this is the device that the store writes as.
    public var isOwn: Bool
    /// Whether the log could be read when it was last looked at.
    public var state: State
    /// Whether the file was half there when it was looked at for the first time: most often it is just
    /// being written, and it is looked at again in a moment.
    public var isEarly = false
    /// Why the state is not `ok`, or what else is wrong, as a sentence.
    public var problem: String?
    /// The name and version of the form of its rows; `nil` until the log was read once.
    public var form: String?
    /// Rows that are read.
    public var rows: Int
    /// Things of which the device has rows, where the store counts them: keys.
    public var keys: Int
    /// The oldest time among the rows that are read; `nil` without rows.
    public var first: Timestamp?
    /// The newest time among the rows that are read; `nil` without rows.
    public var last: Timestamp?
    /// Size of the file in bytes.
    public var bytes: Int64
    /// Whether its newest row lies so far ahead that its clock must be wrong.
    public var hasClockProblem: Bool
    /// Files that a sync service left beside the log.
    public var findings: [SyncServiceFile]
    /// The last row that counts, where rows behind it wait for others that are missing.
    package var lastID: Int64?
    /// Whether some of its rows are left out, so that numbers do not count them.
    package var leavesOutRows = false

    /// The status of a device of which nothing is known yet.
    public init(_ device: DeviceID, isOwn: Bool = false) {
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

    /// Why nothing may be appended to the log: what it holds is not known whole, so a new row could
    /// not come after all that it has. `nil` where it may.
    ///
    /// One that is only being written just now may be appended to: the transaction reads the rest.
    public var refusal: String? {
        switch state {
        case .ok, .absent: nil
        case .incomplete: lastID == nil ? nil : problem
        case .unreadable: problem ?? "it cannot be read"
        }
    }

    /// Without what every row changes: what is worth telling.
    package var notable: DeviceStatus {
        var status = self
        (status.rows, status.keys, status.bytes) = (0, 0, 0)
        (status.first, status.last) = (nil, nil)
        return status
    }
}

extension DeviceStatus {
    /// The status of a device whose log was read.
    package init<Notes>(_ device: DeviceID, _ head: LogHead<Notes>) {
        self.init(device)
        note(head)
    }

    /// Notes what is known of a log that was read.
    mutating func note<Notes>(_ head: LogHead<Notes>) {
        state = .ok
        form = head.form
        rows = head.rowCount - head.leftOutCount
        leavesOutRows = head.leftOutCount > 0
        first = head.first.map(Timestamp.init(microseconds:))
        last = head.last.map(Timestamp.init(microseconds:))
        if let stop = head.stop {
            note(stop)
            if stop.code == .incomplete { lastID = head.cursor.lastID }
        }
        problem = problem ?? head.remark
    }

    /// Notes what is wrong with a log that could not be read.
    package mutating func note(_ problem: ReplicationError) {
        switch problem.code {
        case .incomplete, .busy: state = .incomplete
        case .notFound: state = .absent
        default: state = .unreadable
        }
        self.problem = problem.message
    }
}

extension ReplicationError {
    /// Whether looking again at a log may show something else.
    package var mayHeal: Bool { code == .incomplete || code == .unreadable || code == .busy }

    /// What is wrong with a log that was known and is not there any more.
    static let logIsGone = ReplicationError(
        .notFound, "its file has gone; what was read of it is still shown")
}
