import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

@Suite struct MigrationTests {
    private let samples = SampleServers(count: 40, countryCount: 6).servers()

    /// Released migrations, by what each leaves. A change here is a change to files in the world:
    /// add a migration instead.
    @Test func releasedMigrationsAreNotEdited() throws {
        let expected = [
            "initial schema": "d28838d5", "database_metadata": "6bb52e2c",
            "summaries": "2e4e947c",
        ]
        let queue = try DatabaseQueue()
        for identifier in CatalogSchema.migrator.migrations {
            try CatalogSchema.migrator.migrate(queue, upTo: identifier)
            let schema = try queue.read { try Self.schema($0) }.joined(separator: "\n")
            #expect(Self.checksum(schema) == expected[identifier], "\(identifier):\n\(schema)")
        }
        #expect(CatalogSchema.migrator.migrations.count == expected.count)
    }

    @Test func catalogOfTheFirstVersionIsBroughtUpToDate() throws {
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

    @Test func catalogOfAnEarlierVersionIsReadWithoutChangingIt() throws {
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

    /// A file that a later version has migrated, with data in it.
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

    @Test func newerFileIsRefusedAndNotTouched() throws {
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

    @Test func rebuiltCatalogIsEmptyAndTheOldOneKept() throws {
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

    @Test func foreignDatabaseIsRefusedAndNotTouched() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("notes.db")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE note (text)") }
        try queue.close()
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
                    sql: "INSERT INTO endpointOverrides VALUES (?, ?, ?)",
                    arguments: [endpoint.id, endpoint.protocolSupport.rawValue, overrides.json])
            }
        }
    }

    /// The statements that make the database, in order of the names.
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
        // FNV-1a: enough to notice an edit.
        let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return String(hash, radix: 16)
    }
}
