import Automerge
import DocumentStore
import EntityStore
import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Findings about catalogs, documents, entities and single files.
@Suite struct DoctorContentTests {
    private let folder: TemporaryFolder
    private let path: String

    init() async throws {
        folder = try TemporaryFolder()
        path = folder.appending("Demo.store")
        try await DemoStore().build(at: path)
    }

    private func change(_ file: String, _ sql: String) throws {
        try runSQL(sql, at: file)
    }

    private func codes(_ path: String? = nil) throws -> [String] {
        try Doctor(path ?? self.path, own: nil).examine().map(\.code)
    }

    @Test func catalogWithInvalidJSONOrANewerSchemaIsReported() throws {
        let catalog = "\(path)/Devices/anna-laptop/Catalog.db"
        let alone = folder.appending("servers.db")
        try FileManager.default.copyItem(atPath: catalog, toPath: alone)
        for file in [catalog, alone] {
            try change(file, "UPDATE endpointOverrides SET protocolEntries = '{'")
            #expect(try codes(file) == ["json"])
            try change(file, "INSERT INTO grdb_migrations VALUES ('of the future')")
            #expect(try codes(file) == ["newer-form"])
        }
        #expect(try codes() == ["newer-form"])
    }

    @Test func damagedAndMissingChunksAreReported() throws {
        let devices = try StorePackage(opening: path).devices().filter { $0.has(.documents) }
        let file = try #require(devices.first).path(of: .documents)
        try change(
            file,
            """
            UPDATE content SET data = zeroblob(length(data)) WHERE id =
                (SELECT min(id) FROM log WHERE operation IN (3, 4))
            """)
        let found = try Doctor(path, own: nil).examine()
        let chunk = try #require(found.first { $0.code == "chunk" }, "\(found)")
        #expect("\(path)/\(chunk.file)" == file && chunk.severity == .error)
    }

    @Test func valuesOfDocumentsDoNotWinByAClockAhead() throws {
        let stored = try DocumentPackage()
        let now = Timestamp(Date(timeIntervalSinceNow: -10 * 86_400))
        let doctor = Doctor(stored.path, own: nil, clock: HybridClock { now })
        let found = try #require(try doctor.examine().first { $0.code == "clock-ahead" })
        #expect(found.file == "Devices/anna/Documents.db")
        #expect(found.advice == "correct the device's clock")
    }

    @Test func missingDependenciesOfADocumentAreReported() throws {
        let document = Document()
        try document.put(obj: .ROOT, key: "a", value: .Int(1))
        let known = document.heads()
        _ = document.save()
        try document.put(obj: .ROOT, key: "a", value: .Int(2))
        let file = folder.appending("late.automerge")
        try document.encodeChangesSince(heads: known).write(to: URL(filePath: file))
        let found = try Doctor(file, own: nil).examine()
        #expect(found.map(\.code) == ["missing-changes"])
        #expect(found.first?.advice?.contains("docs merge") == true)
    }

    @Test func invalidEntityRowsAreReported() throws {
        let devices = try StorePackage(opening: path).devices().filter { $0.has(.entities) }
        let file = try #require(devices.first).path(of: .entities)
        try change(file, "UPDATE log SET operation = 77 WHERE id = 2")
        let found = try #require(try Doctor(path, own: nil).examine().first)
        #expect(found.code == "rows" && "\(path)/\(found.file)" == file)
    }

    /// Damages only an index of a log.
    ///
    /// - Returns: The last row.
    private func damageIndex(of file: String) throws -> Int {
        let queue = try DatabaseQueue(path: file)
        let (page, last) = try queue.read { db in
            let page = try Int.fetchOne(
                db, sql: "SELECT min(rootpage) FROM sqlite_master WHERE type = 'index'")
            let last = try Int.fetchOne(db, sql: "SELECT max(id) FROM log")
            return (try #require(page), try #require(last))
        }
        try queue.close()
        var bytes = try Data(contentsOf: URL(filePath: file))
        bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(count: 4096))
        try bytes.write(to: URL(filePath: file))
        return last
    }

    @Test func damagedIndexIsReportedWithItsPageAndReadableRows() throws {
        let last = try damageIndex(of: "\(path)/Devices/ben-phone/Logs.db")
        let found = try #require(try Doctor(path, own: nil).examine().first)
        #expect(found.code == "damaged")
        #expect(found.problem.contains("structure damaged"))
        #expect(found.problem.hasSuffix("; rows 1 to \(last) are still readable"))
    }

    @Test func deviceIsDamagedOnceProblemsNameItsFile() async throws {
        _ = try damageIndex(of: "\(path)/Devices/ben-phone/Logs.db")
        let pane = try await PaneSession(path)
        func device() async throws -> [String] {
            let rows = try await pane.rows(.devices)
            let row = try #require(rows.first { $0.id == RowID("ben-phone") })
            return [row.cells[1].text, row.cells[6].text]
        }
        #expect(try await device() == ["ok", ""])
        #expect(pane.session.status.foundCount == 0)
        let problems = try await pane.rows(.problems).filter { !$0.isDimmed }
        #expect(try await device() == ["damaged", problems[0].cells[1].text])
        let status = pane.session.status
        #expect(status.foundCount == problems.count)
        #expect(status.devices.first { $0.id.name == "ben-phone" }?.state == "damaged")
        #expect(try await pane.rows(.devices, RowQuery(filter: "state:damaged")).count == 1)
        await pane.close()
    }

    @Test func damagedSingleFilesAreReported() throws {
        let tables = folder.appending("shop.db")
        try change(
            tables,
            """
            CREATE TABLE a (b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
            WHERE i < 2000) INSERT INTO a SELECT i FROM n
            """)
        #expect(try codes(tables).isEmpty)
        var bytes = try Data(contentsOf: URL(filePath: tables))
        bytes.replaceSubrange(8192..<12_288, with: Data(count: 4096))
        try bytes.write(to: URL(filePath: tables))
        let found = try Doctor(tables, own: nil).examine()
        #expect(found.map(\.code) == ["damaged"])
        #expect(found.first?.command == "sqlite3 \(tables) .recover | sqlite3 \(tables).recovered")
        let log = folder.appending("Logs.db")
        try FileManager.default.copyItem(
            atPath: "\(path)/Devices/ben-phone/Logs.db", toPath: log)
        #expect(try codes(log).isEmpty)
        try change(log, "DELETE FROM log WHERE id = 2")
        #expect(try codes(log) == ["gap"])
    }

    @Test func rowsThatViolateAConstraintAreNotDamage() throws {
        let file = folder.appending("members.db")
        try runSQL(
            """
            CREATE TABLE member (name); INSERT INTO member VALUES (NULL);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = 'CREATE TABLE member (name NOT NULL)'
            """, at: file, isTransaction: false)
        let found = try Doctor(file, own: nil).examine()
        #expect(found.map(\.code) == ["form"])
        // The file is intact, so no command recovers it.
        #expect(found.first?.command == nil)
    }

    @Test func fileWithAMissingCollationIsUncheckedNotDamaged() throws {
        let file = folder.appending("names.db")
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                collation: DatabaseCollation("names") { $0 < $1 ? .orderedAscending : .orderedSame }
            )
        }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.write {
            try $0.execute(
                sql: "CREATE TABLE a (b COLLATE names UNIQUE); INSERT INTO a VALUES ('x'), ('y')")
        }
        try queue.close()
        let found = try Doctor(file, own: nil).examine()
        #expect(found.map(\.code) == ["unchecked"])
        #expect(found.first?.severity == .note)
    }

    @Test func automergeFileIsCheckedChunkByChunk() throws {
        let devices = try StorePackage(opening: path).devices().filter { $0.has(.documents) }
        let queue = try DatabaseQueue(path: try #require(devices.first).path(of: .documents))
        let data = try #require(
            try queue.read {
                try Data.fetchOne($0, sql: "SELECT data FROM content ORDER BY length(data) DESC")
            })
        try queue.close()
        let file = folder.appending("note.automerge")
        try data.write(to: URL(filePath: file))
        #expect(try codes(file).contains("chunk") == false)
        var damaged = data
        damaged[data.count / 2] ^= 0xFF
        try damaged.write(to: URL(filePath: file))
        #expect(try codes(file).contains("chunk"))
    }

    @Test func unfinishedFilesOfAStorageFolderAreReported() throws {
        let storage = folder.appending("amrg")
        let store = try AutomergeStore(creatingStorageFolder: storage)
        let id = try store.newWorkspace().id.automergeID
        try store.close()
        let document = "\(storage)/\(id.prefix(2))/\(id.dropFirst(2))"
        let left = [storage, document].map { "\($0)/.tideline-4022250974" }
        for file in left { try Data("part".utf8).write(to: URL(filePath: file)) }
        let findings = try Doctor(storage, own: nil).examine()
        #expect(findings.map(\.code) == ["temporary", "temporary"])
        #expect(Set(findings.map(\.file)) == Set(left))
    }

    @Test func conflictCopyOfDocumentsIsMergedByAppendingItsRows() throws {
        let devices = try StorePackage(opening: path).devices().filter { $0.has(.documents) }
        let log = try #require(devices.first).path(of: .documents)
        let name = "Documents.sync-conflict-20261129-120000-ABCDEFG.db"
        let copy = URL(filePath: log).deletingLastPathComponent().appending(path: name).path
        try FileManager.default.copyItem(atPath: log, toPath: copy)
        let findings = try Doctor(path, own: nil).examine()
        let finding = try #require(findings.first { $0.code == "conflict-copy" })
        let command = ShellCommand.line(
            "tideline", "git", "merge-driver", "/dev/null", log, copy, "Documents.db")
        #expect(finding.command == command)
    }
}
