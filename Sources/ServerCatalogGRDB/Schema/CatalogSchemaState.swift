import GRDB
import ServerCatalog

/// How a database's schema stands to the one that this version knows.
enum CatalogSchemaState: Equatable {
    case empty
    /// A catalog that lacks some migrations.
    case earlier
    case current
    /// A catalog with migrations that are unknown here.
    case newer([String])
    /// Tables, but not a catalog's.
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

    /// Refuses what must not be touched.
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
            ServerCatalogError(.notACatalog, "the database has tables that are not a catalog's")
        }
    }
}
