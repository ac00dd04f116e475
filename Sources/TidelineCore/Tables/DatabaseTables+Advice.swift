package import Tables

extension DatabaseTables {
    /// Returns advice on a query that names an entity of Core Data instead of its table; `nil` for
    /// any other error.
    package func advice(on error: TablesError) -> String? {
        let beginning = "no such table: "
        guard error.message.hasPrefix(beginning),
            let table = table(String(error.message.dropFirst(beginning.count))),
            let entity = table.entity
        else { return nil }
        return "the table of the entity \(entity.name) is \(table.schema.name)"
    }
}
