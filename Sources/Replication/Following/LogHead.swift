public import GRDB

/// Empty notes, for logs with no state besides the cursor.
public struct NoNotes: Sendable {
    /// Creates empty notes.
    public init() {}
}

/// The state of a log after a reading.
public struct LogHead<Notes: Sendable>: Sendable {
    /// The name and version of the row format.
    public var form: String
    /// The position of the reader.
    public var cursor: LogCursor
    /// The number of rows read, including those left out.
    public var rowCount = 0
    /// The number of rows left out because of invalid times.
    public var leftOutCount = 0
    /// The oldest and the newest time among the rows in use, in microseconds.
    public var first: Int64?
    public var last: Int64?
    /// The reason why reading stopped before the end. `.incomplete`: rows are missing.
    /// `.unreadable`: the file is damaged, possibly outside its rows.
    public var stop: ReplicationError?
    /// Problems that don't end the reading, as clauses.
    public private(set) var remarks: [String] = []
    /// The notes of the store.
    public var notes: Notes

    /// Creates the head of a log that hasn't been read.
    public init(form: String, cursor: LogCursor = .start, notes: Notes) {
        self.form = form
        self.cursor = cursor
        self.notes = notes
    }

    /// The newest time among the rows in use.
    public var newest: Timestamp { last.map(Timestamp.init(microseconds:)) ?? .distantPast }

    /// Returns the newest time in an open log. The time of a new row must be later.
    ///
    /// Ignores rows that are more than a day later than the new row. The clock of their writer was
    /// wrong, and a new row that had to follow them would get a wrong time.
    ///
    /// - Parameter column: The column with the times of rows.
    /// - Throws: SQLite's errors.
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

    /// Records a row's time.
    ///
    /// - Returns: Whether the time is valid. Leave out the row if not.
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

    /// Records a row that is left out because its time is invalid.
    public mutating func leaveOut() {
        leftOutCount += 1
        addRemark(Timestamp.unrecordableProblem)
    }

    /// Adds a remark unless the head already has it.
    public mutating func addRemark(_ remark: String) {
        if !remarks.contains(remark) { remarks.append(remark) }
    }

    /// Removes a remark.
    public mutating func removeRemark(_ remark: String) { remarks.removeAll { $0 == remark } }

    /// Records a row that is about to be appended.
    ///
    /// - Returns: Its id.
    /// - Throws: ``ReplicationError`` if the log has no ids left.
    public mutating func append(at timestamp: Int64) throws(ReplicationError) -> Int64 {
        let (id, overflow) = cursor.lastID.addingReportingOverflow(1)
        guard !overflow else {
            throw ReplicationError(.unreadable, "the log has no row numbers left")
        }
        cursor = LogCursor(identity: cursor.identity, lastID: id, mark: timestamp)
        rowCount += 1
        note(timestamp)
        return id
    }
}

/// The result of reading a log.
public enum LogReading<Batch: Sendable, Notes: Sendable>: Sendable {
    /// The new rows.
    case rows(Batch, LogHead<Notes>)
    /// The log was replaced or restored from an older copy. All logs must be read again.
    case replaced
}

/// Rows of one log that were read together.
public struct LogRows<Batch: Sendable, Notes: Sendable>: Sendable {
    /// The device that wrote the log.
    public let device: DeviceID
    /// The rows.
    public let batch: Batch
    /// The state of the log after the rows.
    public let head: LogHead<Notes>
    /// The number of rows in the log before the new rows.
    public let formerCount: Int
    /// The time of the event that led to the reading; `nil` if a caller requested the reading.
    public let since: ContinuousClock.Instant?
    /// Whether these rows are from another process of this device, and were found while this
    /// process appended rows.
    public let isBehindWrite: Bool
}

/// The result of reading all logs.
public struct LogLoad<Whole, Notes: Sendable> {
    /// The result of reading one log.
    public struct Found: Sendable {
        /// The state of the log.
        public let head: LogHead<Notes>
        /// The state of the file.
        public let stamp: FileStamp

        /// Creates the result of a log that was read completely or up to a gap.
        public init(head: LogHead<Notes>, stamp: FileStamp) {
            self.head = head
            self.stamp = stamp
        }
    }

    /// All rows that could be read.
    public let whole: Whole
    /// The result for each log, without devices that have none.
    public let logs: [DeviceID: Result<Found, ReplicationError>]

    /// Creates the result of reading all logs.
    public init(whole: Whole, logs: [DeviceID: Result<Found, ReplicationError>]) {
        self.whole = whole
        self.logs = logs
    }
}
