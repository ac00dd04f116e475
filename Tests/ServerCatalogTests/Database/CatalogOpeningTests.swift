import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

@Suite struct CatalogOpeningTests {
    private let samples = SampleServers(count: 30, countryCount: 4).servers()
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Catalog.db")
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test func catalogOnDiskOutlivesItsObject() throws {
        try CatalogDatabase.open(path: path).upsert(servers: samples)
        #expect(try CatalogDatabase.open(path: path).serverCount() == 30)
        #expect(try ServerRepository.onDisk(path: path).serverCount() == 30)
    }

    @Test func changesUseARollbackJournal() throws {
        let catalog = try CatalogDatabase.open(path: path)
        try catalog.upsert(servers: samples)
        let mode = try catalog.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "truncate")
        let level = try catalog.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(level == 2)
        #expect(try files() == ["Catalog.db", "Catalog.db-journal"])
        let journal = try Data(contentsOf: URL(filePath: path + "-journal"))
        #expect(journal.isEmpty)
    }

    @Test func readingChangesNothing() throws {
        try CatalogDatabase.open(path: path).upsert(servers: samples)
        try FileManager.default.removeItem(atPath: path + "-journal")
        let before = try bytes()
        let catalog = try CatalogDatabase.openForReading(path: path, names: .english)
        #expect(
            try catalog.servers(filteredBy: [.matches("z")], orderedBy: .nameAscending).count > 0)
        #expect(try !catalog.groups(filteredBy: [.supports(.ikev2)]).isEmpty)
        #expect(code { try catalog.upsert(servers: samples) } == .readOnly)
        #expect(
            code { try catalog.repository.setMetadata("x", for: .lastModifiedAll) } == .readOnly)
        #expect(try bytes() == before)
        #expect(try files() == ["Catalog.db"])
    }

    @Test func readerSeesWritesOfAnotherConnection() throws {
        let writer = try CatalogDatabase.open(path: path)
        try writer.upsert(servers: samples)
        let reader = try CatalogDatabase.openForReading(path: path)
        #expect(try reader.serverCount() == 30)
        let status = LogicalStatus(load: 99, score: 0, status: 1)
        try writer.update(loads: samples.map { ServerLoad(id: $0.id, status: status) })
        #expect(try reader.servers().allSatisfy { $0.logical.status == status })
    }

    @Test func fileInWriteAheadModeIsReadWithoutCreatingFiles() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        let writer = try CatalogDatabase(queue)
        try writer.upsert(servers: samples)
        #expect(try files().contains("Catalog.db-wal"))
        let before = try files()
        let reader = try CatalogDatabase.openForReading(path: path)
        #expect(try reader.serverCount() == 30)
        #expect(try files() == before)
        try queue.close()

        #expect(try files() == ["Catalog.db"])
        #expect(try CatalogDatabase.openForReading(path: path).serverCount() == 30)
        #expect(try files() == ["Catalog.db"])
    }

    @Test func openingSwitchesAFileToRollbackMode() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try CatalogDatabase(queue).upsert(servers: samples)
        try queue.close()
        #expect(try CatalogDatabase.open(path: path).serverCount() == 30)
        #expect(try bytes()[18] == 1)
    }

    @Test func otherFilesAreNotCatalogs() throws {
        #expect(code { _ = try CatalogDatabase.openForReading(path: path) } == .notFound)
        #expect(code { _ = try CatalogDatabase.openForReading(path: folder.path) } == .notACatalog)
        #expect(code { _ = try CatalogDatabase.open(path: folder.path) } == .notACatalog)
        try Data().write(to: URL(filePath: path))
        #expect(code { _ = try CatalogDatabase.openForReading(path: path) } == .notACatalog)
        try Data("a text, and no database at all".utf8).write(to: URL(filePath: path))
        #expect(code { _ = try CatalogDatabase.openForReading(path: path) } == .notACatalog)
        #expect(code { _ = try CatalogDatabase.open(path: path) } == .notACatalog)
        #expect(code { _ = try CatalogDatabase.open(path: path + "/x/y.db") } == .cannotCreate)
    }

    @Test func catalogWorksWithAPool() throws {
        let pool = try DatabasePool(path: path)
        let catalog = try CatalogDatabase(pool, names: .english)
        try catalog.upsert(servers: samples)
        #expect(try catalog.groups().count >= 4)
        let reading = try CatalogDatabase(readingFrom: pool, names: .english)
        #expect(try reading.groups() == catalog.groups())
        #expect(code { try reading.upsert(servers: []) } == .readOnly)
    }

    /// Damage at any byte causes an error or returns rows, and never crashes.
    @Test func damagedFileNeverTraps() throws {
        try CatalogDatabase.open(path: path).upsert(servers: samples)
        let good = [UInt8](try bytes())
        for seed in seeds(60) {
            var random = SeededRandom(seed: seed)
            var damaged = good
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                damaged[Int.random(in: 0..<good.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            if seed % 5 == 0 { damaged.removeLast(Int.random(in: 1..<good.count, using: &random)) }
            try Data(damaged).write(to: URL(filePath: path))
            do {
                let catalog = try CatalogDatabase.openForReading(path: path)
                for order in VPNServerOrder.allCases { _ = try catalog.servers(orderedBy: order) }
                _ = try catalog.groups(filteredBy: [.supports(.ikev2), .matches("a")])
                _ = try catalog.firstServer()
            } catch is ServerCatalogError {
                // The catalog was rejected, as expected.
            }
        }
    }

    @Test(arguments: [
        "UPDATE logical SET tier = 'x'", "UPDATE logical SET name = x'FF00'",
        "UPDATE logical SET feature = 1e300", "UPDATE logicalStatus SET score = 'x'",
        "UPDATE logical SET protocolMask = 'x', upProtocolMask = x'01'",
        "UPDATE endpointOverrides SET protocolEntries = '[', protocolMask = 'x'",
        "UPDATE endpoint SET exitIP = x'', status = 'up'", "DROP TABLE logicalStatus",
        "UPDATE logical SET latitude = 'north', longitude = NULL WHERE 0",
    ])
    func valuesOfAnotherTypeNeverTrap(_ sql: String) throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        try catalog.writer?.write { try $0.execute(sql: sql) }
        for body in [
            { _ = try catalog.servers(orderedBy: .nameAscending) },
            { _ = try catalog.groups(filteredBy: [.supports(.all)]) },
            { _ = try catalog.groups(groupedBy: .city) }, { _ = try catalog.firstServer() },
        ] {
            do {
                try body()
            } catch {
                #expect((error as? ServerCatalogError)?.code == .damaged)
            }
        }
    }
}
