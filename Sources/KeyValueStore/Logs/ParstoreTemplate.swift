import Foundation
import GRDB
import Replication

/// The initial content of a new PARStore 1 log: the tables, and the entities and model hashes by
/// which Core Data recognizes it. The content is copied from another device's log. For the first
/// device of a package, it is built in, as far as the format is known. The new log has no rows,
/// fresh counters, and its own store UUID.
///
/// The other file is not trusted, so its SQL text is not run. Tables and indexes are rebuilt from
/// the names and types that SQLite reports.
struct ParstoreTemplate: Sendable {
    private struct Table: Sendable {
        let name: String
        let columns: [(name: String, type: String, isKey: Bool)]
        let indexes: [(name: String, columns: [String])]
    }

    private struct Entity: Sendable {
        let number: Int64
        let name: String
        let superentity: Int64?
    }

    private let tables: [Table]
    private let entities: [Entity]
    private let metadataVersion: Int64
    private let metadata: Data?
    private let modelCache: [Data]

    /// The setting that Core Data uses for new files.
    static let creationSQL = "PRAGMA auto_vacuum = 2"

    private static let types: Set<String> = [
        "INTEGER", "VARCHAR", "VARCHAR(255)", "BLOB", "TIMESTAMP", "FLOAT", "DECIMAL", "",
    ]

    /// Reads the log of another device.
    ///
    /// - Throws: `ReplicationError`, `.unreadable` for tables that no model creates.
    init(_ database: Database) throws {
        var tables: [Table] = []
        let names = try String.fetchAll(
            database,
            sql: """
                SELECT name FROM sqlite_master
                WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid
                """)
        guard names.count <= 64 else {
            throw ReplicationError(.unreadable, "the log has \(names.count) tables, more than 64")
        }
        for name in names { tables.append(try Self.table(name, database)) }
        self.tables = tables
        entities = try Row.fetchAll(
            database, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY LIMIT 64"
        ).map { row in
            guard let number = row.integer("Z_ENT"), let name = row.text("Z_NAME") else {
                throw ReplicationError(.unreadable, "an entity of the log has no name or number")
            }
            return Entity(number: number, name: name, superentity: row.integer("Z_SUPER"))
        }
        guard entities.contains(where: { $0.name == "Log" }) else {
            throw ReplicationError(.unreadable, "the log has no entity Log")
        }
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT Z_VERSION, CASE WHEN length(Z_PLIST) <= 1048576 THEN Z_PLIST END AS list
                FROM Z_METADATA LIMIT 1
                """)
        metadataVersion = row?.integer("Z_VERSION") ?? 1
        metadata = row.flatMap { Data.fromDatabaseValue($0["list"]) }
        if tables.contains(where: { $0.name == "Z_MODELCACHE" }) {
            modelCache = try Data.fetchAll(
                database,
                sql: """
                    SELECT Z_CONTENT FROM Z_MODELCACHE
                    WHERE typeof(Z_CONTENT) = 'blob' AND length(Z_CONTENT) <= 1048576 LIMIT 16
                    """)
        } else {
            modelCache = []
        }
    }

    private static func table(_ name: String, _ database: Database) throws -> Table {
        let refusal = ReplicationError(
            .unreadable, "the table \(name.quoted) is not a Core Data table")
        guard name.utf8.allSatisfy(isPlain), try database.ordinaryColumns(of: name) != nil else {
            throw refusal
        }
        let columns = try Row.fetchAll(
            database, sql: "SELECT name, type, pk FROM pragma_table_xinfo(?)", arguments: [name]
        ).map { row in
            guard let column = row.text("name"), column.utf8.allSatisfy(isPlain),
                let type = row.text("type"), types.contains(type.uppercased()),
                let key = row.integer("pk")
            else { throw refusal }
            return (name: column, type: type.uppercased(), isKey: key == 1)
        }
        guard !columns.isEmpty, columns.count <= 64 else { throw refusal }
        var indexes: [(name: String, columns: [String])] = []
        let listed = try Row.fetchAll(
            database,
            sql: "SELECT name FROM pragma_index_list(?) WHERE origin = 'c' AND partial = 0",
            arguments: [name])
        for row in listed.prefix(64) {
            guard let index = row.text("name"), index.utf8.allSatisfy(isPlain) else {
                continue
            }
            let indexed = try String?.fetchAll(
                database, sql: "SELECT name FROM pragma_index_info(?)", arguments: [index])
            let plain = indexed.compactMap { $0 }.filter { $0.utf8.allSatisfy(isPlain) }
            if !plain.isEmpty, plain.count == indexed.count { indexes.append((index, plain)) }
        }
        return Table(name: name, columns: columns, indexes: indexes)
    }

    /// Returns whether the byte is an ASCII letter, a digit, or an underscore.
    private static func isPlain(_ byte: UInt8) -> Bool {
        let scalar = Unicode.Scalar(byte)
        return scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic
            || ("0"..."9").contains(scalar)
    }

    /// Creates the tables for a package's first device, as far as the format is known.
    ///
    /// Core Data compares the model hashes in `Z_METADATA` with the hashes of the program's model.
    /// PARStore's hashes are unknown, so the template lacks them, and such a file hasn't been
    /// tested with an Apple program.
    init() throws(PropertyListError) {
        tables = [
            Table(
                name: "ZLOG",
                columns: [
                    ("Z_PK", "INTEGER", true), ("Z_ENT", "INTEGER", false),
                    ("Z_OPT", "INTEGER", false), ("ZPARENTTIMESTAMP", "INTEGER", false),
                    ("ZTIMESTAMP", "INTEGER", false), ("ZKEY", "VARCHAR", false),
                    ("ZBLOB", "BLOB", false),
                ],
                indexes: ["ZKEY", "ZPARENTTIMESTAMP", "ZTIMESTAMP"].map {
                    ("ZLOG_\($0)_INDEX", [$0])
                }),
            Table(
                name: "Z_PRIMARYKEY",
                columns: [
                    ("Z_ENT", "INTEGER", true), ("Z_NAME", "VARCHAR", false),
                    ("Z_SUPER", "INTEGER", false), ("Z_MAX", "INTEGER", false),
                ], indexes: []),
            Table(
                name: "Z_METADATA",
                columns: [
                    ("Z_VERSION", "INTEGER", true), ("Z_UUID", "VARCHAR(255)", false),
                    ("Z_PLIST", "BLOB", false),
                ], indexes: []),
            Table(
                name: "Z_MODELCACHE", columns: [("Z_CONTENT", "BLOB", false)], indexes: []),
        ]
        entities = [Entity(number: 1, name: "Log", superentity: 0)]
        metadataVersion = 1
        let list: PropertyList = [
            "NSStoreType": "SQLite", "NSStoreModelVersionHashesVersion": 3,
            "NSStoreModelVersionIdentifiers": [""], "_NSAutoVacuumLevel": "2",
        ]
        metadata = try list.binary()
        modelCache = []
    }

    /// Creates the tables in a new file.
    func create(in database: Database) throws {
        for table in tables {
            let columns = table.columns.map { column in
                let key = column.isKey ? " PRIMARY KEY" : ""
                return "\(column.name) \(column.type)".trimmingCharacters(in: .whitespaces) + key
            }
            try database.execute(
                sql: "CREATE TABLE \(table.name) ( \(columns.joined(separator: ", ")) )")
            for index in table.indexes {
                let names = index.columns.joined(separator: ", ")
                try database.execute(
                    sql: "CREATE INDEX \(index.name) ON \(table.name) (\(names))")
            }
        }
        for entity in entities {
            try database.execute(
                sql: "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
                arguments: [entity.number, entity.name, entity.superentity])
        }
        try database.execute(
            sql: "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (?, ?, ?)",
            arguments: [metadataVersion, UUID().uuidString, metadata])
        for content in modelCache {
            try database.execute(
                sql: "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", arguments: [content])
        }
    }
}
