import GRDB
import ServerCatalog

/// The relation of a database's schema to the schema of this version.
enum CatalogSchemaState: Equatable {
    case empty
    /// A catalog that lacks some migrations.
    case earlier
    case current
    /// A catalog with unknown migrations.
    case newer([String])
    /// A database with other tables.
    case foreign

    init(_ db: Database) throws {
        let known = CatalogSchema.migrator.migrations
        guard try db.tableExists("grdb_migrations") else {
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
            self = count == 0 ? .empty : .foreign
            return
        }
        let applied = try String.fetchSet(db, sql: "SELECT identifier FROM grdb_migrations")
        if applied.isEmpty {
            self = .empty
        } else if applied.isDisjoint(with: known) {
            self = .foreign
        } else if !applied.isSubset(of: known) {
            self = .newer(applied.subtracting(known).sorted())
        } else {
            self = applied.count == known.count ? .current : .earlier
        }
    }

    /// Rejects a database that must not be changed.
    func requireKnown() throws {
        switch self {
        case .newer, .foreign: throw error
        case .empty, .earlier, .current: return
        }
    }

    var error: ServerCatalogError {
        switch self {
        case .newer(let unknown):
            ServerCatalogError(
                .newerSchema,
                "the catalog was written by a newer version (it has \(unknown.joined(separator: ", ")))"
            )
        case .empty: ServerCatalogError(.notACatalog, "the database is empty, not a catalog")
        case .foreign, .earlier, .current:
            ServerCatalogError(.notACatalog, "the database is not a catalog: it has other tables")
        }
    }
}
