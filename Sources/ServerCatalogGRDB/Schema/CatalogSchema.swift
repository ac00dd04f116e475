public import GRDB
import ServerCatalog

/// The catalog's tables, as a list of migrations that only ever grows.
///
/// A migration that has been released is never edited, renamed or removed; see the article
/// <doc:Migrations> for what to do instead, and for how a release is reverted.
public enum CatalogSchema {
    /// Every migration of this version, in order.
    public static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        registerMigrations(in: &migrator)
        return migrator
    }

    /// Adds the migrations, so that a program's or a test's own can follow.
    public static func registerMigrations(in migrator: inout DatabaseMigrator) {
        migrator.registerMigration("initial schema") { try createTables($0) }
        migrator.registerMigration("database_metadata") { try createMetadata($0) }
        migrator.registerMigration("summaries") { try addSummaries($0) }
        migrator.registerMigration("shared_endpoints") { try shareEndpoints($0) }
    }
}
