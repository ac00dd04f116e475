import CoreDataSamples
import Foundation
import GRDB

/// A Core Data store of boats and harbours.
struct CoreDataStore {
    let sample: SampleDatabase

    static let model: [CoreDataModelArchive.Entity] = [
        .init(
            name: "Boat", parent: nil,
            properties: [
                .attribute("sailNumber", 300), .attribute("builtOn", 900),
                .attribute("_berth", 700), .attribute("hullID", 1100), .attribute("photo", 1000),
                .attribute("secret", 1000), .toOne("homePort", "Harbour"),
                .toMany("crewMembers", "Sailor"),
            ]),
        .init(
            name: "Dinghy", parent: "Boat",
            properties: [.attribute("hasTrapeze", 800), .attribute("note", 700)]),
        .init(
            name: "Harbour", parent: nil,
            properties: [.attribute("fullName", 700), .toMany("boats", "Boat")]),
        .init(
            name: "Ketch", parent: "Boat",
            properties: [.attribute("mastHeight", 500), .attribute("note", 700)]),
        .init(
            name: "Sailor", parent: nil,
            properties: [
                .attribute("nickName", 700), .toMany("sailsOn", "Boat"),
                .toMany("friendsOf", "Sailor"),
            ]),
    ]

    init(modelCache: Data?) throws {
        sample = try SampleDatabase(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
                Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
            CREATE TABLE ZBOAT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZSAILNUMBER INTEGER, ZHASTRAPEZE INTEGER, ZHOMEPORT INTEGER, Z_FOK_HOMEPORT INTEGER,
                ZBUILTON TIMESTAMP, ZMASTHEIGHT FLOAT, Z_BERTH VARCHAR, ZNOTE VARCHAR, ZNOTE1 VARCHAR,
                ZHULLID BLOB, ZPHOTO BLOB, ZSECRET BLOB);
            CREATE TABLE ZHARBOUR (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZFULLNAME VARCHAR);
            CREATE TABLE ZSAILOR (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZNICKNAME VARCHAR);
            CREATE TABLE Z_1CREWMEMBERS (Z_1SAILSON INTEGER, Z_5CREWMEMBERS INTEGER,
                Z_FOK_5CREWMEMBERS INTEGER, PRIMARY KEY (Z_1SAILSON, Z_5CREWMEMBERS));
            CREATE TABLE Z_5FRIENDSOF (Z_5FRIENDSOF INTEGER, REFLEXIVE INTEGER,
                PRIMARY KEY (Z_5FRIENDSOF, REFLEXIVE));
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Boat', 0, 3), (2, 'Dinghy', 1, 0),
                (3, 'Harbour', 0, 1), (4, 'Ketch', 1, 0), (5, 'Sailor', 0, 2);
            INSERT INTO ZHARBOUR VALUES (1, 3, 1, 'North Quay');
            INSERT INTO ZSAILOR VALUES (1, 5, 1, 'Jo'), (2, 5, 1, 'Kim');
            INSERT INTO ZBOAT VALUES
                (1, 1, 1, 7, NULL, 1, 1024, 700000000.0, NULL, 'A4', NULL, NULL,
                    x'000102030405060708090A0B0C0D0E0F', x'0189504E47', x'0102'),
                (2, 2, 1, 8, 1, NULL, NULL, NULL, NULL, NULL, 'light', NULL, NULL,
                    CAST(x'02' || '0C6A3C1E-5B1D-4F57-9C60-3A52B0A7E111' || x'00' AS BLOB), x'FF'),
                (3, 4, 1, 9, NULL, NULL, NULL, NULL, 12.5, NULL, NULL, 'heavy', NULL, NULL, NULL);
            INSERT INTO Z_1CREWMEMBERS VALUES (1, 1, 2048), (1, 2, 1024), (2, 1, 1024);
            INSERT INTO Z_5FRIENDSOF VALUES (1, 2);
            """, name: "Fleet.sqlite")
        guard let modelCache else { return }
        let queue = try DatabaseQueue(path: sample.path)
        try queue.write {
            try $0.execute(sql: "INSERT INTO Z_MODELCACHE VALUES (?)", arguments: [modelCache])
        }
        try queue.close()
    }
}
