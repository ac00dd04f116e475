import GRDB
import Replication

/// The indexes of a table to create and to drop.
struct IndexPlan {
    /// The declared indexes, by name.
    let declared: [String: (index: IndexDescription, sql: String)]
    let stale: [String]
    let missing: [String]

    var isEmpty: Bool { stale.isEmpty && missing.isEmpty }

    /// Compares the declared indexes with those in the file.
    ///
    /// - Parameter stored: The table's current name in the file.
    init(_ layout: TableLayout, stored: String?, _ db: Database) throws {
        var declared: [String: (IndexDescription, String)] = [:]
        for index in layout.indices {
            let name = index.name(in: layout.name)
            declared[name] = (index, index.sql(name, on: layout.name))
        }
        self.declared = declared
        var there: [String: String] = [:]
        if let stored {
            for (name, sql) in try db.texts(
                """
                SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
                AND tbl_name = ? COLLATE NOCASE AND substr(name, 1, 10) = 'automodel_'
                """, [.text(stored)])
            {
                there[name] = sql
            }
        }
        stale = there.filter { declared[$0.key]?.1 != $0.value }.map(\.key).sorted()
        missing = declared.filter { there[$0.key] != $0.value.1 }.map(\.key).sorted()
    }
}

extension IndexDescription {
    func name(in table: String) -> String {
        // Index terms can be too long for a name, so the name contains their hash.
        let parts = terms + [isUnique ? "unique" : "", condition ?? ""]
        let hash = StableHash.of(parts.joined(separator: "\u{0}").utf8)
        return "automodel_\(table)_\(String(hash, radix: 36))"
    }

    func sql(_ name: String, on table: String) -> String {
        let condition = condition.map { " WHERE \($0)" } ?? ""
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quoted(name)) ON \(quoted(table)) "
            + "(\(terms.joined(separator: ", ")))\(condition)"
    }

    /// Returns a query for the rows that repeat the values of an earlier row.
    func repeats(in table: String) -> String {
        let values = terms.map { "\($0) IS NOT NULL" } + (condition.map { ["(\($0))"] } ?? [])
        let whole = "\(quoted(table)) WHERE \(values.joined(separator: " AND "))"
        return """
            SELECT id FROM \(whole) AND id NOT IN (SELECT min(id) FROM \(whole) \
            GROUP BY \(terms.joined(separator: ", "))) ORDER BY id
            """
    }
}
