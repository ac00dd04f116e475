package import GRDB

extension Database {
    /// What SQLite finds wrong with how the file is built, each thing in a line; none where it is
    /// sound.
    ///
    /// Where an index has an order that this program does not know, indexes are left out.
    ///
    /// - Parameter limit: So many things are told at most.
    /// - Throws: `DatabaseError` for a file so damaged that it cannot be looked through, and for one
    ///   that this program cannot check.
    /// - Complexity: Each page of the file once.
    package func structureProblems(limit: Int = 10) throws -> [String] {
        do {
            return try structureProblems(by: "integrity_check", limit)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return try structureProblems(by: "quick_check", limit)
        }
    }

    private func structureProblems(by check: String, _ limit: Int) throws -> [String] {
        try Row.fetchAll(self, sql: "PRAGMA \(check)(\(limit))").flatMap { row -> [String] in
            // A report of several lines begins with the name of the database.
            (row.text(check) ?? "").split(separator: "\n")
                .filter { $0 != "ok" && !$0.hasPrefix("***") }
                .map { String($0.prefix(300)) }
        }
    }
}
