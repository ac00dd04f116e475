import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import Testing

/// Reverting a release: version 1 has the schema S1, version 2 introduces S2, and version 3 must
/// have the schema of version 1. It keeps S2's migration and adds another one, to S3 = S1.
@Suite struct RevertTests {
    private let samples = SampleServers(count: 40, countryCount: 6).servers()

    private static var first: DatabaseMigrator { CatalogSchema.migrator }

    /// Version 2 renames a column, drops an index and adds a table.
    private static var second: DatabaseMigrator {
        var migrator = first
        migrator.registerMigration("towns") { db in
            try db.execute(
                sql: """
                    ALTER TABLE logical RENAME COLUMN city TO town;
                    DROP INDEX index_logicalStatus_on_score;
                    CREATE TABLE favorite (logicalId TEXT PRIMARY KEY);
                    """)
        }
        return migrator
    }

    /// Version 3 keeps version 2's migration in the list and reverts it with another one.
    private static var third: DatabaseMigrator {
        var migrator = second
        migrator.registerMigration("no towns") { db in
            try db.execute(
                sql: """
                    ALTER TABLE logical RENAME COLUMN town TO city;
                    CREATE INDEX index_logicalStatus_on_score ON logicalStatus(score);
                    DROP TABLE favorite;
                    """)
        }
        return migrator
    }

    private func schema(_ queue: DatabaseQueue) throws -> [String] {
        try queue.read { try MigrationTests.schema($0) }
    }

    @Test func revertingMigrationRestoresTheFirstSchema() throws {
        let queue = try DatabaseQueue()
        try Self.first.migrate(queue)
        let schemaOfFirst = try schema(queue)
        try Self.second.migrate(queue)
        #expect(try schema(queue) != schemaOfFirst)
        try Self.third.migrate(queue)
        #expect(try schema(queue) == schemaOfFirst)
    }

    @Test func newFileOfTheRevertedVersionHasTheFirstSchema() throws {
        let direct = try DatabaseQueue()
        try Self.third.migrate(direct)
        let first = try DatabaseQueue()
        try Self.first.migrate(first)
        #expect(try schema(direct) == schema(first))
    }

    @Test func dataSurvivesTheRevert() throws {
        let queue = try DatabaseQueue()
        let catalog = try CatalogDatabase(queue, names: .english)
        try catalog.upsert(servers: samples)
        let before = try catalog.dump()
        try Self.second.migrate(queue)
        try Self.third.migrate(queue)
        #expect(try catalog.dump() == before)
    }

    /// Version 1's code rejects files with the migrations of versions 2 and 3. This is why a
    /// reverted release must know them.
    @Test func firstVersionRejectsFilesOfLaterVersions() throws {
        for migrator in [Self.second, Self.third] {
            let queue = try DatabaseQueue()
            try migrator.migrate(queue)
            #expect {
                try CatalogDatabase(queue, names: .english)
            } throws: {
                ($0 as? ServerCatalogError)?.code == .newerSchema
            }
        }
    }
}
