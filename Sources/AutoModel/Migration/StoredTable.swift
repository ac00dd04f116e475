import GRDB

/// The existing form of a table in the file.
struct StoredTable {
    struct Column {
        let name: String
        let type: String
        let isNullable: Bool
        let defaultText: String?
        let isKey: Bool
    }

    let name: String
    let sql: String
    let columns: [Column]

    var isAscending: Bool { sql.uppercased().contains("AUTOINCREMENT") }

    func column(_ name: String) -> Column? {
        columns.first { $0.name.lowercased() == name.lowercased() }
    }

    /// Whether the table's key is an integer column `id`, an alias of SQLite's `rowid`.
    var hasOwnID: Bool {
        let keys = columns.filter(\.isKey)
        return keys.count == 1 && keys[0].name.lowercased() == "id"
            && keys[0].type.uppercased() == "INTEGER"
    }

    /// Returns the tables of a file by their lowercase names.
    static func all(_ db: Database) throws -> [String: StoredTable] {
        var tables: [String: StoredTable] = [:]
        let found = try db.texts(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL")
        for (name, sql) in found {
            // Reading the columns of a virtual table fails if its module is unavailable.
            guard !sql.uppercased().hasPrefix("CREATE VIRTUAL") else { continue }
            let columns = try db.rows(
                "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)",
                [.text(name)])
            tables[name.lowercased()] = StoredTable(
                name: name, sql: sql,
                columns: try columns.map { column in
                    Column(
                        name: try String(sqlValue: column[0]),
                        type: try String(sqlValue: column[1]),
                        isNullable: column[2] == .integer(0),
                        defaultText: try String?(sqlValue: column[3]),
                        isKey: column[4] != .integer(0))
                })
        }
        return tables
    }
}

extension ColumnDescription {
    /// The default in the notation of `PRAGMA table_info`.
    var defaultText: String? {
        guard let defaultValue, !defaultValue.isNull else { return nil }
        return defaultValue.literal
    }

    var definition: String {
        var sql = "\(quoted(name)) \(type.rawValue)"
        if !isNullable { sql += " NOT NULL" }
        if let defaultText {
            sql +=
                defaultText.hasPrefix("CAST")
                ? " DEFAULT (\(defaultText))" : " DEFAULT \(defaultText)"
        }
        return sql
    }

    func isSame(as stored: StoredTable.Column) -> Bool {
        stored.type.uppercased() == type.rawValue && stored.isNullable == isNullable
            && stored.defaultText == defaultText && !stored.isKey
    }
}

extension TableLayout {
    func createSQL(as name: String) -> String {
        let key = ids == .ascending ? "INTEGER PRIMARY KEY AUTOINCREMENT" : "INTEGER PRIMARY KEY"
        let definitions = ["id \(key)"] + columns.map(\.definition)
        return "CREATE TABLE \(quoted(name)) (\(definitions.joined(separator: ", ")))"
    }
}
