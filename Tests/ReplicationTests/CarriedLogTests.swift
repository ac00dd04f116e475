import Foundation
import GRDB
import Glibc
import Replication
import Synchronization
import TestSupport
import Testing

/// Data rules 4 and 5 together: regardless of the state in which a sync service leaves the copy, a
/// reader knows a prefix of the log. In the end, it knows the whole log.
@Suite struct CarriedLogTests {
    private static let table = LogTable(name: "log", mark: "time")

    private struct Row: Equatable {
        let id: Int64
        let time: Int64
        let value: Data
    }

    private struct Reader {
        var cursor = LogCursor.start
        var stamp: FileStamp?
        var rows: [Row] = []
        var problems = 0

        mutating func sync(_ path: String) throws {
            let cursor = cursor
            do {
                let outcome = try ForeignDatabase.read(
                    path, unless: stamp, limits: .init(waits: [])
                ) { db -> (LogProgress, [Row])? in
                    guard let identity = try LogIdentity.fetch(from: db),
                        try db.ordinaryColumns(of: "log") == ["id", "time", "value"]
                    else { return nil }
                    var progress = try cursor.progress(in: db, table: table, identity: identity)
                    var rows: [Row] = []
                    let found = try GRDB.Row.fetchCursor(
                        db, sql: "SELECT id, time, value FROM log WHERE id > ? ORDER BY id",
                        arguments: [progress.start.lastID])
                    while let row = try found.next() {
                        let values = Array(row.databaseValues)
                        guard let id = Int64.fromDatabaseValue(values[0]),
                            let time = Int64.fromDatabaseValue(values[1]),
                            let value = Data.fromDatabaseValue(values[2]),
                            progress.accept(id, mark: time)
                        else { break }
                        rows.append(Row(id: id, time: time, value: value))
                    }
                    return (progress, rows)
                }
                guard case .read(let found, let stamp) = outcome else { return }
                self.stamp = stamp
                guard let (progress, rows) = found else { return }
                if progress.startsOver { self.rows = [] }
                self.rows += rows
                self.cursor = progress.cursor
            } catch let error as ReplicationError {
                guard [.incomplete, .unreadable, .notFound].contains(error.code) else {
                    throw error
                }
                problems += 1
            }
        }
    }

    private final class Writer {
        var rows: [Row] = []
        let database: LocalDatabase
        let path: String

        init(_ path: String) throws {
            self.path = path
            let device = try DeviceID("phone")
            database = LocalDatabase(path: path) { db in
                guard try LogIdentity.fetch(from: db) == nil else { return }
                try LogIdentity(format: "test-1", device: device).insert(into: db)
                try db.execute(
                    sql: "CREATE TABLE log (id INTEGER PRIMARY KEY, time INTEGER, value BLOB)")
            }
        }

        /// Appends rows.
        ///
        /// - Parameter tell: Called with all rows before they are written.
        func append(
            _ count: Int, _ random: inout SeededRandom, notify: ([Row]) -> Void = { _ in }
        ) throws {
            let start = Int64(rows.count)
            let new = (1...count).map { number in
                let length = Int.random(
                    in: 0...(Bool.random(using: &random) ? 50 : 9_000),
                    using: &random)
                return Row(
                    id: start + Int64(number), time: Int64.random(in: 0...1_000, using: &random),
                    value: Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
                )
            }
            notify(rows + new)
            try database.write { db in
                for row in new {
                    try db.execute(
                        sql: "INSERT INTO log (time, value) VALUES (?, ?)",
                        arguments: [row.time, row.value])
                }
            }
            rows += new
        }
    }

    @Test func readerSeesAPrefixOfTheLogWithEveryCarrier() throws {
        var problems = 0
        var steps = 0
        for seed in seeds(15) {
            var random = SeededRandom(seed: seed)
            let folder = try TemporaryFolder()
            let (source, copy) = (folder.appending("a.db"), folder.appending("b.db"))
            let writer = try Writer(source)
            var reader = Reader()
            for _ in 0..<12 {
                try writer.append(Int.random(in: 1...30, using: &random), &random)
                writer.database.close()
                try carry(source, copy, &random) {
                    try reader.sync(copy)
                    steps += 1
                    try #require(
                        reader.rows == Array(writer.rows.prefix(reader.rows.count)),
                        "seed \(seed): not a beginning of the log")
                }
            }
            try FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: source, toPath: copy)
            try reader.sync(copy)
            #expect(reader.rows == writer.rows, "seed \(seed): it did not heal")
            problems += reader.problems
        }
        // Some copies must have been unreadable.
        #expect(problems > 0 && problems < steps)
    }

    private static let hasRsync = FileManager.default.isExecutableFile(atPath: "/usr/bin/rsync")

    /// rsync reads the file during a write, and copies its journal at another time.
    @Test(.enabled(if: hasRsync), arguments: [["-a"], ["-a", "--inplace", "--no-whole-file"]])
    func readerOfARsyncedLogSeesAPrefix(options: [String]) throws {
        let folder = try TemporaryFolder()
        let (source, copy) = (folder.appending("a"), folder.appending("b"))
        for path in [source, copy] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        }
        func carry(_ more: String...) throws {
            try RunningProgram(
                executable: "/usr/bin/rsync", options + more + ["\(source)/", "\(copy)/"]
            ).wait()
        }
        let written = Mutex<[Row]>([])
        let done = DispatchSemaphore(value: 0)
        let batches = runCount(40)
        Thread.detachNewThread {
            defer { done.signal() }
            var random = SeededRandom(seed: 1)
            guard let writer = try? Writer("\(source)/Logs.db") else { return }
            for _ in 0..<batches {
                try? writer.append(.random(in: 1...40, using: &random), &random) { rows in
                    written.withLock { $0 = rows }
                }
            }
            writer.database.close()
        }
        var reader = Reader()
        while done.wait(timeout: .now()) == .timedOut {
            try carry()
            try reader.sync("\(copy)/Logs.db")
            let truth = written.withLock { $0 }
            try #require(reader.rows == Array(truth.prefix(reader.rows.count)))
        }
        try carry("--ignore-times")
        try reader.sync("\(copy)/Logs.db")
        #expect(reader.rows == written.withLock { $0 })
        #expect(reader.rows.count >= batches)
    }

    /// Copies the source's bytes in one of the ways of sync services, completely or in part, and
    /// calls `look` in between.
    private func carry(
        _ source: String, _ copy: String, _ random: inout SeededRandom, look: () throws -> Void
    ) throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: source))
        switch Int.random(in: 0...4, using: &random) {
        case 0:
            // Rsync, Syncthing and Dropbox write a temporary file, then rename it.
            let temporary = copy + ".tmp"
            try whole.write(to: URL(fileURLWithPath: temporary))
            #expect(rename(temporary, copy) == 0)
        case 1:
            // Writes the pieces in place, from the start; possibly interrupted.
            try inPlace(copy, whole, Array(0..<pieces(whole)), &random, look)
        case 2:
            // Reserve the size first, then write the pieces in any order.
            let file = open(copy, O_RDWR | O_CREAT, 0o600)
            _ = ftruncate(file, whole.count)
            close(file)
            try look()
            let order = Array(0..<pieces(whole)).shuffled(using: &random)
            try inPlace(copy, whole, order, &random, look)
        case 3:
            // Empty the file, then fill it.
            _ = truncate(copy, 0)
            try look()
            try inPlace(copy, whole, Array(0..<pieces(whole)), &random, look)
        default:
            // Truncated.
            try whole.prefix(Int.random(in: 0...whole.count, using: &random))
                .write(to: URL(fileURLWithPath: copy))
        }
        try look()
    }

    private func pieces(_ whole: Data) -> Int { (whole.count + 4_095) / 4_096 }

    private func inPlace(
        _ copy: String, _ whole: Data, _ order: [Int], _ random: inout SeededRandom,
        _ look: () throws -> Void
    ) throws {
        let end =
            Bool.random(using: &random)
            ? order.count : Int.random(in: 0...order.count, using: &random)
        let file = open(copy, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        for (number, piece) in order.prefix(end).enumerated() {
            let bytes = [UInt8](whole[(piece * 4_096)..<min(whole.count, piece * 4_096 + 4_096)])
            _ = pwrite(file, bytes, bytes.count, piece * 4_096)
            if number % 8 == 0 || number + 3 > end { try look() }
        }
        if end == order.count { _ = ftruncate(file, whole.count) }
    }
}
