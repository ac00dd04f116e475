package import GRDB

/// What the rows of a log come to when each is looked at, beside what a follower reads of it.
package struct LogExamination: Sendable {
    /// What the log says of itself; `nil` in forms that say nothing.
    package let identity: LogIdentity?
    /// The name of the form of its rows.
    package let form: String
    package var rowCount: Int64 = 0
    /// The greatest number of a row.
    package var lastID: Int64 = 0
    /// The first number that is missing though greater ones are there.
    package var gap: Int64?
    /// Rows without a time, or without what else every row has; and the first of them.
    package var oddCount: Int64 = 0
    package var firstOdd: Int64?
    /// Rows with a time that none can have.
    package var leftOutCount: Int64 = 0
    /// Rows in the place of others that were lost when the log was mended.
    package var lostCount: Int64 = 0
    /// Rows in the place of others that may have been there when it was.
    package var perhapsLostCount: Int64 = 0
    /// The newest time that a row can have.
    package var newest: Timestamp?
    /// Keys of which the device's rows are no chain: it wrote in two copies.
    package var forkedCount: Int64 = 0
    /// Rows whose value is none, and the first of them.
    package var brokenCount: Int64 = 0
    package var firstBroken: Int64?

    package init(form: String) {
        self.form = form
        identity = nil
    }

    /// Looks at the rows of a log whose numbers count them from 1.
    ///
    /// - Parameter isOdd: SQL that holds for rows that make no sense, beside those without a time.
    /// - Throws: `DatabaseError` where a page of the table is damaged.
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

    /// Counts the rows and looks at their times.
    package mutating func examine(_ db: Database, _ table: LogTable, isOdd: String) throws {
        let (name, id, mark) = (table.name, table.id, table.mark)
        let odd = "typeof(\(mark)) <> 'integer' OR \(isOdd)"
        let found = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS count, sum(\(odd)) AS odd,
                    min(CASE WHEN \(odd) THEN \(id) END) AS firstOdd,
                    sum(typeof(\(mark)) = 'integer' AND \(mark) NOT BETWEEN ?1 AND ?2) AS leftOut,
                    max(CASE WHEN typeof(\(mark)) = 'integer' AND \(mark) BETWEEN ?1 AND ?2
                        THEN \(mark) END) AS newest
                FROM \(name)
                """,
            arguments: [Timestamp.earliest.microseconds, Timestamp.latest.microseconds])
        guard let found else { return }
        rowCount = found.integer("count") ?? 0
        oddCount = found.integer("odd") ?? 0
        firstOdd = found.integer("firstOdd")
        leftOutCount = found.integer("leftOut") ?? 0
        newest = found.integer("newest").map(Timestamp.init(microseconds:))
    }
}
