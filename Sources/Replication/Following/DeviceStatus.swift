/// The status of one device's log in a store.
public struct DeviceStatus: Hashable, Sendable {
    /// Whether the device's log could be read at the last attempt.
    public enum State: String, Sendable {
        /// All rows are read.
        case ok
        /// The file is incomplete or locked. The store shows the rows that it has already read, or
        /// the rows before a gap, and reads the file again later.
        case incomplete
        /// The file is damaged or can't be read. The store shows the rows that it has already read,
        /// or the rows that are still readable.
        case unreadable
        /// The device has a folder without a log of this store, or the log or the folder was
        /// deleted. The store shows the rows that it has already read.
        case absent
    }

    /// The device, by the name of its folder.
    public let device: DeviceID
    /// The device's display name if the store knows it; otherwise its identifier.
    public var name: String
    /// Whether the store writes as this device.
    public var isOwn: Bool
    /// Whether the log could be read at the last attempt.
    public var state = State.absent
    /// Whether the file was incomplete at the first attempt. Usually, another program is still
    /// writing the file, so it is read again shortly.
    public var isEarly = false
    /// The reason why the state is not `ok`, or another problem, as a sentence.
    public var problem: String?
    /// A suggestion for fixing the problem, if any.
    public var suggestion: Suggestion?
    /// The kind of failure if the state is `unreadable`; `nil` if it isn't known.
    package var failure: ErrorCategory?
    /// The name and version of the row format; `nil` until the log was read once.
    public var form: String?
    /// The number of rows read.
    public var rows = 0
    /// The number of keys with rows from this device, if the store counts them.
    public var keys = 0
    /// The oldest time among the rows read; `nil` without rows.
    public var first: Timestamp?
    /// The newest time among the rows read; `nil` without rows.
    public var last: Timestamp?
    /// The size of the file in bytes.
    public var bytes: Int64 = 0
    /// Whether the newest row is so far ahead that the device's clock must be wrong.
    public var hasClockProblem = false
    /// Files that a sync service left next to the log.
    public var findings: [SyncServiceFile] = []
    /// Whether the folder is certainly a copy of the folder of another device in the store.
    package var isCopy = false
    /// The last row in use, if later rows wait for missing ones.
    package var lastID: Int64?
    /// Whether some rows are left out, so that a row's number isn't the number of rows up to it.
    package var leavesOutRows = false

    /// Creates the status of an unknown device.
    public init(_ device: DeviceID, isOwn: Bool = false) {
        self.device = device
        self.name = device.name
        self.isOwn = isOwn
    }

    /// The reason why rows can't be appended to the log, or `nil` if rows can be appended. A new
    /// row must follow all existing rows, so the store must know all of them.
    ///
    /// A log that is currently being written doesn't prevent appending: the transaction reads the
    /// remaining rows.
    public var refusal: String? {
        switch state {
        case .ok, .absent: nil
        case .incomplete: lastID == nil ? nil : problem
        case .unreadable: problem ?? "it can't be read"
        }
    }

    /// The problem if some of the device's rows can't be read now; otherwise `nil`. Also `nil` for
    /// a copy of another device's folder (``isCopy``), because the store doesn't include copies.
    package var unreadProblem: String? {
        let isLost = state == .absent && rows > 0
        guard isLost || [.incomplete, .unreadable].contains(state), !isCopy else { return nil }
        return problem ?? "it is incomplete"
    }

    /// The kind of failure if some of the device's rows can't be read now (``unreadProblem``);
    /// otherwise `nil`. An incomplete file can be read later, so it isn't bad data.
    package var unreadCategory: ErrorCategory? {
        guard unreadProblem != nil else { return nil }
        return state == .unreadable ? failure ?? .badData : .inputOutput
    }

    /// The problem if merging this store into another one would leave out rows of the device or of
    /// copies; otherwise `nil`.
    package var unmergedProblem: String? {
        unreadProblem ?? (suggestion?.action == .mergeCopy ? problem : nil)
    }

    /// The status without the values that change with every row. Subscribers are notified if it
    /// changes.
    package var notable: DeviceStatus {
        var status = self
        (status.rows, status.keys, status.bytes) = (0, 0, 0)
        (status.first, status.last) = (nil, nil)
        return status
    }
}

extension DeviceStatus {
    /// Creates the status of a device whose log was read.
    package init<Notes>(_ device: DeviceID, _ head: LogHead<Notes>) {
        self.init(device)
        note(head)
    }

    /// Updates the status from a log that was read.
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
        if problem == nil, !head.remarks.isEmpty {
            problem = head.remarks.joined(separator: "; ")
        }
    }

    /// Updates the status from the error of a log that could not be read.
    package mutating func note(_ problem: ReplicationError) {
        switch problem.code {
        case .incomplete, .busy: state = .incomplete
        case .notFound: state = .absent
        default: state = .unreadable
        }
        failure = state == .unreadable ? problem.category : nil
        self.problem = problem.message
        suggestion = problem.code == .deviceCopy ? problem.suggestion : nil
    }
}

extension ReplicationError {
    /// Whether reading the log again may succeed.
    package var isTransient: Bool { code == .incomplete || code == .unreadable || code == .busy }

    /// The problem of a known log that no longer exists.
    static let logIsMissing = ReplicationError(
        .notFound, "the log was deleted; its known rows are still shown")
}
