import GRDB
import ServerCatalog

// The bodies of the migrations. The migrations have been released: do not edit them.
extension CatalogSchema {
    static func createTables(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE logical (
                    id TEXT NOT NULL PRIMARY KEY,
                    name TEXT NOT NULL,
                    namePrefix TEXT NOT NULL,
                    sequenceNumber INTEGER,
                    domain TEXT NOT NULL,
                    entryCountryCode TEXT,
                    exitCountryCode TEXT NOT NULL,
                    hostCountry TEXT,
                    city TEXT,
                    translatedCity TEXT,
                    gatewayName TEXT,
                    tier INTEGER NOT NULL,
                    feature INTEGER NOT NULL,
                    latitude DOUBLE NOT NULL,
                    longitude DOUBLE NOT NULL
                );
                CREATE INDEX index_logical_on_namePrefix_sequenceNumber
                    ON logical(namePrefix, sequenceNumber);
                CREATE INDEX index_logical_on_gatewayName_exitCountryCode
                    ON logical(gatewayName, exitCountryCode);

                CREATE TABLE logicalStatus (
                    logicalId TEXT NOT NULL UNIQUE REFERENCES logical(id) ON DELETE CASCADE,
                    status INTEGER NOT NULL,
                    score DOUBLE NOT NULL,
                    load INTEGER NOT NULL
                );
                CREATE INDEX index_logicalStatus_on_status_score_load
                    ON logicalStatus(status, score, load);

                CREATE TABLE endpoint (
                    id TEXT NOT NULL PRIMARY KEY,
                    logicalId TEXT NOT NULL REFERENCES logical(id) ON DELETE CASCADE,
                    entryIP TEXT,
                    exitIP TEXT NOT NULL,
                    domain TEXT NOT NULL,
                    status INTEGER,
                    label TEXT,
                    x25519PublicKey TEXT,
                    protocolEntries TEXT
                );
                CREATE INDEX index_endpoint_on_logicalId ON endpoint(logicalId);

                CREATE TABLE endpointOverrides (
                    endpointId TEXT NOT NULL UNIQUE REFERENCES endpoint(id) ON DELETE CASCADE,
                    protocolMask INTEGER NOT NULL,
                    protocolEntries TEXT NOT NULL
                );
                """)
    }

    static func createMetadata(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE databaseMetadata (
                    key TEXT NOT NULL PRIMARY KEY ON CONFLICT REPLACE,
                    value TEXT NOT NULL
                );
                """)
    }

    static func addSummaries(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE logical ADD COLUMN foldedName TEXT NOT NULL DEFAULT '';
                ALTER TABLE logical ADD COLUMN foldedCity TEXT;
                ALTER TABLE logical ADD COLUMN foldedTranslatedCity TEXT;
                ALTER TABLE logical ADD COLUMN foldedGateway TEXT;
                ALTER TABLE logical ADD COLUMN protocolMask INTEGER;
                ALTER TABLE logical ADD COLUMN upProtocolMask INTEGER;
                CREATE TABLE place (folded TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
                """)
        try BitAggregates.add(to: db)
        try db.execute(
            sql: """
                UPDATE logical SET (protocolMask, upProtocolMask) = (
                    SELECT BIT_OR(COALESCE(o.protocolMask, 63)),
                        BIT_OR(CASE WHEN COALESCE(e.status, 1) <> 0
                            THEN COALESCE(o.protocolMask, 63) END)
                    FROM endpoint e LEFT JOIN endpointOverrides o ON o.endpointId = e.id
                    WHERE e.logicalId = logical.id);
                """)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT rowid, name, city, translatedCity, gatewayName FROM logical")
        while let row = try rows.next() {
            let city = try row.decode(String?.self, atIndex: 2)
            let translated = try row.decode(String?.self, atIndex: 3)
            let gateway = try row.decode(String?.self, atIndex: 4)
            try db.execute(
                sql: """
                    UPDATE logical SET foldedName = ?, foldedCity = ?,
                        foldedTranslatedCity = ?, foldedGateway = ?
                    WHERE rowid = ?
                    """,
                arguments: [
                    TextFolding.fold(try row.decode(String.self, atIndex: 1)),
                    city.map { TextFolding.fold($0) },
                    translated.map { TextFolding.fold($0) }, gateway.map { TextFolding.fold($0) },
                    try row.decode(Int64.self, atIndex: 0),
                ])
        }
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO place
                    SELECT foldedCity FROM logical WHERE foldedCity IS NOT NULL
                    UNION SELECT foldedTranslatedCity FROM logical
                        WHERE foldedTranslatedCity IS NOT NULL
                    UNION SELECT foldedGateway FROM logical WHERE foldedGateway IS NOT NULL;
                CREATE INDEX index_logical_on_foldedName ON logical(foldedName);
                CREATE INDEX index_logical_on_foldedCity ON logical(foldedCity);
                CREATE INDEX index_logical_on_foldedTranslatedCity ON logical(foldedTranslatedCity);
                CREATE INDEX index_logical_on_foldedGateway ON logical(foldedGateway);
                CREATE INDEX index_logical_on_exitCountryCode ON logical(exitCountryCode);
                CREATE INDEX index_logical_on_entryCountryCode ON logical(entryCountryCode);
                CREATE INDEX index_logicalStatus_on_score ON logicalStatus(score);
                """)
    }

    /// Identifies endpoints by server and identifier, because a machine can serve several servers.
    ///
    /// Before this migration, a server lost the endpoints that a later server of the list also had.
    /// The file no longer contains the lost endpoints. If a server has no endpoints, the stored
    /// Last-Modified headers are deleted, so that clients request the complete list again.
    static func shareEndpoints(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE endpoint RENAME TO singleEndpoint;
                ALTER TABLE endpointOverrides RENAME TO singleOverrides;

                CREATE TABLE endpoint (
                    logicalId TEXT NOT NULL REFERENCES logical(id) ON DELETE CASCADE,
                    id TEXT NOT NULL,
                    entryIP TEXT,
                    exitIP TEXT NOT NULL,
                    domain TEXT NOT NULL,
                    status INTEGER,
                    label TEXT,
                    x25519PublicKey TEXT,
                    PRIMARY KEY (logicalId, id)
                );
                CREATE TABLE endpointOverrides (
                    logicalId TEXT NOT NULL,
                    endpointId TEXT NOT NULL,
                    protocolMask INTEGER NOT NULL,
                    protocolEntries TEXT NOT NULL,
                    PRIMARY KEY (logicalId, endpointId),
                    FOREIGN KEY (logicalId, endpointId)
                        REFERENCES endpoint(logicalId, id) ON DELETE CASCADE
                );
                INSERT INTO endpoint
                    SELECT logicalId, id, entryIP, exitIP, domain, status, label, x25519PublicKey
                    FROM singleEndpoint ORDER BY rowid;
                INSERT INTO endpointOverrides
                    SELECT e.logicalId, e.id, o.protocolMask, o.protocolEntries
                    FROM singleEndpoint e JOIN singleOverrides o ON o.endpointId = e.id
                    ORDER BY e.rowid;
                DROP TABLE singleOverrides;
                DROP TABLE singleEndpoint;
                CREATE INDEX index_endpoint_on_id ON endpoint(id);

                DELETE FROM databaseMetadata
                    WHERE key IN ('lastModifiedFree', 'lastModifiedAll')
                    AND EXISTS (SELECT 1 FROM logical WHERE protocolMask IS NULL);
                """)
    }
}
