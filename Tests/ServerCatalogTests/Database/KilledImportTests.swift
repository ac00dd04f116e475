import Foundation
import Glibc
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

/// A process that is killed during an import, after writing a part of it to disk.
@Suite struct KilledImportTests {
    private let before = SampleServers(count: 200, countryCount: 10).servers()
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Catalog.db")
        try CatalogDatabase.open(path: path, names: .english).upsert(servers: before)
    }

    /// Imports other servers in a separate process, which is killed after it has read most of them.
    private func importAndKill() throws {
        let file = folder.appending("logicals.json")
        try LogicalsWriter.logicals(SampleServers(count: 2000, seed: 7).servers())
            .write(to: URL(filePath: file))
        let importer = try RunningProgram("catalog-importer", [path, file])
        // The importer prints this when it requests the last piece of the file, and waits.
        #expect(try importer.line() == "almost there")
        #expect(try importer.end() == .signal(SIGKILL))
    }

    private func journalByteCount() throws -> Int {
        try Data(contentsOf: URL(filePath: path + "-journal")).count
    }

    @Test func nextWriterSeesTheStateBeforeAKilledImport() throws {
        let dump = try CatalogDatabase.openForReading(path: path).dump()
        let bytes = try Data(contentsOf: URL(filePath: path))
        try importAndKill()
        #expect(try journalByteCount() > 0, "nothing was on disk yet: the test proves nothing")
        #expect(try Data(contentsOf: URL(filePath: path)) != bytes)

        let catalog = try CatalogDatabase.open(path: path, names: .english)
        #expect(try catalog.dump() == dump)
        try catalog.upsert(servers: SampleServers(count: 10, seed: 9).servers())
        #expect(try catalog.serverCount() == 210)
    }

    @Test func readerSeesTheStateBeforeAKilledImport() throws {
        let dump = try CatalogDatabase.openForReading(path: path).dump()
        try importAndKill()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let journal = try Data(contentsOf: URL(filePath: path + "-journal"))
        #expect(!journal.isEmpty)

        let catalog = try CatalogDatabase.openForReading(path: path, names: .english)
        #expect(try catalog.dump() == dump)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(try Data(contentsOf: URL(filePath: path + "-journal")) == journal)
    }
}
