import Foundation
import GRDB
import Glibc
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

/// Malicious catalogs, and files that aren't catalogs.
@Suite(.timeLimit(.minutes(30))) struct HostileCatalogTests {
    private let samples = SampleServers(count: 30, countryCount: 4).servers()
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Catalog.db")
    }

    private func make() throws {
        let catalog = try CatalogDatabase.open(path: path)
        try catalog.upsert(servers: samples)
        try (catalog.writer as? DatabaseQueue)?.close()
        try FileManager.default.removeItem(atPath: path + "-journal")
    }

    private func change(_ sql: String) throws {
        try runSQL(sql, at: path, isTransaction: false)
    }

    /// Expects reading to fail with a catalog error and without changes.
    private func expectRefusal(
        _ codes: Set<ServerCatalogError.Code>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try FolderState(of: folder.path)
        do {
            let catalog = try CatalogDatabase.openForReading(path: path)
            _ = try catalog.serverCount()
            _ = try catalog.groups()
            Issue.record("it was read", sourceLocation: sourceLocation)
        } catch {
            let code = (error as? ServerCatalogError)?.code
            #expect(
                code.map(codes.contains) == true, "\(error)", sourceLocation: sourceLocation)
        }
        #expect(try FolderState(of: folder.path) == before, sourceLocation: sourceLocation)
    }

    @Test func viewInPlaceOfATableIsRejected() throws {
        try make()
        try change(
            """
            ALTER TABLE logical RENAME TO hidden;
            CREATE VIEW logical AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
            SELECT x AS id, x AS name FROM n;
            """)
        try expectRefusal([.notACatalog])
    }

    @Test func generatedColumnIsRejected() throws {
        try make()
        try change("ALTER TABLE logical ADD COLUMN more AS (hex(zeroblob(100000000))) VIRTUAL")
        try expectRefusal([.notACatalog])
    }

    @Test func pipeIsRejectedWithoutWaiting() throws {
        #expect(mkfifo(path, 0o600) == 0)
        try expectRefusal([.damaged])
        #expect(throws: ServerCatalogError.self) { try CatalogDatabase.open(path: path) }
    }

    @Test func lockedCatalogIsReadWithoutWaiting() throws {
        try make()
        let other = try DatabaseQueue(path: path)
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            #expect(try CatalogDatabase.openForReading(path: path).serverCount() == 30)
            try db.execute(sql: "ROLLBACK")
        }
    }

    @Test func readingNextToAStrayWriteAheadLogCreatesNoFiles() throws {
        try make()
        try Data("no log of writes, but not empty".utf8).write(to: URL(filePath: path + "-wal"))
        let before = try FolderState(of: folder.path)
        #expect(try CatalogDatabase.openForReading(path: path).serverCount() == 30)
        #expect(try FolderState(of: folder.path) == before)
    }

    @Test func sparseFileWithAJournalIsNotCopiedCompletely() throws {
        try make()
        #expect(truncate(path, 12 << 30) == 0)
        // Write the start of a journal, which SQLite would examine.
        try Data([1] + [UInt8](repeating: 0, count: 600))
            .write(to: URL(filePath: path + "-journal"))
        do {
            #expect(try CatalogDatabase.openForReading(path: path).serverCount() == 30)
        } catch is ServerCatalogError {
            // A rejection is acceptable.
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["Catalog.db", "Catalog.db-journal"])
    }
}
