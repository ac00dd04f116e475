import Foundation
import Glibc
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

/// Changes that are previewed on a copy, written in one transaction, and undone.
@Suite struct CatalogChangeTests {
    private let samples = SampleSharedServers().servers()
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Catalog.db")
        try CatalogDatabase.open(path: path).upsert(servers: samples)
    }

    /// Previews an import that adds, changes and deletes servers.
    private func preview() throws -> CatalogChange {
        var listed = Array(samples.dropFirst(7))
        listed[0].logical.status.load = 99
        listed[1].logical.status.load = 99
        listed += SampleServers(count: 3, countryCount: 2, seed: 9).servers()
        let file = LogicalsWriter.logicals(listed)
        return try CatalogDatabase.previewing(path: path) {
            try $0.importLogicals(ByteStream(file), deletingOthersUpToTier: ServerTier.internal)
        }.change
    }

    @Test func previewNamesTheServersAndDoesNotChangeTheFile() throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let change = try preview()
        #expect(change.added.count == 3)
        #expect(change.deleted.map(\.id).sorted() == samples.prefix(7).map(\.id).sorted())
        #expect(change.changed.count == 2)
        #expect(change.changed.allSatisfy { $1.logical.status.load == 99 && $0.id == $1.id })
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func writtenChangeEqualsTheImportAndItsInverseRestoresEverything() throws {
        let catalog = try CatalogDatabase.open(path: path)
        let before = try catalog.allServers()
        #expect(before.count == samples.count)
        let change = try preview()
        try catalog.apply(change)
        let after = try catalog.allServers()
        #expect(CatalogChange(from: before, to: after) == change)
        try catalog.apply(change.inverse)
        #expect(try catalog.allServers() == before)
        #expect(CatalogChange(from: before, to: before).isEmpty)
    }

    @Test func changeOfAServerThatHasChangedWritesNothing() throws {
        let catalog = try CatalogDatabase.open(path: path)
        let change = try preview()
        let id = try #require(change.before.first?.id)
        try catalog.update(loads: [
            ServerLoad(id: id, status: LogicalStatus(load: 1, score: 1, status: 1))
        ])
        let before = try catalog.allServers()
        #expect(code { try catalog.apply(change) } == .changedSinceRead)
        #expect(try catalog.allServers() == before)
        let added = CatalogChange(from: [], to: [samples[20]])
        #expect(code { try catalog.apply(added) } == .changedSinceRead)
    }

    @Test func changeIsCodable() throws {
        let change = try preview()
        let data = try JSONEncoder().encode(change)
        #expect(try JSONDecoder().decode(CatalogChange.self, from: data) == change)
    }

    @Test func rebuiltCatalogIsRestoredWhileItIsEmpty() throws {
        let before = try CatalogDatabase.open(path: path).allServers()
        let (catalog, kept) = try CatalogDatabase.rebuild(path: path)
        try catalog.upsert(servers: [samples[0]])
        #expect(code { try CatalogDatabase.restore(kept: kept, to: path) } == .changedSinceRead)
        try catalog.delete(serversNotIn: [], maxTier: ServerTier.internal)
        try catalog.close()
        try CatalogDatabase.restore(kept: kept, to: path)
        #expect(try CatalogDatabase.openForReading(path: path).allServers() == before)
        #expect(!FileManager.default.fileExists(atPath: kept))
        #expect(code { try CatalogDatabase.restore(kept: kept, to: path) } == .notFound)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everything"))
    func readOnlyFolderIsNotAFailureOfTheDisk() throws {
        let (catalog, kept) = try CatalogDatabase.rebuild(path: path)
        try catalog.close()
        chmod(folder.path, 0o555)
        defer { chmod(folder.path, 0o755) }
        #expect(code { try CatalogDatabase.restore(kept: kept, to: path) } == .noPermission)
        #expect(code { _ = try CatalogDatabase.rebuild(path: path) } == .noPermission)
    }

    @Test func keptJournalStaysWithItsFile() throws {
        let (catalog, kept) = try CatalogDatabase.rebuild(path: path)
        try catalog.close()
        let journal = Data("journal".utf8)
        try journal.write(to: URL(filePath: kept + "-journal"))
        try CatalogDatabase.restore(kept: kept, to: path)
        #expect(try Data(contentsOf: URL(filePath: path + "-journal")) == journal)
        #expect(!FileManager.default.fileExists(atPath: kept + "-journal"))
    }
}
