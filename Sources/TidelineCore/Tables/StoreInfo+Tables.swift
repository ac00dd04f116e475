import GRDB
import Tables

extension StoreInfo.Section {
    /// Counts the tables of an SQLite database, and the entities of a Core Data store.
    static func tables(_ path: String) throws -> Self {
        let ((tables, entities), _) = try TableFile(path).read { db in
            let count = try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM sqlite_master
                    WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                    """)
            let schema = try DatabaseSchema(db)
            return (count, try CoreDataModel(db, schema)?.entities.count)
        }
        var section = Self()
        section.counts["tables"] = tables
        section.counts["entities"] = entities
        return section
    }
}
