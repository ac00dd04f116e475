import Foundation
import GRDB
import Replication
import ServerCatalog

/// A catalog file that another program may have written.
///
/// The file is read like the databases of a package (``ForeignDatabase``). No file is created next
/// to the catalog, no lock is taken or waited for, and code in the catalog's schema is not run.
struct CatalogFile: Sendable {
    /// The maximum size in bytes of a file with an earlier schema that is migrated in memory.
    static let longestCopy: Int64 = 128 << 20

    /// The maximum length in bytes of a text in a catalog that is only read.
    static let longestText = 16 << 20

    let path: String

    /// Creates a reference to an existing file.
    ///
    /// - Throws: `ServerCatalogError`, `.notACatalog` if the file isn't an SQLite file.
    init(_ path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil else {
                throw ServerCatalogError(
                    .notACatalog, "\(path) is a symbolic link to a file that does not exist")
            }
            throw ServerCatalogError(.notFound, "\(path) does not exist")
        }
        guard !isFolder.boolValue else {
            throw ServerCatalogError(.notACatalog, "\(path) is a folder, not a catalog")
        }
        // Follow a symbolic link that the user names. Links inside a package are rejected when its
        // devices are listed.
        self.path = path
        let beginning = try WholeFile.beginning(of: path, count: 16)
        guard !beginning.isEmpty else {
            throw ServerCatalogError(.notACatalog, "\(path) is an empty file, not a catalog")
        }
        guard beginning.elementsEqual("SQLite format 3\0".utf8) else {
            throw ServerCatalogError(.notACatalog, "\(path) is not an SQLite database")
        }
    }

    /// Returns the result of `body` for one state of the file. `body` can run several times.
    /// Returns the last result.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try ForeignDatabase.value(from: path) { db in
            try db.limitingLength(to: Self.longestText) {
                try Self.requireOrdinaryTables(db)
                try CatalogDatabase.prepare(db)
                return try body(db)
            }
        }
    }

    /// Compares the schema with this version's.
    ///
    /// - Throws: `ServerCatalogError`, `.newerSchema` or `.notACatalog`.
    func state() throws -> CatalogSchemaState {
        let state = try read { try CatalogSchemaState($0) }
        try state.requireKnown()
        return state
    }

    /// Returns a copy of the catalog in memory, with the newest schema.
    func migratedCopy() throws -> DatabaseQueue {
        let memory = try read { db in
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            guard pages <= Self.longestCopy / max(1, pageSize) else {
                throw ServerCatalogError(
                    .damaged,
                    "\(path) has an earlier schema and is too large to migrate in memory;"
                        + " open it for writing once")
            }
            let memory = try DatabaseQueue(configuration: CatalogDatabase.configuration)
            try memory.writeWithoutTransaction { try db.backup(to: $0) }
            return memory
        }
        try CatalogSchema.migrator.migrate(memory)
        return memory
    }

    /// Rejects a schema in which a table of the catalog isn't an ordinary table with plain columns.
    private static func requireOrdinaryTables(_ db: Database) throws {
        let odd = try Row.fetchOne(
            db,
            sql: """
                SELECT name FROM sqlite_master
                WHERE type = 'view' OR type = 'table' AND coalesce(rootpage, 0) < 1
                UNION ALL
                SELECT tables.name FROM sqlite_master AS tables, pragma_table_xinfo(tables.name)
                WHERE tables.type = 'table' AND hidden <> 0
                LIMIT 1
                """)
        guard let odd else { return }
        throw ServerCatalogError(
            .notACatalog, "\(odd.text("name") ?? "a part of it") is not an ordinary table")
    }
}
