public import GRDB

/// Nothing to remember of a log beside how far it was read.
public struct NoNotes: Sendable {
    /// Nothing.
    public init() {}
}

/// What is known of a log as a whole once it was read.
public struct LogHead<Notes: Sendable>: Sendable {
    /// The name and version of the form of its rows.
    public var form: String
    /// How far it was read.
    public var cursor: LogCursor
    /// How many rows were read, those included that were left out.
    public var rowCount = 0
    /// How many of them were left out for their times.
    public var leftOutCount = 0
    /// The oldest and the newest time among the rows that count, in microseconds.
    public var first: Int64?
    public var last: Int64?
    /// Why reading stopped before the end: `.incomplete` where rows are missing; or `.unreadable`,
    /// that the file is damaged, though maybe elsewhere than in its rows.
    public var stop: ReplicationError?
    /// What else there is to say of it, as a clause.
    public var remark: String?
    /// What the store remembers of it.
    public var notes: Notes

    /// The head of a log of which nothing was read.
    public init(form: String, cursor: LogCursor = .start, notes: Notes) {
        self.form = form
        self.cursor = cursor
        self.notes = notes
    }

    /// The newest time among the rows that count.
    public var newest: Timestamp { last.map(Timestamp.init(microseconds:)) ?? .distantPast }

    /// Returns the newest time among the rows of an open log that a new row has to follow.
    ///
    /// Rows more than a day later than the new one are left aside: a clock that was wrong wrote them,
    /// and nothing could be written at normal times after them.
    ///
    /// - Parameters:
    ///   - time: The time of the new row.
    ///   - table: The table of rows.
    ///   - column: The column of their times.
    public func newest(
        near time: Timestamp, in db: Database, table: String = "log", column: String = "timestamp"
    ) throws -> Timestamp {
        let limit = HybridClock.limit(at: time)
        guard newest > limit else { return newest }
        let last = try Int64.fetchOne(
            db, sql: "SELECT max(\(column)) FROM \(table) WHERE \(column) <= ?",
            arguments: [limit.microseconds])
        return last.map(Timestamp.init(microseconds:)) ?? .distantPast
    }

    /// Takes note of a row's time.
    ///
    /// - Returns: Whether a row can have it; one that has another is to be left out.
    @discardableResult
    public mutating func note(_ timestamp: Int64) -> Bool {
        guard Timestamp.isRecordable(timestamp) else {
            leaveOut()
            return false
        }
        first = min(first ?? timestamp, timestamp)
        last = max(last ?? timestamp, timestamp)
        return true
    }

    /// Takes note of a row with a time that none can have, which is left out.
    public mutating func leaveOut() {
        leftOutCount += 1
        remark = remark ?? Timestamp.unrecordableProblem
    }

    /// Takes note of a row that is about to be appended.
    ///
    /// - Returns: Its id.
    /// - Throws: ``ReplicationError`` where the log has no numbers left.
    public mutating func append(at timestamp: Int64) throws(ReplicationError) -> Int64 {
        let (id, overflow) = cursor.lastID.addingReportingOverflow(1)
        guard !overflow else {
            throw ReplicationError(.unreadable, "the log has no numbers left")
        }
        cursor = LogCursor(identity: cursor.identity, lastID: id, mark: timestamp)
        rowCount += 1
        note(timestamp)
        return id
    }
}

/// What one reading of a log came to.
public enum LogReading<Batch: Sendable, Notes: Sendable>: Sendable {
    /// The rows that came since.
    case rows(Batch, LogHead<Notes>)
    /// The log is not the one that was read before, or went back: all must be read anew.
    case replaced
}

/// Rows of one log that were read together.
public struct LogRows<Batch: Sendable, Notes: Sendable>: Sendable {
    /// Whose log it is.
    public let device: DeviceID
    /// The rows.
    public let batch: Batch
    /// The log after them.
    public let head: LogHead<Notes>
    /// How many rows the log had before.
    public let formerCount: Int
    /// When the event was seen that led to them; `nil` if somebody asked.
    public let since: ContinuousClock.Instant?
    /// Whether they were found by a write: rows of another process of this device.
    public let isBehindWrite: Bool
}

/// What reading all logs came to.
public struct LogLoad<Whole, Notes: Sendable> {
    /// How one log was found.
    public struct Found: Sendable {
        /// The log as it was read.
        public let head: LogHead<Notes>
        /// The state of the file.
        public let stamp: FileStamp

        /// A log that was read whole, or up to a gap.
        public init(head: LogHead<Notes>, stamp: FileStamp) {
            self.head = head
            self.stamp = stamp
        }
    }

    /// All rows that could be read.
    public let whole: Whole
    /// What became of each log; devices without one are left out.
    public let logs: [DeviceID: Result<Found, ReplicationError>]

    /// What reading all logs came to.
    public init(whole: Whole, logs: [DeviceID: Result<Found, ReplicationError>]) {
        self.whole = whole
        self.logs = logs
    }
}
