import GRDB

/// Identifiers that a list from the service has, to delete what it lacks.
///
/// They stand in a temporary table, which a list of any length fits into.
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

    /// Deletes the servers of tiers up to `maxTier` that are not listed, and forgets the list.
    ///
    /// - Returns: How many were deleted.
    func deleteOthers(maxTier: Int) throws -> Int {
        try db.execute(
            sql: """
                DELETE FROM logical
                WHERE tier <= ? AND id NOT IN (SELECT id FROM temp.listed)
                """,
            arguments: [maxTier])
        let count = db.changesCount
        try db.execute(
            sql: """
                DELETE FROM place WHERE folded NOT IN (
                    SELECT foldedCity FROM logical WHERE foldedCity IS NOT NULL
                    UNION SELECT foldedTranslatedCity FROM logical
                        WHERE foldedTranslatedCity IS NOT NULL
                    UNION SELECT foldedGateway FROM logical WHERE foldedGateway IS NOT NULL);
                DROP TABLE temp.listed;
                """)
        return count
    }
}
