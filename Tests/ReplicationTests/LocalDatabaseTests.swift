import Foundation
import GRDB
import Glibc
import Replication
import Synchronization
import TestSupport
import Testing

@Suite struct LocalDatabaseTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Logs.db")
    }

    private func count(_ database: LocalDatabase) throws -> Int? {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM row") } ?? nil
    }

    private func insert(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO row (batch, size) VALUES (1, 1)")
    }

    private var exists: Bool { FileManager.default.fileExists(atPath: path) }

    @Test func firstWriteCreatesTheFile() throws {
        let database = Sample.database(path)
        #expect(try count(database) == nil)
        #expect(!exists)
        try database.write(insert)
        #expect(exists)
        #expect(try count(database) == 1)
    }

    @Test func firstWriteCreatesTheDeviceFolder() throws {
        let package = try StorePackage(creating: folder.appending("p"))
        let laptop = try DeviceID("laptop")
        let database = LocalDatabase(.entities, of: laptop, in: package) { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (x)")
        }
        #expect(try database.path() == "\(package.path)/Devices/laptop/Entities.db")
        #expect(try package.devices().isEmpty)
        try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(try package.devices().map(\.id) == [laptop])
        #expect(try package.device(laptop).has(.entities))
    }

    @Test func journalIsTruncatedAndWritesAreFlushed() throws {
        let database = Sample.database(path)
        try database.write { db in
            try insert(db)
            #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "truncate")
            #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2)
            #expect(try String.fetchOne(db, sql: "PRAGMA locking_mode") == "normal")
        }
        database.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["Logs.db", "Logs.db-journal"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-journal")).isEmpty)
    }

    /// Another tool opened the file and left a write-ahead log.
    @Test(.enabled(if: HelperProcess.isAvailable))
    func writeAheadLogIsMergedIntoTheFile() throws {
        let other = try HelperProcess("log", path)
        #expect(other.line() == "logged")
        var options = LocalDatabase.Options()
        options.busyTimeout = .zero
        let hasty = LocalDatabase(path: path, options: options) { _ in }
        expectCode(.busy) { try hasty.write { _ in } }
        other.kill()
        let database = Sample.database(path)
        try database.write(insert)
        #expect(try count(database) == 501)
        database.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(20)
        #expect(Array(header.suffix(2)) == [1, 1])
    }

    @Test func throwingBodyRollsBack() throws {
        struct Mine: Error {}
        let database = Sample.database(path)
        #expect(throws: Mine.self) {
            try database.write { db in
                try insert(db)
                throw Mine()
            }
        }
        #expect(try count(database) == 0)
        try database.write(insert)
        #expect(try count(database) == 1)
    }

    @Test func idleFileIsClosed() throws {
        let time = TestScheduler()
        var options = LocalDatabase.Options()
        options.scheduler = time.scheduler
        let database = LocalDatabase(path: path, options: options) { db in
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, batch, size)")
        }
        #expect(!database.isOpen)
        try database.write(insert)
        #expect(database.isOpen)
        time.advance(by: .seconds(40))
        try database.write(insert)
        time.advance(by: .seconds(59))
        #expect(database.isOpen)
        time.advance(by: .seconds(1))
        #expect(!database.isOpen)
        #expect(time.waitingCount == 0)
        try database.write(insert)
        #expect(database.isOpen)
        database.close()
        #expect(!database.isOpen)
        #expect(time.waitingCount == 0)
        #expect(try count(database) == 3)
    }

    @Test func preparationRunsOnEachOpenAndCanThrow() throws {
        let runs = Mutex(0)
        let database = LocalDatabase(path: path) { db in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 3 { throw ReplicationError(.newerFormat, "too new") }
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, batch, size)")
        }
        try database.write(insert)
        try database.write(insert)
        #expect(runs.withLock { $0 } == 1)
        database.close()
        try database.write(insert)
        database.close()
        expectCode(.newerFormat) { try database.write(insert) }
        #expect(!database.isOpen)
        #expect(try count(database) == 3)
    }

    @Test func creationPragmasAreSetBeforeTheSchema() throws {
        var options = LocalDatabase.Options()
        options.creationSQL = "PRAGMA page_size = 8192; PRAGMA auto_vacuum = 2"
        let database = LocalDatabase(path: path, options: options) { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (x)")
        }
        let values = try database.write { db in
            [
                try Int.fetchOne(db, sql: "PRAGMA auto_vacuum"),
                try Int.fetchOne(db, sql: "PRAGMA page_size"),
            ]
        }
        #expect(values == [2, 8_192])
    }

    @Test func linkInPlaceOfTheFileIsRefused() throws {
        let victim = folder.appending("victim.db")
        try Sample.database(victim).write(insert)
        let before = try Data(contentsOf: URL(fileURLWithPath: victim))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        expectCode(.unsafePath) { try Sample.database(path).write(insert) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == before)
        let missing = folder.appending("missing.db")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: missing)
        expectCode(.unsafePath) { try Sample.database(path).write(insert) }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test func damagedFileIsReported() throws {
        try Data(String(repeating: "no database ", count: 1_000).utf8)
            .write(to: URL(fileURLWithPath: path))
        let before = try FolderState(of: folder.path)
        expectCode(.unreadable) { try Sample.database(path).write(insert) }
        #expect(try FolderState(of: folder.path) == before)
    }

    /// Rows written to a deleted file would be acknowledged and lost.
    @Test func replacedFileIsDetectedBeforeTheNextWrite() throws {
        let database = Sample.database(path)
        try database.write(insert)
        let other = folder.appending("other.db")
        let replacement = Sample.database(other)
        for _ in 0..<5 { try replacement.write(insert) }
        replacement.close()
        #expect(rename(other, path) == 0)
        #expect(try count(database) == 5)
        try database.write(insert)
        #expect(try count(database) == 6)
        try FileManager.default.removeItem(atPath: path)
        #expect(try count(database) == nil)
        try database.write(insert)
        #expect(exists)
        #expect(try count(database) == 1)
    }

    @Test func missingFolderIsAnError() throws {
        let package = try StorePackage(creating: folder.appending("p"))
        let database = LocalDatabase(.logs, of: try DeviceID("laptop"), in: package) { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (x)")
        }
        try database.write { _ in }
        try FileManager.default.removeItem(atPath: package.path)
        expectCode(.notFound) { try database.write { _ in } }
    }

    @Test func manyThreadsAreSerialized() throws {
        let database = Sample.database(path)
        let failures = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 40) { _ in
            do {
                try database.write(insert)
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(try count(database) == 40)
    }

    @Test(.enabled(if: HelperProcess.isAvailable))
    func anotherProcessWaitsForTheLockOrGetsBusy() throws {
        let database = Sample.database(path)
        try database.write { db in
            try insert(db)
            let other = try HelperProcess("lock", path)
            #expect(other.line() == "busy")
        }
        #expect(try HelperProcess("lock", path).line() == "free")
    }

    /// Closing any descriptor of a file releases a process's locks on it. Inspecting the file must
    /// not do that.
    @Test(.enabled(if: HelperProcess.isAvailable))
    func inspectingTheFileKeepsItsLock() throws {
        let database = Sample.database(path)
        try database.write(insert)
        try database.write { db in
            try insert(db)
            let stamp = try FileStamp(ofFileAt: path)
            #expect(stamp.byteCount > 0)
            // Its journal has content by now, so this copies it.
            try db.execute(sql: "PRAGMA cache_spill = 1; PRAGMA cache_size = 1")
            try db.execute(
                sql: "INSERT INTO row (batch, size, value) VALUES (1, 1, zeroblob(1000000))")
            #expect(try Sample.read(path, limits: .init(waits: [])) >= 0)
            #expect(try HelperProcess("lock", path).line() == "busy")
        }
        database.close()
        #expect(try HelperProcess("lock", path).line() == "free")
    }

    @Test(.enabled(if: HelperProcess.isAvailable))
    func twoProcessesOfOneDeviceWriteInTurn() throws {
        let database = Sample.database(path)
        try database.write { _ in }
        let others = try (0..<3).map { _ in try HelperProcess("once", path, "50") }
        for _ in 0..<20 {
            try database.write { db in
                let batch = 1 + (try Int.fetchOne(db, sql: "SELECT max(batch) FROM row") ?? 0)
                try db.execute(
                    sql: "INSERT INTO row (batch, size) VALUES (?, 1)", arguments: [batch])
            }
        }
        for other in others { #expect(other.line() == "done") }
        database.close()
        #expect(try Sample.read(path) == 170)
    }
}
