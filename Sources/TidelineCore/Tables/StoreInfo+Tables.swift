import Tables

extension StoreInfo.Section {
    /// Counts the tables of an SQLite database and the entities of a Core Data store. Tables that
    /// belong to SQLite or to a virtual table aren't counted.
    static func tables(_ path: String) throws -> Self {
        let ((tables, entities), _) = try TableFile(path).read { db in
            let schema = try DatabaseSchema(db)
            let tables = schema.tables.filter { table in
                switch table.kind {
                case .table, .virtual: !table.isSystem
                case .view, .shadow: false
                }
            }
            return (tables.count, try CoreDataModel(db, schema)?.entities.count)
        }
        var section = Self()
        section.counts["tables"] = tables
        section.counts["entities"] = entities
        return section
    }
}
