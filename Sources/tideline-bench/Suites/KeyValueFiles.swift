import BenchSupport
import Foundation
import KeyValueStore
import Replication
import TestSupport

/// Packages to measure, and the same operations by the sqlite3 program.
struct KeyValueFiles {
    static let devices = ["anna", "bert", "carl"]
    static let keyCount = 100_000
    static let rowCount = 1_000_000

    private let folder: BenchFolder

    init() throws { folder = try BenchFolder() }

    func remove() { folder.remove() }

    func package(_ name: String) throws -> StorePackage {
        try StorePackage(creating: folder.url.appending(path: name).path)
    }

    func removePackage(_ name: String) {
        try? FileManager.default.removeItem(at: folder.url.appending(path: name))
    }

    static func store(
        _ package: StorePackage, _ device: String?, watches: Bool = false,
        format: LogFormat? = nil
    ) throws -> KeyValueStore {
        var configuration = KeyValueStore.Configuration()
        configuration.format = format
        configuration.watchesFolder = watches
        configuration.saveDelay = .seconds(3_600)
        configuration.saveDelayLimit = .seconds(3_600)
        let store = KeyValueStore(
            package: package, device: try device.map { try DeviceID($0) },
            configuration: configuration)
        try store.load()
        return store
    }

    static func key(_ number: Int) -> String { "note/\(100_000 + number)/field" }

    /// Creates values like those of a notes app: numbers, titles, paragraphs, small dictionaries,
    /// 230 bytes on average. With much less data, the program's own 24 megabytes would dominate the
    /// memory.
    static func value(_ number: Int) -> PropertyList {
        switch number % 4 {
        case 0: .integer(Int64(number) * 1_000_003)
        case 1: .string("Title number \(number) of a note")
        case 2: .string(String(repeating: "A sentence of this note. ", count: 25) + "\(number)")
        default:
            [
                "title": .string("Note \(number)"), "done": .boolean(number % 8 == 3),
                "rank": .real(Double(number) / 7), "tag": "home",
            ]
        }
    }

    /// Creates a package of three devices that write to the same keys in turn and see each other's
    /// rows.
    func makeLargePackage(
        rows: Int = Self.rowCount, format: LogFormat = .tideline2
    ) throws -> StorePackage {
        let package = try package("Large\(rows)\(format.rawValue).store")
        let stores = try Self.devices.map { try Self.store(package, $0, format: format) }
        var random = SeededRandom(seed: 2_026)
        var written = 0
        while written < rows {
            let turn = written / 10_000 % stores.count
            for _ in 0..<10_000 {
                // All keys once, then random ones.
                let number =
                    written < Self.keyCount
                    ? written : Int.random(in: 0..<Self.keyCount, using: &random)
                try stores[turn].set(Self.value(written), forKey: Self.key(number))
                written += 1
            }
            try stores[turn].save()
            for store in stores { try store.sync() }
        }
        for store in stores { try store.close() }
        return package
    }

    func path(_ package: StorePackage, _ device: String) -> String {
        "\(package.path)/Devices/\(device)/Logs.db"
    }

    /// Measures how long sqlite3 takes to find the newest row of each key in all logs.
    func timeOfNewestRows(
        _ package: StorePackage, _ format: LogFormat = .tideline2, runs: Int
    ) throws -> Duration {
        let rows = Self.devices.map { device in
            switch format {
            case .tideline2: "SELECT key, timestamp, value FROM \(device).log"
            case .parstore1:
                "SELECT ZKEY AS key, ZTIMESTAMP AS timestamp, ZBLOB AS value FROM \(device).ZLOG"
            }
        }
        let sql = """
            SELECT count(*), sum(length(value)) FROM (
                SELECT key, value, max(timestamp) FROM (\(rows.joined(separator: " UNION ALL ")))
                GROUP BY key);
            """
        return try timeOfSQL(sql, package, runs: runs)
    }

    /// Measures how long sqlite3 takes to find the newest row of each key with SQL tuned to the
    /// indexes: each log's newest rows come from its index alone, and only the winners' values are
    /// read.
    func timeOfNewestRowsByIndex(_ package: StorePackage, runs: Int) throws -> Duration {
        let rows = Self.devices.map {
            "SELECT key, id, '\($0)' AS device, max(timestamp) AS time FROM \($0).log GROUP BY key"
        }
        let values = Self.devices.map {
            "WHEN '\($0)' THEN (SELECT value FROM \($0).log WHERE id = newest.id)"
        }
        let sql = """
            SELECT count(*), sum(length(value)) FROM (
                SELECT CASE device \(values.joined(separator: " ")) END AS value FROM (
                    SELECT key, id, device, max(time)
                    FROM (\(rows.joined(separator: " UNION ALL "))) GROUP BY key) AS newest);
            """
        return try timeOfSQL(sql, package, runs: runs)
    }

    /// Measures how long sqlite3 takes to read the time and the causal parents of every row.
    func timeOfReadingParents(_ package: StorePackage, runs: Int) throws -> Duration {
        let rows = Self.devices.map { "SELECT timestamp, parents FROM \($0).log" }
        let sql = """
            SELECT max(timestamp), sum(length(parents)) FROM (
                \(rows.joined(separator: " UNION ALL ")));
            """
        return try timeOfSQL(sql, package, runs: runs)
    }

    private func timeOfSQL(_ sql: String, _ package: StorePackage, runs: Int) throws -> Duration {
        let sqlite = Program(named: "sqlite3")
        let attach = Self.devices.map { "ATTACH '\(path(package, $0))' AS \($0);\n" }.joined()
        return try Stopwatch.median(runs: runs) {
            let answer = try sqlite.run([":memory:", attach + sql])
            guard answer.contains("|") else { throw BenchError("sqlite3 finds no rows: \(answer)") }
            return answer
        }.time
    }

    /// Measures how long sqlite3 takes to insert a log's rows into an empty log, in one
    /// transaction.
    func timeOfInserting(_ package: StorePackage, _ device: String, runs: Int) throws -> Duration {
        let log = path(package, device)
        let sqlite = Program(named: "sqlite3")
        let schema = try sqlite.run([log, ".schema log"])
        return try PlainSQLite(URL(filePath: log)).timeOfInserting("log", in: folder, runs: runs) {
            _ = try sqlite.run([$0.path, schema])
        }
    }
}
