public import GRDB

extension Database {
    /// The columns of the ordinary table `name`, in order, or `nil` if nothing has that name.
    ///
    /// A view, a virtual table or a column that is computed would run what a foreign file's schema
    /// says; they are refused.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable` for anything but an ordinary table.
    public func ordinaryColumns(of name: String) throws -> [String]? {
        let found = try Row.fetchOne(
            self,
            sql: """
                SELECT type, rootpage FROM sqlite_master
                WHERE name = ? COLLATE NOCASE AND type <> 'index'
                """, arguments: [name])
        guard let found else { return nil }
        let refusal = ReplicationError(.unreadable, "\(name) is not an ordinary table")
        // A typed subscript would trap on a value of another type.
        let (type, root): (DatabaseValue, DatabaseValue) = (found["type"], found["rootpage"])
        guard type == "table".databaseValue, let root = Int64.fromDatabaseValue(root), root > 0
        else { throw refusal }
        return try Row.fetchAll(
            self, sql: "SELECT name, hidden FROM pragma_table_xinfo(?)", arguments: [name]
        ).map { row in
            let (hidden, name): (DatabaseValue, DatabaseValue) = (row["hidden"], row["name"])
            guard hidden == 0.databaseValue, let column = String.fromDatabaseValue(name) else {
                throw refusal
            }
            return column
        }
    }
}
