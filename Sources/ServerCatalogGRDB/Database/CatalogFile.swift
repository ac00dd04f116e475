import Foundation
import GRDB
import Replication
import ServerCatalog

/// A catalog's file, as somebody else may have written it.
///
/// It is read as every database of a package is (``ForeignDatabase``): nothing beside it is created,
/// no lock is taken or waited for, and what its schema says is not run.
struct CatalogFile: Sendable {
    /// A catalog of an earlier version is brought up to date in memory; a longer one is refused.
    static let longestCopy: Int64 = 128 << 20

    /// No text in a catalog that is read is longer, in bytes.
    static let longestText = 16 << 20

    let path: String

    /// - Throws: `ServerCatalogError`, `.notACatalog` for what is not a SQLite file.
    init(_ path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ServerCatalogError(.notFound, "\(path) does not exist")
        }
        guard !isFolder.boolValue else {
            throw ServerCatalogError(.notACatalog, "\(path) is a folder, not a catalog")
        }
        // A symbolic link that a person names leads to the file; one inside a package is refused
        // when its devices are listed.
        self.path = path
        let beginning = try WholeFile.beginning(of: path, count: 16)
        guard !beginning.isEmpty else {
            throw ServerCatalogError(.notACatalog, "\(path) is empty, not a catalog")
        }
        guard beginning.elementsEqual("SQLite format 3\0".utf8) else {
            throw ServerCatalogError(.notACatalog, "\(path) is not an SQLite database")
        }
    }

    /// What `body` reads in one state of the file. It may run several times; only what it returned
    /// last counts.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let outcome = try ForeignDatabase.read(path) { db in
            try db.limitingLength(to: Self.longestText) {
                try Self.requireOrdinaryTables(db)
                try CatalogDatabase.prepare(db)
                return try body(db)
            }
        }
        guard case .read(let value, _) = outcome else {
            throw ServerCatalogError(.busy, "\(path) was not read")
        }
        return value
    }

    /// How the schema stands to this version's.
    ///
    /// - Throws: `ServerCatalogError`, `.newerSchema` or `.notACatalog`.
    func state() throws -> CatalogSchemaState {
        let state = try read { try CatalogSchemaState($0) }
        try state.requireKnown()
        return state
    }

    /// The catalog in memory, with the newest schema.
    func migratedCopy() throws -> DatabaseQueue {
        let memory = try read { db in
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            guard pages <= Self.longestCopy / max(1, pageSize) else {
                throw ServerCatalogError(
                    .damaged,
                    "\(path) has an earlier schema, and is too large to be read without being brought up "
                        + "to date; open it for writing once")
            }
            let memory = try DatabaseQueue(configuration: CatalogDatabase.configuration)
            try memory.writeWithoutTransaction { try db.backup(to: $0) }
            return memory
        }
        try CatalogSchema.migrator.migrate(memory)
        return memory
    }

    /// Refuses a schema in which anything but a table with plain columns answers for one.
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
