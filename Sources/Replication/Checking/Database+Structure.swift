package import GRDB

extension Database {
    /// The first thing that SQLite finds wrong with how the file is built; `nil` where it is sound.
    ///
    /// Only the first is asked for: SQLite ends with an error, and tells nothing, where it goes on
    /// behind some kinds of damage. Where an index has an order that this program does not know,
    /// indexes are left out.
    ///
    /// - Throws: `DatabaseError` for a file so damaged that nothing of it can be looked through, and
    ///   for one that this program cannot check.
    /// - Complexity: Each page of the file once.
    package func structureProblem() throws -> String? {
        do {
            return try structureProblem(by: "integrity_check")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return try structureProblem(by: "quick_check")
        }
    }

    private func structureProblem(by check: String) throws -> String? {
        try Row.fetchAll(self, sql: "PRAGMA \(check)(1)").lazy.flatMap { report in
            // A report of several lines begins with the name of the database.
            (report.text(check) ?? "").split(separator: "\n")
        }
        .first { $0 != "ok" && !$0.hasPrefix("***") }
        .map { String($0.prefix(300)) }
    }
}
