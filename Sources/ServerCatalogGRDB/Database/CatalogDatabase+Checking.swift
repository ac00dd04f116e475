import GRDB

extension CatalogDatabase {
    /// Finds the endpoints in the catalog at `path` whose overrides aren't valid JSON. Returns the
    /// number of these endpoints, and the first few identifiers.
    ///
    /// - Throws: `ServerCatalogError`: `.notFound`, `.notACatalog`, `.newerSchema`, `.damaged`,
    ///   `.busy`, `.noPermission`.
    /// - Complexity: O(*n*) in the number of overrides.
    package static func unreadableOverrides(
        path: String
    ) throws -> (count: Int, endpoints: [String]) {
        try CatalogErrors.wrapping("\(path) can't be read") {
            let file = try CatalogFile(path)
            _ = try file.state()
            return try file.read { db in
                // Catalogs of the first versions lack this table.
                guard try db.tableExists("endpointOverrides") else { return (0, []) }
                let isBroken = "protocolEntries IS NOT NULL AND NOT json_valid(protocolEntries)"
                let count = try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM endpointOverrides WHERE \(isBroken)")
                let endpoints = try String.fetchAll(
                    db,
                    sql: """
                        SELECT CAST(endpointId AS TEXT) FROM endpointOverrides
                        WHERE \(isBroken) AND endpointId IS NOT NULL ORDER BY 1 LIMIT 3
                        """)
                return (count ?? 0, endpoints)
            }
        }
    }
}
