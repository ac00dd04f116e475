package import GRDB

/// The result of examining every row of a log, in addition to what a follower reads.
package struct LogExamination: Sendable {
    /// The identity that the log stores; `nil` for formats without one.
    package let identity: LogIdentity?
    /// The name of the row format.
    package let form: String
    /// The greatest row number.
    package var lastID: Int64 = 0
    /// The first missing number that is followed by greater numbers.
    package var gap: Int64?
    /// The number of rows without a time or another required value.
    package var invalidCount: Int64 = 0
    /// The row number of the first of them.
    package var firstInvalid: Int64?
    /// The number of rows with an invalid time.
    package var leftOutCount: Int64 = 0
    /// The number of placeholders for rows that were lost when the log was repaired.
    package var lostCount: Int64 = 0
    /// The number of placeholders for rows that may have existed when the log was repaired.
    package var perhapsLostCount: Int64 = 0
    /// The newest valid time.
    package var newest: Timestamp?
    /// The newest time that certainly comes from the device's own clock; `nil` if there is none.
    /// Leaves out each row that is less than a second later than a row that its writer had seen.
    /// The clock may have taken the time from the seen row. Only for formats with causal parents.
    package var newestLeading: Timestamp?
    /// The device that may have determined the time of the newest row: the newest row had seen a
    /// row of that device and is less than a second later. Only for formats with causal parents.
    package var followed: DeviceID?
    /// The number of rows that claim to have seen a later row.
    package var futureClaimCount: Int64 = 0
    /// The row number of the first of them.
    package var firstFutureClaim: Int64?
    /// The time of the newest row of each other device that a row claims to have seen. Ignores
    /// claims about rows later than the claiming row.
    package var seen: [DeviceID: Timestamp] = [:]
    /// The number of devices that the log names, if it exceeds the limit; otherwise 0.
    package var excessDeviceCount = 0
    /// The number of keys whose rows from this device don't form a chain, because two copies of the
    /// device wrote them.
    package var forkedCount: Int64 = 0
    /// The number of rows with an invalid value.
    package var brokenCount: Int64 = 0
    /// The row number of the first of them.
    package var firstBroken: Int64?

    package init(form: String) {
        self.form = form
        identity = nil
    }

    /// Examines the rows of a log whose numbers start from 1.
    ///
    /// - Parameter isOdd: An SQL condition that matches invalid rows, in addition to those without
    ///   a time.
    /// - Throws: `DatabaseError` if a page of the table is damaged.
    /// - Complexity: O(*n*) in the number of rows.
    package init(
        _ db: Database, _ identity: LogIdentity, table: LogTable, isOdd: String = "0"
    ) throws {
        self.identity = identity
        form = identity.format
        var progress = try LogCursor.start.progress(in: db, table: table, identity: identity)
        try progress.acceptAll(in: db)
        gap = progress.gap
        lastID = progress.lastID
        try examine(db, table, isOdd: isOdd)
    }

    /// Counts the rows and checks their times.
    package mutating func examine(_ db: Database, _ table: LogTable, isOdd: String) throws {
        let (name, id, mark) = (table.name, table.id, table.mark)
        let odd = "typeof(\(mark)) <> 'integer' OR \(isOdd)"
        let found = try Row.fetchOne(
            db,
            sql: """
                SELECT sum(\(odd)) AS odd,
                    min(CASE WHEN \(odd) THEN \(id) END) AS firstInvalid,
                    sum(typeof(\(mark)) = 'integer' AND \(mark) NOT BETWEEN ?1 AND ?2) AS leftOut,
                    max(CASE WHEN typeof(\(mark)) = 'integer' AND \(mark) BETWEEN ?1 AND ?2
                        THEN \(mark) END) AS newest
                FROM \(name)
                """,
            arguments: [Timestamp.earliest.microseconds, Timestamp.latest.microseconds])
        guard let found else { return }
        invalidCount = found.integer("odd") ?? 0
        firstInvalid = found.integer("firstInvalid")
        leftOutCount = found.integer("leftOut") ?? 0
        newest = found.integer("newest").map(Timestamp.init(microseconds:))
    }
}
