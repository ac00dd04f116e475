import Foundation
import GRDB
import KeyValueStore
import Replication

/// A log as PARStore 1 and Core Data write it.
struct ParstoreFile {
    struct Row {
        var timestamp: Int64
        var parent: Int64?
        var key: String
        /// `nil` for a deletion.
        var value: PropertyList?
    }

    let path: String

    /// Creates the file with its folder, and inserts `rows`.
    init(at path: String, rows: [Row] = [], uuid: UUID = UUID()) throws {
        self.path = path
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let plist = try PropertyListSerialization.data(
            fromPropertyList: [
                "NSStoreType": "SQLite", "_NSAutoVacuumLevel": "2",
                "NSStoreModelVersionHashes": ["Log": Data(repeating: 7, count: 32)],
            ], format: .binary, options: 0)
        try write { db in
            try db.execute(
                sql: """
                    CREATE TABLE ZLOG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                        ZPARENTTIMESTAMP INTEGER, ZTIMESTAMP INTEGER, ZKEY VARCHAR, ZBLOB BLOB );
                    CREATE INDEX ZLOG_ZKEY_INDEX ON ZLOG (ZKEY);
                    CREATE INDEX ZLOG_ZTIMESTAMP_INDEX ON ZLOG (ZTIMESTAMP);
                    CREATE INDEX ZLOG_ZPARENTTIMESTAMP_INDEX ON ZLOG (ZPARENTTIMESTAMP);
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR,
                        Z_SUPER INTEGER, Z_MAX INTEGER);
                    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255),
                        Z_PLIST BLOB);
                    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
                    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Log', 0, 0);
                    """)
            try db.execute(
                sql: "INSERT INTO Z_METADATA VALUES (1, ?, ?)",
                arguments: [uuid.uuidString, plist])
        }
        try append(rows)
    }

    /// Appends rows as Core Data does.
    func append(_ rows: [Row]) throws {
        try write { db in
            for row in rows {
                let last = try Int64.fetchOne(db, sql: "SELECT Z_MAX FROM Z_PRIMARYKEY") ?? 0
                try insert(row, id: last + 1, into: db)
                try db.execute(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ?", arguments: [last + 1])
            }
        }
    }

    func insert(_ row: Row, id: Int64?, into db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO ZLOG (Z_PK, Z_ENT, Z_OPT, ZPARENTTIMESTAMP, ZTIMESTAMP, ZKEY, ZBLOB)
                VALUES (?, 1, 1, ?, ?, ?, ?)
                """,
            arguments: [
                id, row.parent, row.timestamp, row.key, try row.value?.binary() ?? Data(),
            ])
    }

    func write(_ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = TRUNCATE") }
        try queue.write(body)
        try queue.close()
    }
}
