public import Foundation
import GRDB
import KeyValueStore
import Replication
public import TestSupport

/// A Core Data store of albums and photos, with an attribute of each type, a history, and values in
/// files.
public struct GalleryStore {
    public let folder: TemporaryFolder
    public let path: String

    public static let file = "0C6A3C1E-5B1D-4F57-9C60-3A52B0A7E111"
    public static let missingFile = "0C6A3C1E-5B1D-4F57-9C60-3A52B0A7E222"
    public static let uuid = "000102030405460788090A0B0C0D0E0F"

    /// - Parameter title: The name of the attribute in the column `ZTITLE` of photos.
    public static func model(title: String = "title") -> [CoreDataModelArchive.Entity] {
        [
            .init(
                name: "Album", parent: nil,
                properties: [
                    .composite("billing", [.attribute("street", 700), .attribute("city", 700)]),
                    .attribute("cached", 700).transient, .attribute("capacity", 400),
                    .attribute("identifier", 1100), .attribute("isOpen", 800),
                    .attribute("link", 1200), .toMany("photos", "Photo", inverse: "album"),
                    .composite(
                        "shipping",
                        [.attribute("street", 700), .composite("area", [.attribute("code", 300)])]),
                    .composite("status", [.attribute("status", 700)]), .attribute("theme", 1800),
                ]),
            .init(
                name: "Photo", parent: nil,
                properties: [
                    .toOne("album", "Album", inverse: "photos"),
                    .attribute("image", 1000).with(flags: 4), .attribute("note", 700).transient,
                    .attribute("raw", 1000).with(flags: 0),
                    .attribute("taken", 900).with(flags: 16),
                    .attribute(title, 700).with(flags: 16),
                ]),
        ]
    }

    public init(modelCache: Data?, hashes: [String: Data] = [:]) throws {
        folder = try TemporaryFolder()
        path = folder.appending("Gallery.sqlite")
        let schema = """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
                Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
            CREATE TABLE ZALBUM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZISOPEN INTEGER, ZCODE INTEGER, ZCAPACITY DECIMAL, ZCITY VARCHAR, ZLINK VARCHAR,
                ZSTATUS VARCHAR, ZSTREET VARCHAR, ZSTREET1 VARCHAR, ZIDENTIFIER BLOB, ZTHEME BLOB);
            CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZALBUM INTEGER, Z_FOK_ALBUM INTEGER, ZTAKEN TIMESTAMP, ZTITLE VARCHAR, ZIMAGE BLOB,
                ZRAW BLOB);
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZTIMESTAMP FLOAT);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
                ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Album', 0, 1), (2, 'Photo', 0, 3),
                (16001, 'CHANGE', 0, 0);
            INSERT INTO ZALBUM VALUES (1, 1, 1, 1, 8001, 12.5, 'Bern', 'https://example.org/a',
                'shared', 'Main Street', 'Back Street', x'\(Self.uuid)', NULL);
            INSERT INTO ZPHOTO VALUES
                (1, 2, 1, 1, 2048, 700000000.0, 'second',
                    CAST(x'02' || '\(Self.file)' || x'00' AS BLOB), x'0102'),
                (2, 2, 1, 1, 1024, NULL, 'first', x'0189504E47', x'01'),
                (3, 2, 1, NULL, NULL, NULL, 'lost',
                    CAST(x'02' || '\(Self.missingFile)' AS BLOB), NULL);
            INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 700000001), (2, 16002, 1, 700000002);
            INSERT INTO ACHANGE VALUES
                (1, 16001, 1, 0, 2, 1, 1, NULL, NULL, NULL),
                (2, 16001, 1, 1, 2, 1, 2, x'0C', NULL, NULL),
                (3, 16001, 1, 1, 2, 2, 2, x'0004', NULL, NULL),
                (4, 16001, 1, 2, 2, 9, 2, NULL, 700000000.0, 'gone'),
                (5, 16001, 1, 1, 1, 1, 2, x'4120', NULL, NULL),
                (6, 16001, 1, 1, 2, 2, 2, x'40', NULL, NULL);
            """
        let files = folder.appending(".Gallery_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(
            atPath: files, withIntermediateDirectories: true)
        for name in [Self.file, "orphan"] {
            try Data([0x89, 0x50, 0x4E, 0x47]).write(to: URL(filePath: "\(files)/\(name)"))
        }
        let metadata: PropertyList = [
            "NSStoreModelVersionHashes": .dictionary(
                Dictionary(
                    uniqueKeysWithValues: hashes.map { (Name($0), PropertyList.data($1)) }))
        ]
        let plist = try metadata.binary()
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: schema)
            try db.execute(
                sql: "INSERT INTO Z_METADATA VALUES (1, 'A', ?)", arguments: [plist])
            guard let modelCache else { return }
            try db.execute(sql: "INSERT INTO Z_MODELCACHE VALUES (?)", arguments: [modelCache])
        }
        try queue.close()
    }

    /// Creates the store with its model.
    public init() throws { try self.init(modelCache: CoreDataModelArchive.data(Self.model())) }

    /// Writes a folder of models, each with hashes of its entities, next to the store.
    public func addModels(
        _ versions: [(name: String, entities: [CoreDataModelArchive.Entity], hash: UInt8)],
        current: String, in folder: String = "Gallery.momd"
    ) throws {
        let path = self.folder.appending(folder)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for version in versions {
            try CoreDataModelArchive.data(version.entities, isCompressed: false).write(
                to: URL(filePath: "\(path)/\(version.name).mom"))
        }
        let info: PropertyList = [
            "NSManagedObjectModel_CurrentVersionName": .string(current),
            "NSManagedObjectModel_VersionHashes": .dictionary(
                Dictionary(
                    uniqueKeysWithValues: versions.map { version in
                        (
                            Name(version.name),
                            .dictionary(
                                Dictionary(
                                    uniqueKeysWithValues: version.entities.map {
                                        (Name($0.name), .data(Self.hash(version.hash)))
                                    }))
                        )
                    })),
        ]
        try info.binary().write(to: URL(filePath: "\(path)/VersionInfo.plist"))
    }

    public static func hash(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }
}
