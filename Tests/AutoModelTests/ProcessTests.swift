import AutoModel
import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

@Suite struct ProcessTests {
    private func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram("automodel-writer", arguments)
    }

    @Test func killedMigrationLeavesTheOldTable() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        let before = try opened(path, [V1.Item.self])
        try before.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO Item (id, name, size) SELECT i, 'item ' || i, i FROM n
            """)
        let schema = "SELECT sql FROM sqlite_master ORDER BY name"
        let was = try before.rows(schema)
        try before.close()
        let program = try start(["migrate", path])
        #expect(try program.line() == "half")
        try program.end()
        let old = try opened(path, [V1.Item.self])
        #expect(try old.rows(schema) == was)
        #expect(try old.rows("SELECT count(*), sum(size) FROM Item") == [[20000, 200_010_000]])
        #expect(try old.rows("PRAGMA integrity_check") == [["ok"]])
        try old.close()
        let new = try opened(path, [Typed.Text.self])
        defer { try? new.close() }
        #expect(try new.rows("SELECT size FROM Item WHERE id = 777") == [["777"]])
    }

    @Test func concurrentProcessesLoseNothing() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        let database = try opened(path, [V1.Item.self])
        defer { try? database.close() }
        let others = try ["one", "two"].map { try start(["add", path, $0, "60"]) }
        try database.use {
            for number in 0..<60 {
                try V1.Item.create {
                    $0.name = "own"
                    $0.size = number
                }.save()
            }
        }
        for program in others { #expect(try program.wait() == .exit(0)) }
        let counts = "SELECT name, count(DISTINCT size) FROM Item GROUP BY name"
        #expect(try database.rows(counts) == [["one", 60], ["own", 60], ["two", 60]])
        #expect(try database.rows("PRAGMA integrity_check") == [["ok"]])
    }

    /// SQLite may replay a transaction from the write-ahead log whose flush failed.
    @Test(
        .enabled(
            if: FailingSystem.problem == nil, Comment(rawValue: FailingSystem.problem ?? "")))
    func saveWhoseFlushFailedIsNotInTheFileAfterACrash() throws {
        var failures = 0
        for number in 1...60 {
            let folder = try TemporaryFolder()
            let (path, trace) = (folder.appending("models.db"), folder.appending("trace"))
            let result = try ProgramResult.running(
                "automodel-writer", ["crash", path, "6"],
                environment: try FailingSystem.environment(failingFlush: number, trace: trace))
            guard FileManager.default.fileExists(atPath: trace) else { break }
            let lines = result.output.split(separator: "\n")
            guard lines.first == "open" else { continue }
            let saved = lines.count { $0 == "saved" }
            if saved < 6 { failures += 1 }
            #expect(try rowCount(path) == saved, "flush \(number)")
        }
        #expect(failures > 0)
    }

    @Test(
        .enabled(
            if: FailingSystem.problem == nil, Comment(rawValue: FailingSystem.problem ?? "")))
    func saveThatTheDiskNeverConfirmsIsUnconfirmed() throws {
        var found: Set<String> = []
        for number in 1...60 {
            let folder = try TemporaryFolder()
            let (path, trace) = (folder.appending("models.db"), folder.appending("trace"))
            let result = try ProgramResult.running(
                "automodel-writer", ["crash", path, "6"],
                environment: try FailingSystem.environment(
                    failingFlush: number, laterFail: true, trace: trace))
            guard FileManager.default.fileExists(atPath: trace) else { break }
            let lines = result.output.split(separator: "\n")
            guard lines.first == "open", let last = lines.last, last != "saved" else { continue }
            let saved = lines.count { $0 == "saved" }
            // The rows of a save that failed for another reason are not in the file.
            let allowed = last == "unconfirmed" ? saved...saved + 1 : saved...saved
            #expect(allowed.contains(try rowCount(path)), "flush \(number): \(last)")
            found.insert(String(last))
        }
        #expect(found.contains("unconfirmed"))
    }

    private func rowCount(_ path: String) throws -> Int {
        let file = try DatabaseQueue(path: path)
        defer { try? file.close() }
        return try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Item") ?? 0 }
    }

    @Test func subscribersSeeWritesOfOtherProcesses() async throws {
        try await withDatabase(V1.Item.self) { database in
            let item = try V1.Item.create { $0.name = "old" }
            item.size = 5
            try await item.save()
            item.size = 6
            let changes = item.changes()
            let rows = try V1.Item.changes()
            try start(["rename", database.path, "\(item.id)", "new"]).wait()
            for await change in changes where change.kind == .refreshed {
                #expect(change.columns == ["name"])
                break
            }
            #expect(item.name == "new" && item.size == 6)
            for await change in rows where change.isUnknown {
                #expect(change.updated == [item.id])
                break
            }
            try await item.save()
            #expect(try await database.rows("SELECT name, size FROM Item") == [["new", 6]])
        }
    }

    @Test func lockedFileIsReportedAsBusy() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        var configuration = AutoDatabase.Configuration()
        configuration.busyTimeout = .milliseconds(1)
        let database = try opened(path, [V1.Item.self], configuration)
        defer { try? database.close() }
        var unsafe = Configuration()
        unsafe.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: unsafe)
        try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try database.use {
            let item = try V1.Item.create()
            let error = #expect(throws: AutoModelError.self) { try item.save() }
            #expect(error?.code == .busy && item.hasChanges)
            try other.inDatabase { try $0.execute(sql: "COMMIT") }
            try item.save()
        }
    }

    @Test func fileThatIsNotADatabaseIsReported() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        try Data(repeating: 7, count: 5_000).write(to: URL(filePath: path))
        let error = #expect(throws: AutoModelError.self) { try opened(path, [V1.Item.self]) }
        #expect(error?.code == .unreadable)
    }
}
