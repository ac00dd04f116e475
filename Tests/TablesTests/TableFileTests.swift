import Foundation
import GRDB
import Replication
import Tables
import TestSupport
import Testing

/// Opening files that other programs write.
@Suite struct TableFileTests {
    private func count(_ path: String, of table: String = "t") throws -> Int {
        try TableFile(path).read { db in
            try #require(try DatabaseSchema(db).table(table)).count(db)
        }.0
    }

    @Test func readingAlongsideAWALWriterCreatesNoFiles() throws {
        let sample = try SampleDatabase("CREATE TABLE t (a)")
        let writer = try DatabaseQueue(path: sample.path)
        try writer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            try $0.execute(sql: "INSERT INTO t VALUES (1), (2)")
        }
        let before = try names(sample)
        #expect(before.contains("sample.db-wal"))
        #expect(try count(sample.path) == 2)
        // A reader in progress blocks no writer.
        try TableFile(sample.path).read { db in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 2)
            try writer.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 2)
        }
        #expect(try count(sample.path) == 3)
        #expect(try names(sample) == before)
        try writer.close()
        #expect(try names(sample) == ["sample.db"])
        #expect(try count(sample.path) == 3)
        #expect(try names(sample) == ["sample.db"])
    }

    @Test func writeAheadLogWithoutItsWriterIsReadAndUnchanged() throws {
        let sample = try SampleDatabase("CREATE TABLE t (a)")
        let copy = sample.folder.appending("copy.db")
        let writer = try DatabaseQueue(path: sample.path)
        try writer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = WAL")
            try $0.execute(sql: "INSERT INTO t VALUES (1), (2)")
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: sample.path + suffix, toPath: copy + suffix)
        }
        try writer.close()
        let before = try FolderState(of: sample.folder.path)
        #expect(try count(copy) == 2)
        #expect(try FolderState(of: sample.folder.path) == before)
        // Add an index of the log that no program maintains.
        try Data(count: 32768).write(to: URL(filePath: copy + "-shm"))
        let state = try FolderState(of: sample.folder.path)
        #expect(try count(copy) == 2)
        #expect(try FolderState(of: sample.folder.path) == state)
    }

    @Test func filesThatAreNotDatabasesAreDescribed() {
        var random = SeededRandom(seed: 9)
        let noise = (0..<1024).map { _ in UInt8.random(in: 0...255, using: &random) }
        let reason = { TableFile.reasonForNoDatabase(beginning: $0, byteCount: $1) }
        #expect(reason(noise, 8192).contains("encrypted"))
        #expect(!reason(noise, 8191).contains("encrypted"))
        #expect(reason([], 0).contains("empty"))
        #expect(reason(Array(repeating: 0, count: 1024), 4096).contains("zeros"))
        #expect(reason(Array("hello".utf8), 5) == "not an SQLite database")
    }

    @Test func partiallyCopiedFileIsIncomplete() throws {
        let sample = try SampleDatabase(
            "CREATE TABLE t (a); INSERT INTO t SELECT randomblob(900) FROM "
                + "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) SELECT i FROM n)"
        )
        let data = try Data(contentsOf: URL(filePath: sample.path))
        try data.prefix(data.count / 2).write(to: URL(filePath: sample.path))
        #expect {
            try count(sample.path)
        } throws: { ($0 as? ReplicationError)?.code == .incomplete }
    }

    @Test func endlessViewIsStopped() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (a);
            CREATE VIEW endless AS
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
            """)
        #expect {
            try count(sample.path, of: "endless")
        } throws: { error in
            (error as? TablesError)?.code == .interrupted
        }
    }

    @Test func canceledReadIsInterrupted() throws {
        let sample = try SampleDatabase("CREATE TABLE t (a)")
        #expect {
            try TableFile(sample.path).read(instructionsPerByte: .max, isCancelled: { true }) {
                db in
                try ReadOnlyQuery(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
                ).run(db) { _ in true }
            }
        } throws: { ($0 as? TablesError)?.code == .interrupted }
    }

    private func names(_ sample: SampleDatabase) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).sorted()
            .filter { !$0.hasSuffix("-shm") || $0 == "sample.db-shm" }
    }
}
