package import GRDB

extension Database {
    /// Returns the first structural problem that SQLite finds in the file, or `nil` if it is sound.
    ///
    /// Requests only the first problem, unless it is that rows violate a constraint. After some kinds
    /// of damage, SQLite fails without a report if it continues. If an index uses a collation that
    /// this program doesn't know, indexes are not checked.
    ///
    /// - Throws: `DatabaseError` if the file is too damaged to check, or if this program can't
    ///   check it.
    /// - Complexity: Reads each page of the file once.
    package func structureProblem() throws -> String? {
        do {
            return try structureProblem(by: "integrity_check")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return try structureProblem(by: "quick_check")
        }
    }

    private func structureProblem(by check: String) throws -> String? {
        let first = try problems(by: check, limit: 1).first
        guard let first, Self.isViolation(first) else { return first }
        // SQLite checks the pages before the rows, so only indexes can be damaged.
        return try problems(by: check, limit: 100).first { !Self.isViolation($0) } ?? first
    }

    private func problems(by check: String, limit: Int) throws -> [String] {
        try Row.fetchAll(self, sql: "PRAGMA \(check)(\(limit))").flatMap { report in
            // A report of several lines starts with the name of the database.
            (report.text(check) ?? "").split(separator: "\n")
        }
        .filter { $0 != "ok" && !$0.hasPrefix("***") }
        .map { String($0.prefix(300)) }
    }

    /// Returns whether a problem is that rows violate a constraint of their table. The structure is
    /// intact then.
    package static func isViolation(_ problem: String) -> Bool {
        problem.hasPrefix("NULL value in ") || problem.hasPrefix("CHECK constraint failed in ")
    }
}
