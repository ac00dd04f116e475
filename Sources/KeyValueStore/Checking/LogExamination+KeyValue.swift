package import GRDB
package import Replication

extension LogExamination {
    /// Examines each row of a log of keys and values, in either format.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, `.unreadable` if the database is not a log of
    ///   keys and values; `DatabaseError` if a page is damaged.
    /// - Complexity: O(*n*) in the size of the log. Values are checked but not decoded.
    package init(keyValueLog db: Database) throws {
        let form = try LogForm.detect(db, path: "the log")
        switch form.format {
        case .tideline2:
            try self.init(
                db, TidelineLog.identity(of: db), table: TidelineLog.table,
                isOdd: """
                    typeof(key) <> 'text' OR typeof(value) NOT IN ('blob', 'null')
                        OR typeof(parents) NOT IN ('blob', 'null')
                    """)
            if try ForkTable.exists(.fork, in: db) {
                forkedCount = try Int64.fetchOne(db, sql: "SELECT count(*) FROM fork") ?? 0
            }
            try countBroken(db)
            try examineParents(db)
        case .parstore1:
            self.init(form: form.format.rawValue)
            // Rows without a key or time don't count as invalid, because PARStore skips them.
            try examine(
                db, LogTable(name: form.table, id: form.id, mark: form.timestamp), isOdd: "0")
            (invalidCount, firstInvalid) = (0, nil)
            newestLeading = newest
        }
    }

    /// Returns the newest valid time of a log in this library's own format; `nil` for other formats
    /// and empty logs.
    ///
    /// - Throws: As ``init(keyValueLog:)``.
    package static func newest(keyValueLog db: Database) throws -> Timestamp? {
        guard try LogForm.detect(db, path: "the log").format == .tideline2 else { return nil }
        return try Int64.fetchOne(
            db, sql: "SELECT max(timestamp) FROM log WHERE timestamp <= ?",
            arguments: [Timestamp.latest.microseconds]
        ).map(Timestamp.init(microseconds:))
    }

    /// Returns whether a log in this library's own format lacks a row with the given time. Returns
    /// `false` for other formats, and for logs with a gap in their row numbers.
    ///
    /// - Throws: As ``init(keyValueLog:)``.
    package static func lacksRow(at time: Timestamp, keyValueLog db: Database) throws -> Bool {
        guard try LogForm.detect(db, path: "the log").format == .tideline2 else { return false }
        return try Bool.fetchOne(
            db,
            sql: """
                SELECT NOT EXISTS (SELECT 1 FROM log WHERE timestamp = ?)
                    AND (SELECT count(*) = ifnull(max(id), 0) FROM log)
                """, arguments: [time.microseconds]) ?? false
    }

    private mutating func countBroken(_ db: Database) throws {
        // Values longer than one mebibyte are not checked.
        let rows = try Stepper(
            db,
            """
            SELECT id, value FROM log
            WHERE typeof(value) = 'blob' AND length(value) BETWEEN 1 AND 1048576
            """)
        while try rows.step() {
            guard let id = rows.integer(0), let value = rows.blob(1) else { continue }
            guard !BinaryPlistReader.isFramed(UnsafeRawBufferPointer(value)) else { continue }
            brokenCount += 1
            firstBroken = min(firstBroken ?? id, id)
        }
    }

    /// Compares the rows' times with the times of their causal parents.
    private mutating func examineParents(_ db: Database) throws {
        let writers = try TidelineLog.writers(db)
        if writers.count > LogsCache.namedDeviceLimit { excessDeviceCount = writers.count }
        var early: Set<Int64> = []
        let parents = try Stepper(
            db, "SELECT id, timestamp, parents FROM log WHERE typeof(parents) = 'blob'")
        while try parents.step() {
            guard let id = parents.integer(0), let time = parents.timestamp(1) else { continue }
            if note(parents.blob(2), of: time, writers).isEarly { early.insert(id) }
        }
        // Unlike the column `parents`, the column `known` includes the rows that earlier rows of
        // the key had seen.
        let known = try Stepper(db, "SELECT id, timestamp, known FROM latest")
        while try known.step() {
            guard let id = known.integer(0), let time = known.timestamp(1) else { continue }
            let (newest, isEarly) = note(known.blob(2), of: time, writers)
            if isEarly { early.insert(id) }
            let row = Timestamp(microseconds: time)
            if let newest, time - newest.timestamp < 1_000_000 {
                if row == self.newest { followed = writers[newest.writer] }
            } else {
                newestLeading = max(newestLeading ?? row, row)
            }
        }
        // The device may have written earlier rows of a key with a wrong clock.
        let leading = try Int64.fetchOne(
            db,
            sql: """
                SELECT max(timestamp) FROM log
                WHERE typeof(timestamp) = 'integer' AND timestamp <= ?
                    AND (parentTimestamp IS NULL OR timestamp - parentTimestamp >= 1000000)
                """, arguments: [Timestamp.latest.microseconds]
        ).map(Timestamp.init(microseconds:))
        if let leading { newestLeading = max(newestLeading ?? leading, leading) }
        futureClaimCount = Int64(early.count)
        firstFutureClaim = early.min()
    }

    /// Records the rows that a row had seen.
    ///
    /// - Returns: The newest of the seen rows, and whether any of the seen rows is later than the
    ///   row itself. On the last day that timestamps can represent, this is allowed, because
    ///   there may be no later time for a row.
    private mutating func note(
        _ list: UnsafeBufferPointer<UInt8>?, of time: Int64, _ writers: [Int64: DeviceID]
    ) -> (newest: CauseList.Cause?, isEarly: Bool) {
        var (newest, isEarly, leavesOut): (CauseList.Cause?, Bool, Bool) = (nil, false, false)
        guard let list else { return (nil, false) }
        _ = CauseList.forEach(list, leavesOut: &leavesOut) { cause in
            guard cause.timestamp <= time || time >= Timestamp.lastDay.microseconds else {
                isEarly = true
                return
            }
            if cause.timestamp > newest?.timestamp ?? .min { newest = cause }
            guard let device = writers[cause.writer] else { return }
            let row = Timestamp(microseconds: cause.timestamp)
            seen[device] = max(seen[device] ?? row, row)
        }
        return (newest, isEarly)
    }
}
