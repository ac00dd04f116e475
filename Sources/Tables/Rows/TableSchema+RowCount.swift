public import GRDB

extension TableSchema {
    /// Counts all rows, or the rows that meet a condition. Counting all rows uses the table's
    /// smallest index.
    ///
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(*n*) in the rows of the table.
    public func count(_ db: Database, where condition: RowCondition? = nil) throws -> Int {
        let filter = condition.map { " WHERE \($0.sql)" } ?? ""
        condition?.prepare(db)
        return try db.acceptingQuotedText {
            let stepper = try RowStepper(
                db, "SELECT count(*) FROM \(source)\(filter)",
                condition?.arguments ?? [])
            return try stepper.step() ? Int(clamping: stepper.integer(0) ?? 0) : 0
        }
    }

    /// Estimates the number of rows from the statistics of `ANALYZE`, if the owner of the file ran
    /// it, or from the range of rowids. `nil` if neither is available.
    ///
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(log *n*).
    public func estimatedCount(_ db: Database) throws -> Int? {
        guard kind != .view, problem == nil else { return nil }
        if let noted = try? RowStepper(
            db, "SELECT stat FROM sqlite_stat1 WHERE tbl = ? LIMIT 1", [.text(name)]),
            try noted.step(), let stat = noted.text(0),
            let count = stat.split(separator: " ").first.flatMap({ Int($0) })
        {
            return count
        }
        guard let name = rowIDSQL else { return nil }
        if case .virtual = kind { return nil }
        let source = SQLName.quoted(self.name)
        let stepper = try RowStepper(
            db, "SELECT (SELECT min(\(name)) FROM \(source)), (SELECT max(\(name)) FROM \(source))")
        guard try stepper.step(), let low = stepper.integer(0), let high = stepper.integer(1)
        else { return 0 }
        let (span, overflow) = high.subtractingReportingOverflow(low)
        return overflow || span == .max ? nil : Int(clamping: span + 1)
    }
}
