public import GRDB

/// The catalog's schema, as a list of migrations. New migrations are always added at the end.
///
/// Released migrations are never edited, renamed or removed. See the article <doc:Migrations> for
/// alternatives, and for how to revert a release.
public enum CatalogSchema {
    /// All migrations of this version, in order.
    public static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        registerMigrations(in: &migrator)
        return migrator
    }

    /// Registers the migrations. Programs and tests can add their own migrations after them.
    public static func registerMigrations(in migrator: inout DatabaseMigrator) {
        migrator.registerMigration("initial schema") { try createTables($0) }
        migrator.registerMigration("database_metadata") { try createMetadata($0) }
        migrator.registerMigration("summaries") { try addSummaries($0) }
        migrator.registerMigration("shared_endpoints") { try shareEndpoints($0) }
    }
}
