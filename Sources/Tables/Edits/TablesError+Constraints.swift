extension TablesError {
    /// What SQLite says of a constraint that a write did not meet, in plain words; as it is where it
    /// is said by a trigger, or in any other way.
    static func words(forRefusal reason: String) -> String {
        func rest(after beginning: String) -> String? {
            reason.hasPrefix(beginning) ? String(reason.dropFirst(beginning.count)) : nil
        }
        if let (table, columns) = rest(after: "NOT NULL constraint failed: ").flatMap(columns) {
            return "\(columns) of \(table) needs a value"
        }
        if let (table, columns) = rest(after: "UNIQUE constraint failed: ").flatMap(columns) {
            return columns.contains(", ")
                ? "another row of \(table) has these values already: \(columns)"
                : "another row of \(table) has that value already: \(columns)"
        }
        if let rule = rest(after: "CHECK constraint failed: ") {
            return "a rule of the table is not met: \(rule)"
        }
        if reason.hasPrefix("FOREIGN KEY constraint failed") {
            return "a foreign key of the database forbids it"
        }
        return reason
    }

    /// The table and the columns of `table.column, table.column`; `nil` for other texts, as where an
    /// index of expressions is named.
    private static func columns(_ text: String) -> (table: String, columns: String)? {
        guard let dot = text.firstIndex(of: "."), !text.hasPrefix("index ") else { return nil }
        let table = text[..<dot]
        let columns = text[text.index(after: dot)...].replacing(", \(table).", with: ", ")
        return (String(table), String(columns))
    }
}
