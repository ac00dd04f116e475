import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

@Suite struct MigrationTests {
    private let samples = SampleServers(count: 40, countryCount: 6).servers()

    /// Checksums of the schema after each released migration. If one changes, add a migration
    /// instead of editing a released one: files with the old schema exist.
    @Test func releasedMigrationsAreNotEdited() throws {
        let expected = [
            "initial schema": "d28838d5", "database_metadata": "6bb52e2c",
            "summaries": "2e4e947c", "shared_endpoints": "2e52a523",
        ]
        let queue = try DatabaseQueue()
        for identifier in CatalogSchema.migrator.migrations {
            try CatalogSchema.migrator.migrate(queue, upTo: identifier)
            let schema = try queue.read { try Self.schema($0) }.joined(separator: "\n")
            #expect(Self.checksum(schema) == expected[identifier], "\(identifier):\n\(schema)")
        }
        #expect(CatalogSchema.migrator.migrations.count == expected.count)
    }

    @Test func catalogOfTheFirstVersionIsMigrated() throws {
        let queue = try DatabaseQueue()
        try CatalogSchema.migrator.migrate(queue, upTo: "database_metadata")
        try queue.write { try Self.fillFirstVersion($0, samples) }
        let catalog = try CatalogDatabase(queue, names: .english)
        let wanted = try CatalogTest.makeCatalog(samples)
        #expect(try catalog.dump() == wanted.dump())
        #expect(
            try catalog.servers(filteredBy: [.matches("zurich")], orderedBy: .fastest)
                == wanted.servers(filteredBy: [.matches("zurich")], orderedBy: .fastest))
    }

    /// Fills a catalog as versions before `shared_endpoints` did: an endpoint belonged to the last
    /// server that listed it.
    private static func fillWithSingleEndpoints(
        _ db: Database, _ servers: [VPNServer]
    ) throws -> [VPNServer] {
        var owners: [String: String] = [:]
        for server in servers {
            for endpoint in server.endpoints { owners[endpoint.id] = server.id }
        }
        let kept = servers.map { server in
            VPNServer(
                logical: server.logical,
                endpoints: server.endpoints.filter { owners[$0.id] == server.id })
        }
        try fillFirstVersion(db, kept)
        return kept
    }

    @Test(arguments: ["database_metadata", "summaries"])
    func migrationToSharedEndpointsKeepsData(_ version: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Catalog.db")
        let queue = try DatabaseQueue(path: path)
        try CatalogSchema.migrator.migrate(queue, upTo: "database_metadata")
        let all = SampleSharedServers().servers()
        let kept = try queue.write { try Self.fillWithSingleEndpoints($0, all) }
        let withEndpoints = kept.filter { !$0.endpoints.isEmpty }
        #expect(withEndpoints.count == 405 - 69)
        try queue.write {
            try $0.execute(
                sql: """
                    INSERT INTO databaseMetadata VALUES ('lastModifiedAll', 'Sat'),
                        ('lastModifiedFree', 'Sun'), ('own', 'kept');
                    """)
        }
        try CatalogSchema.migrator.migrate(queue, upTo: version)
        try queue.close()

        for catalog in [
            try CatalogDatabase.openForReading(path: path, names: .english),
            try CatalogDatabase.open(path: path, names: .english),
        ] {
            #expect(try catalog.serverCount() == 405)
            #expect(
                try catalog.servers(orderedBy: .nameAscending)
                    == ServerRepository(servers: kept).getServers(
                        filteredBy: [], orderedBy: .nameAscending))
            for server in kept { #expect(try catalog.server(withID: server.id) == server) }
            // Lost endpoints return with the next list, which must be requested in full.
            #expect(try catalog.metadata(for: .lastModifiedAll) == nil)
            #expect(try catalog.metadata(for: .lastModifiedFree) == nil)
            #expect(try catalog.metadata(for: CatalogMetadataKey("own")) == "kept")
        }
        let catalog = try CatalogDatabase.open(path: path, names: .english)
        _ = try catalog.refresh(.full, logicals: ByteStream(LogicalsWriter.logicals(all)))
        #expect(try catalog.servers().count == 405)
        #expect(try catalog.endpointCount() == 535)
    }

    @Test func migrationKeepsLastModifiedIfNoEndpointIsMissing() throws {
        let queue = try DatabaseQueue()
        try CatalogSchema.migrator.migrate(queue, upTo: "summaries")
        try queue.write { db in
            try Self.fillFirstVersion(db, samples)
            try db.execute(
                sql: """
                    UPDATE logical SET protocolMask = 63, upProtocolMask = 63;
                    INSERT INTO databaseMetadata VALUES ('lastModifiedAll', 'Sat');
                    """)
        }
        let catalog = try CatalogDatabase(queue, names: .english)
        #expect(try catalog.metadata(for: .lastModifiedAll) == "Sat")
    }

    /// A file of the service's own application, with its two migrations and its order of columns.
    @Test func fileOfTheOriginalApplicationIsOpened() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("app.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: Self.schemaOfTheOriginal)
            _ = try Self.fillFirstVersion(db, samples)
            try db.execute(
                sql: "INSERT INTO databaseMetadata VALUES ('lastModifiedAll', 'Sat, 21 Nov')")
        }
        try queue.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let reading = try CatalogDatabase.openForReading(path: path, names: .english)
        let wanted = try CatalogTest.makeCatalog(samples)
        try wanted.setMetadata("Sat, 21 Nov", for: .lastModifiedAll)
        #expect(try reading.servers(orderedBy: .nameAscending).count == samples.count)
        for server in samples { #expect(try reading.server(withID: server.id) == server) }
        for filters in [[], [.matches("land")], [.supports(.ikev2)]] as [[VPNServerFilter]] {
            #expect(try reading.groups(filteredBy: filters) == wanted.groups(filteredBy: filters))
        }
        #expect(try reading.metadata(for: .lastModifiedAll) == "Sat, 21 Nov")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let writing = try CatalogDatabase.open(path: path, names: .english)
        #expect(try writing.dump() == reading.dump())
        _ = try writing.importLogicals(
            ByteStream(LogicalsWriter.logicals(SampleSharedServers().servers())))
        #expect(
            try Set(writing.servers().map(\.id))
                == Set((samples + SampleSharedServers().servers()).map(\.id)))
    }

    private static let schemaOfTheOriginal = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('initial schema'), ('database_metadata');
        CREATE TABLE logical (id TEXT PRIMARY KEY, name TEXT NOT NULL, namePrefix TEXT NOT NULL,
            sequenceNumber INTEGER, domain TEXT NOT NULL, entryCountryCode TEXT,
            exitCountryCode TEXT NOT NULL, tier INTEGER NOT NULL, feature INTEGER NOT NULL,
            city TEXT, hostCountry TEXT, translatedCity TEXT, latitude DOUBLE NOT NULL,
            longitude DOUBLE NOT NULL, gatewayName TEXT);
        CREATE INDEX index_logical_on_namePrefix_sequenceNumber
            ON logical(namePrefix, sequenceNumber);
        CREATE INDEX index_logical_on_gatewayName_exitCountryCode
            ON logical(gatewayName, exitCountryCode);
        CREATE TABLE endpoint (id TEXT PRIMARY KEY, entryIP TEXT, exitIP TEXT NOT NULL,
            domain TEXT NOT NULL, status INTEGER, label TEXT, x25519PublicKey TEXT,
            protocolEntries TEXT,
            logicalId TEXT NOT NULL REFERENCES logical(id) ON DELETE CASCADE);
        CREATE INDEX index_endpoint_on_logicalId ON endpoint(logicalId);
        CREATE TABLE logicalStatus (score DOUBLE NOT NULL, status INTEGER NOT NULL,
            load INTEGER NOT NULL,
            logicalId TEXT NOT NULL UNIQUE REFERENCES logical(id) ON DELETE CASCADE);
        CREATE INDEX index_logicalStatus_on_status_score_load
            ON logicalStatus(status, score, load);
        CREATE TABLE endpointOverrides (endpointId TEXT NOT NULL UNIQUE
            REFERENCES endpoint(id) ON DELETE CASCADE,
            protocolMask INTEGER NOT NULL, protocolEntries TEXT NOT NULL);
        CREATE TABLE databaseMetadata (key TEXT PRIMARY KEY ON CONFLICT REPLACE,
            value TEXT NOT NULL);
        """

    @Test func readingAnEarlierCatalogLeavesTheFileUnchanged() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Catalog.db")
        let queue = try DatabaseQueue(path: path)
        try CatalogSchema.migrator.migrate(queue, upTo: "database_metadata")
        try queue.write { try Self.fillFirstVersion($0, samples) }
        try queue.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let catalog = try CatalogDatabase.openForReading(path: path, names: .english)
        #expect(try catalog.servers().count == samples.count { !$0.endpoints.isEmpty })
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Catalog.db"])
    }

    /// Creates a file with data that a later version has migrated.
    private func laterFile(in folder: TemporaryFolder) throws -> String {
        let path = folder.appending("Catalog.db")
        let queue = try DatabaseQueue(path: path)
        try CatalogDatabase(queue, names: .english).upsert(servers: samples)
        var migrator = CatalogSchema.migrator
        migrator.registerMigration("the future") {
            try $0.execute(sql: "ALTER TABLE logical RENAME COLUMN city TO town")
        }
        try migrator.migrate(queue)
        try queue.close()
        return path
    }

    @Test func newerFileIsRejectedAndUnchanged() throws {
        let folder = try TemporaryFolder()
        let path = try laterFile(in: folder)
        let before = try Data(contentsOf: URL(filePath: path))
        for open in [CatalogDatabase.open, CatalogDatabase.openForReading] {
            #expect {
                try open(path, .english)
            } throws: { error in
                guard let error = error as? ServerCatalogError else { return false }
                return error.code == .newerSchema && error.message.contains("the future")
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Catalog.db"])
    }

    @Test func rebuildingCreatesAnEmptyCatalogAndKeepsTheOldFile() throws {
        let folder = try TemporaryFolder()
        let path = try laterFile(in: folder)
        let old = try Data(contentsOf: URL(filePath: path))
        let (catalog, kept) = try CatalogDatabase.rebuild(path: path, names: .english)
        #expect(kept == path + ".old")
        #expect(try catalog.serverCount() == 0)
        try catalog.upsert(servers: samples)
        #expect(try Data(contentsOf: URL(filePath: kept)) == old)

        let (_, second) = try CatalogDatabase.rebuild(path: path, names: .english)
        #expect(second == path + ".old-2")
        #expect(try Data(contentsOf: URL(filePath: kept)) == old)
        #expect(
            try CatalogDatabase.openForReading(path: second).serverCount() == samples.count)
    }

    @Test func foreignDatabaseIsRejectedAndUnchanged() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("notes.db")
        try runSQL("CREATE TABLE note (text)", at: path)
        let before = try Data(contentsOf: URL(filePath: path))
        for open in [CatalogDatabase.open, CatalogDatabase.openForReading] {
            #expect {
                try open(path, .english)
            } throws: {
                ($0 as? ServerCatalogError)?.code == .notACatalog
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    static func fillFirstVersion(_ db: Database, _ servers: [VPNServer]) throws {
        for server in servers {
            let logical = server.logical
            let name = logical.parsedName
            let isCore = logical.features.contains(.secureCore)
            try db.execute(
                sql: """
                    INSERT INTO logical (id, name, namePrefix, sequenceNumber, domain,
                        entryCountryCode, exitCountryCode, hostCountry, city, translatedCity,
                        gatewayName, tier, feature, latitude, longitude)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    logical.id, logical.name, name.prefix, name.sequenceNumber, logical.domain,
                    isCore ? logical.entryCountryCode : nil, logical.exitCountryCode,
                    logical.hostCountry, logical.city, logical.translatedCity,
                    logical.gatewayName, logical.tier, logical.features.rawValue,
                    logical.latitude, logical.longitude,
                ])
            try db.execute(
                sql:
                    "INSERT INTO logicalStatus (logicalId, status, score, load) VALUES (?, ?, ?, ?)",
                arguments: [
                    logical.id, logical.status.status, logical.status.score, logical.status.load,
                ])
            for endpoint in server.endpoints {
                try db.execute(
                    sql: """
                        INSERT INTO endpoint (id, logicalId, entryIP, exitIP, domain, status, label,
                            x25519PublicKey)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        endpoint.id, logical.id, endpoint.entryIP, endpoint.exitIP,
                        endpoint.domain, endpoint.status, endpoint.label,
                        endpoint.x25519PublicKey,
                    ])
                guard let overrides = endpoint.overrides else { continue }
                try db.execute(
                    sql: """
                        INSERT INTO endpointOverrides (endpointId, protocolMask, protocolEntries)
                        VALUES (?, ?, ?)
                        """,
                    arguments: [endpoint.id, endpoint.protocolSupport.rawValue, overrides.json])
            }
        }
    }

    /// Returns the statements that create the database, sorted by name.
    static func schema(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT sql FROM sqlite_master
                WHERE sql IS NOT NULL AND name <> 'grdb_migrations' ORDER BY name
                """
        ).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    private static func checksum(_ text: String) -> String {
        // FNV-1a is sufficient to detect an edit.
        let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return String(hash, radix: 16)
    }
}
