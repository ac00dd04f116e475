import Foundation
import GRDB
import KeyValueStore
import Replication
import Testing

@testable import TidelineCore

/// A package to damage and examine. "anna" is this device.
struct DoctorStage {
    let shared: SharedPackage
    static let annasLog = "Devices/anna/Logs.db"
    static let bensLog = "Devices/ben/Logs.db"

    init() throws { shared = try SharedPackage() }

    func doctor(own: String? = "anna", later: TimeInterval = 0) throws -> Doctor {
        Doctor(
            shared.path, own: try own.map { try DeviceID($0) },
            clock: HybridClock { Timestamp(Date(timeIntervalSinceNow: later)) })
    }

    func findings(own: String? = "anna", later: TimeInterval = 0) throws -> [DoctorFinding] {
        try doctor(own: own, later: later).examine()
    }

    /// Expects exactly one finding, and returns it.
    func only(
        _ code: String, _ file: String, later: TimeInterval = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> DoctorFinding {
        let findings = try findings(later: later)
        #expect(findings.count == 1, "\(findings)", sourceLocation: sourceLocation)
        let found = try #require(
            findings.first { $0.code == code }, "\(findings)", sourceLocation: sourceLocation)
        #expect(found.file == file, sourceLocation: sourceLocation)
        return found
    }

    func path(_ file: String) -> String { "\(shared.path)/\(file)" }
    func data(_ file: String) throws -> Data { try Data(contentsOf: URL(filePath: path(file))) }

    /// Writes a file whose modification time is an hour ago.
    func write(_ data: Data, _ file: String) throws {
        let path = path(file)
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: URL(filePath: path))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
    }

    /// Returns the content of a device's log.
    func rows(_ device: String) throws -> Set<Said> {
        Set(try shared.rows(device).map(Said.init))
    }

    struct Said: Hashable {
        let timestamp: Timestamp
        let key: Name
        let bytes: Data?

        init(_ row: LogRow) {
            (timestamp, key, bytes) = (row.timestamp, Name(row.key), row.bytes)
        }

        init(timestamp: Timestamp, key: Name, bytes: Data?) {
            (self.timestamp, self.key, self.bytes) = (timestamp, key, bytes)
        }
    }

    /// Returns a device's log and its journal in the middle of a transaction.
    func middleOfWriting(_ device: String, wal: Bool = false) throws -> (log: Data, journal: Data) {
        let path = shared.logPath(device)
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { db in
            if wal {
                try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
                try db.execute(
                    sql: """
                        INSERT INTO log (timestamp, key, value)
                        SELECT timestamp + 1, 'by the log', value FROM log WHERE value IS NOT NULL
                        LIMIT 1
                        """)
            } else {
                try db.execute(sql: "PRAGMA cache_size = 1; PRAGMA journal_mode = DELETE; BEGIN")
                for number in 0..<50 {
                    try db.execute(
                        sql:
                            "INSERT INTO log (timestamp, key, value) VALUES (?, ?, zeroblob(3000))",
                        arguments: [number, "k\(number)"])
                }
            }
            let log = try Data(contentsOf: URL(filePath: path))
            let journal = try Data(
                contentsOf: URL(filePath: path + (wal ? "-wal" : "-journal")))
            if !wal { try db.execute(sql: "ROLLBACK") }
            return (log, journal)
        }
    }
}
