import GRDB

/// The identifiers in a list from the service, used to delete unlisted servers.
///
/// The identifiers are stored in a temporary table, so the list can have any length.
final class ListedServers {
    private let db: Database
    private let statement: Statement

    init(_ db: Database) throws {
        self.db = db
        try db.execute(
            sql: """
                DROP TABLE IF EXISTS temp.listed;
                CREATE TEMPORARY TABLE listed (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
                """)
        statement = try db.makeStatement(sql: "INSERT OR IGNORE INTO temp.listed VALUES (?)")
    }

    func insert(_ id: String) throws { try statement.execute(arguments: [id]) }

    /// Deletes the servers of tiers up to `maxTier` that are not listed, and drops the list.
    ///
    /// - Returns: The number of deleted servers.
    func deleteOthers(maxTier: Int) throws -> Int {
        try db.execute(
            sql: """
                DELETE FROM logical
                WHERE tier <= ? AND id NOT IN (SELECT id FROM temp.listed)
                """,
            arguments: [maxTier])
        let count = db.changesCount
        try Self.deleteUnusedPlaces(db)
        try db.execute(sql: "DROP TABLE temp.listed")
        return count
    }

    /// Deletes the search data of places that no longer have servers.
    static func deleteUnusedPlaces(_ db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM place WHERE folded NOT IN (
                    SELECT foldedCity FROM logical WHERE foldedCity IS NOT NULL
                    UNION SELECT foldedTranslatedCity FROM logical
                        WHERE foldedTranslatedCity IS NOT NULL
                    UNION SELECT foldedGateway FROM logical WHERE foldedGateway IS NOT NULL)
                """)
    }
}
