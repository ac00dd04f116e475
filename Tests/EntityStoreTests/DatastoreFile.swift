import Foundation
import GRDB
import TestSupport

/// Creates a file like those that Core Data creates from the original Datastore's model.
struct DatastoreFile {
    let path: String

    private static let entities = [
        "BooleanProperty", "DataProperty", "DateProperty", "DoubleProperty", "EntityRecord",
        "IntegerProperty", "RelationshipProperty", "StringProperty",
    ]

    init(in folder: TemporaryFolder, name: String = "Sample.sqlite") throws {
        path = folder.appending(name)
        try write { db in
            try db.execute(
                sql: """
                    CREATE TABLE ZENTITYRECORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER,
                        Z_OPT INTEGER, ZDATESTAMP TIMESTAMP, ZIDENTIFIER VARCHAR, ZTYPE VARCHAR);
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR,
                        Z_SUPER INTEGER, Z_MAX INTEGER);
                    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255),
                        Z_PLIST BLOB);
                    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
                    """)
            for (place, name) in Self.entities.enumerated() {
                try db.execute(
                    sql: "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, 0)",
                    arguments: [place + 1, name])
                guard name.hasSuffix("Property") else { continue }
                let value =
                    switch name {
                    case "BooleanProperty", "IntegerProperty": "ZVALUE INTEGER"
                    case "DateProperty": "ZVALUE TIMESTAMP"
                    case "DoubleProperty": "ZVALUE FLOAT"
                    case "DataProperty": "ZVALUE BLOB"
                    case "RelationshipProperty": "ZTARGET INTEGER"
                    default: "ZVALUE VARCHAR"
                    }
                try db.execute(
                    sql: """
                        CREATE TABLE Z\(name.uppercased()) (Z_PK INTEGER PRIMARY KEY,
                            Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZDATESTAMP TIMESTAMP,
                            ZNAME VARCHAR, ZTYPENAME VARCHAR, \(value));
                        CREATE INDEX Z\(name.uppercased())_ZOWNER_INDEX
                            ON Z\(name.uppercased()) (ZOWNER)
                        """)
            }
        }
    }

    func write(_ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write(body)
        try queue.close()
    }
}

extension Database {
    /// Appends an entity as Core Data does.
    func addEntity(_ identifier: String?, _ type: String?, _ date: Double?) throws {
        try execute(
            sql: """
                INSERT INTO ZENTITYRECORD (Z_ENT, Z_OPT, ZDATESTAMP, ZIDENTIFIER, ZTYPE)
                VALUES (5, 1, ?, ?, ?)
                """, arguments: [date, identifier, type])
    }

    func addProperty(
        _ table: String, owner: Int?, _ date: Double, _ name: String, _ tag: String,
        _ value: (any DatabaseValueConvertible)?
    ) throws {
        let column = table == "RELATIONSHIP" ? "ZTARGET" : "ZVALUE"
        try execute(
            sql: """
                INSERT INTO Z\(table)PROPERTY
                    (Z_ENT, Z_OPT, ZOWNER, ZDATESTAMP, ZNAME, ZTYPENAME, \(column))
                VALUES (1, 1, ?, ?, ?, ?, ?)
                """, arguments: [owner, date, name, tag, value])
    }
}
