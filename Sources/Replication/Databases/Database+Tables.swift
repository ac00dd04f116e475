public import GRDB

extension Database {
    /// The columns of the ordinary table `name`, in order, or `nil` if nothing has that name.
    ///
    /// A view, a virtual table or a column that is computed would run what a foreign file's schema
    /// says; they are refused.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable` for anything but an ordinary table.
    public func ordinaryColumns(of name: String) throws -> [String]? {
        // The statements are kept for the next table: preparing them takes longer than they do.
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
