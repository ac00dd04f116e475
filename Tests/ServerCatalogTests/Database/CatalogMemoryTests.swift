import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

/// Catalogs that are loaded into memory and persisted, and closed catalogs.
@Suite struct CatalogMemoryTests {
    private let samples = SampleSharedServers().servers()
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Catalog.db")
    }

    @Test func loadedCatalogChangesItsFileOnlyWhenPersisted() throws {
        try CatalogDatabase.open(path: path).upsert(servers: samples)
        let before = try Data(contentsOf: URL(filePath: path))
        let memory = try CatalogDatabase.loadIntoMemory(path: path, names: .english)
        #expect(try memory.dump() == CatalogTest.makeCatalog(samples).dump())
        try memory.delete(serversNotIn: Set(samples.prefix(100).map(\.id)), maxTier: 3)
        try memory.setMetadata("Sat", for: .lastModifiedAll)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        try memory.persist(to: path)
        let file = try CatalogDatabase.openForReading(path: path, names: .english)
        #expect(try file.dump() == memory.dump())
        #expect(try file.serverCount() == 100)
        // Only the catalog and its emptied journal are left.
        let journal = FileManager.default.contents(atPath: path + "-journal")
        #expect(journal?.isEmpty ?? true)
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
                .isSubset(of: ["Catalog.db", "Catalog.db-journal"]))
        // The catalog in memory still works.
        try memory.upsert(servers: samples)
        try memory.persist(to: path)
        #expect(try CatalogDatabase.open(path: path).serverCount() == 405)
    }

    @Test func catalogIsPersistedToANewFile() throws {
        try CatalogTest.makeCatalog(samples).persist(to: path)
        let catalog = try CatalogDatabase.open(path: path)
        #expect(try catalog.servers().count == 405)
        #expect(
            code { try catalog.persist(to: folder.appending("none/Catalog.db")) } == .cannotCreate)
    }

    @Test func otherFilesAreNotReplaced() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        try runSQL("CREATE TABLE note (text)", at: path)
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(code { try catalog.persist(to: path) } == .notACatalog)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(code { try catalog.persist(to: folder.path) } == .notACatalog)
        #expect(code { _ = try CatalogDatabase.loadIntoMemory(path: path) } == .notACatalog)
        #expect(
            code { _ = try CatalogDatabase.loadIntoMemory(path: path + ".none") } == .notFound)
    }

    @Test func earlierCatalogIsMigratedOnlyInMemoryUntilPersisted() throws {
        let queue = try DatabaseQueue(path: path)
        try CatalogSchema.migrator.migrate(queue, upTo: "database_metadata")
        try queue.write {
            try MigrationTests.fillFirstVersion($0, SampleServers(count: 9, seed: 2).servers())
        }
        try queue.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let memory = try CatalogDatabase.loadIntoMemory(path: path, names: .english)
        try memory.upsert(servers: samples)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        try memory.persist(to: path)
        #expect(try CatalogDatabase.openForReading(path: path).serverCount() == 414)
    }

    /// At any moment of closing, a call either succeeds or throws `.closed`.
    @Test func closingDuringReadsIsSafe() async throws {
        for _ in 0..<20 {
            let catalog = try CatalogTest.makeCatalog(Array(samples.prefix(5)))
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        if index == 1 { try? catalog.close() }
                        for _ in 0..<10 {
                            let failure = code {
                                let count = try catalog.servers().count
                                #expect(count == 5)
                            }
                            #expect(failure == nil || failure == .closed)
                        }
                    }
                }
            }
            #expect(code { _ = try catalog.servers() } == .closed)
        }
    }

    @Test func callsOnAClosedCatalogThrowClosed() throws {
        let catalog = try CatalogDatabase.open(path: path)
        let repository = catalog.repository
        try repository.upsert(servers: samples)
        try repository.close()
        try repository.close()
        #expect(code { _ = try repository.serverCount() } == .closed)
        #expect(code { _ = try catalog.servers() } == .closed)
        #expect(code { try catalog.upsert(servers: samples) } == .closed)
        #expect(code { try catalog.persist(to: path) } == .closed)
        #expect(try CatalogDatabase.open(path: path).serverCount() == 405)
        try ServerRepository(servers: samples).close()
    }
}
