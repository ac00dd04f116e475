public import GRDB

extension Database {
    /// Returns the columns of the ordinary table `name`, in order, or `nil` if no table or view has
    /// that name.
    ///
    /// Views, virtual tables, and computed columns are refused, because reading them would run code
    /// from a foreign file's schema.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable` for anything but an ordinary table.
    public func ordinaryColumns(of name: String) throws -> [String]? {
        // The statements are cached for the next table, because preparing them takes longer than
        // running them.
        let found = try Row.fetchOne(
            cachedStatement(
                sql: """
                    SELECT type, rootpage FROM sqlite_master
                    WHERE name = ? COLLATE NOCASE AND type <> 'index'
                    """), arguments: [name])
        guard let found else { return nil }
        let refusal = ReplicationError(.unreadable, "\(name) is not an ordinary table")
        guard found.text("type") == "table", let root = found.integer("rootpage"), root > 0 else {
            throw refusal
        }
        return try Row.fetchAll(
            cachedStatement(sql: "SELECT name, hidden FROM pragma_table_xinfo(?)"),
            arguments: [name]
        ).map { row in
            guard row.integer("hidden") == 0, let column = row.text("name") else { throw refusal }
            return column
        }
    }
}
