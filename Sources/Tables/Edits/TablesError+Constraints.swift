extension TablesError {
    /// Describes a constraint failure in plain words. Any other message, such as a trigger's, is
    /// returned unchanged.
    static func words(forRefusal reason: String) -> String {
        func rest(after beginning: String) -> String? {
            reason.hasPrefix(beginning) ? String(reason.dropFirst(beginning.count)) : nil
        }
        if let (table, columns) = rest(after: "NOT NULL constraint failed: ").flatMap(columns) {
            return "\(columns) of \(table) needs a value"
        }
        if let (table, columns) = rest(after: "UNIQUE constraint failed: ").flatMap(columns) {
            return columns.contains(", ")
                ? "another row of \(table) already has these values: \(columns)"
                : "another row of \(table) already has this value: \(columns)"
        }
        if let rule = rest(after: "CHECK constraint failed: ") {
            return "a CHECK constraint of the table failed: \(rule)"
        }
        if reason.hasPrefix("FOREIGN KEY constraint failed") {
            return "a foreign key of the database forbids it"
        }
        return reason
    }

    /// Parses `table.column, table.column`; `nil` for other texts, such as the name of an
    /// expression index.
    private static func columns(_ text: String) -> (table: String, columns: String)? {
        guard let dot = text.firstIndex(of: "."), !text.hasPrefix("index ") else { return nil }
        let table = text[..<dot]
        let columns = text[text.index(after: dot)...].replacing(", \(table).", with: ", ")
        return (String(table), String(columns))
    }
}
