import GRDB
import Replication

extension StoreInfo.Section {
    /// How many tables an SQLite database has.
    static func tables(_ path: String) throws -> Self {
        let outcome = try ForeignDatabase.read(path) { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM sqlite_master
                    WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                    """)
        }
        guard case .read(let count?, _) = outcome else { return Self() }
        return Self(counts: ["tables": count])
    }
}
