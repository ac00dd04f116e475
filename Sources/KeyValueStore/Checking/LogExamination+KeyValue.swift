package import GRDB
package import Replication

extension LogExamination {
    /// Examines each row of a log of keys and values, in either format.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, `.unreadable` if it is not such a log;
    ///   `DatabaseError` if a page is damaged.
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
            if try ForkTable.isThere(.fork, in: db) {
                forkedCount = try Int64.fetchOne(db, sql: "SELECT count(*) FROM fork") ?? 0
            }
            try countBroken(db, form)
        case .parstore1:
            self.init(form: form.format.rawValue)
            // A row without a key or a time is skipped, as PARStore does.
            try examine(
                db, LogTable(name: form.table, id: form.id, mark: form.timestamp), isOdd: "0")
            (oddCount, firstOdd) = (0, nil)
        }
    }

    private mutating func countBroken(_ db: Database, _ form: LogForm) throws {
        // Readers always leave longer values in the log.
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
}
