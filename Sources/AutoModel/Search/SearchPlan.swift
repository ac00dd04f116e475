import GRDB

/// The full-text index of a table, and the triggers that keep this index up to date.
///
/// The FTS5 table stores no text itself. The triggers also run for writes of other programs.
struct SearchPlan {
    /// The table and its triggers, in the order of creation.
    let declared: [(name: String, sql: String)]
    let there: [String: String]

    init(_ layout: TableLayout, stored: String?, _ db: Database) throws {
        declared = Self.statements(layout)
        let names = Self.names(of: layout.name) + (stored.map { Self.names(of: $0) } ?? [])
        var there: [String: String] = [:]
        for name in Set(names) {
            if let sql = try db.value("SELECT sql FROM sqlite_master WHERE name = ?", [.text(name)])
            {
                there[name] = try String(sqlValue: sql)
            }
        }
        self.there = there
    }

    var isEmpty: Bool {
        there == Dictionary(declared.map { ($0.name, $0.sql) }) { first, _ in first }
    }

    /// Drops the existing index.
    func remove(_ db: Database) throws {
        for (name, sql) in there.sorted(by: { $0.key < $1.key }) {
            let kind = sql.hasPrefix("CREATE TRIGGER") ? "TRIGGER" : "TABLE"
            try db.execute(sql: "DROP \(kind) IF EXISTS \(quoted(name))")
        }
    }

    /// Creates the declared index with the words of all rows.
    func make(_ db: Database) throws {
        for (_, sql) in declared { try db.execute(sql: sql) }
        guard let search = declared.first?.name else { return }
        try db.execute(sql: "INSERT INTO \(quoted(search)) (\(quoted(search))) VALUES ('rebuild')")
    }

    static func searchTable(of table: String) -> String { "\(table)_search" }

    private static func names(of table: String) -> [String] {
        ["", "_insert", "_delete", "_update"].map { searchTable(of: table) + $0 }
    }

    private static func statements(_ layout: TableLayout) -> [(name: String, sql: String)] {
        let columns = layout.fullTextColumns.map(quoted)
        guard !columns.isEmpty else { return [] }
        let names = names(of: layout.name)
        let (search, table) = (quoted(names[0]), quoted(layout.name))
        let list = columns.joined(separator: ", ")
        let values = { (row: String) in
            columns.map { "\(row).\($0)" }.joined(separator: ", ")
        }
        let insert = "INSERT INTO \(search) (rowid, \(list)) VALUES (new.id, \(values("new")));"
        let delete =
            "INSERT INTO \(search) (\(search), rowid, \(list)) "
            + "VALUES ('delete', old.id, \(values("old")));"
        return [
            (
                names[0],
                "CREATE VIRTUAL TABLE \(search) USING fts5(\(list), content=\(table), "
                    + "content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3')"
            ),
            (
                names[1],
                "CREATE TRIGGER \(quoted(names[1])) AFTER INSERT ON \(table) BEGIN \(insert) END"
            ),
            (
                names[2],
                "CREATE TRIGGER \(quoted(names[2])) AFTER DELETE ON \(table) BEGIN \(delete) END"
            ),
            (
                names[3],
                "CREATE TRIGGER \(quoted(names[3])) AFTER UPDATE OF \(list) ON \(table) "
                    + "BEGIN \(delete) \(insert) END"
            ),
        ]
    }
}
