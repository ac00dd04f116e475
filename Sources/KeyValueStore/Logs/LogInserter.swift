import Foundation
import GRDB
import Replication

/// A writer that inserts rows with given timestamps into a log of either format, for importing and
/// merging.
struct LogInserter {
    private let database: Database
    private let format: LogFormat
    private let find: Stepper
    private let newest: Int64?

    init(_ database: Database, path: String) throws {
        self.database = database
        let form = try LogForm.detect(database, path: path)
        format = form.format
        find = try Stepper(
            database,
            """
            SELECT \(form.parentTimestamp), \(form.value) FROM \(form.table)
            WHERE \(form.key) = ? AND \(form.timestamp) = ?
            """)
        newest = try Int64.fetchOne(
            database, sql: "SELECT max(\(form.timestamp)) FROM \(form.table)")
    }

    /// Appends the rows that the log lacks.
    ///
    /// - Parameters:
    ///   - appendsOnly: Whether to leave out rows that are older than the log's newest row.
    ///   - forks: The keys whose rows are not a chain, if known. If `nil`, the rows of a key are a
    ///     chain if each of them names the previous one.
    /// - Returns: The number of rows appended.
    func insert(
        _ rows: [LogRow], appendsOnly: Bool, forks: Set<Name>? = nil
    ) throws -> Int {
        let missing = try rows.filter { row in
            if appendsOnly, let newest, row.timestamp.microseconds < newest { return false }
            return try !hasRow(equalTo: row)
        }
        guard !missing.isEmpty else { return 0 }
        switch format {
        case .tideline2: try TidelineLog.insert(missing, into: database, forks: forks)
        case .parstore1: try ParstoreLog.insert(missing, into: database)
        }
        return missing.count
    }

    /// Returns whether the log has a row with the same timestamp, parent, key, and value bytes.
    private func hasRow(equalTo row: LogRow) throws -> Bool {
        find.bind(1, copying: row.key)
        find.bind(2, row.timestamp.microseconds)
        defer { find.reset() }
        while try find.step() {
            let value = find.blob(1)
            let isEqual =
                row.bytes.map { bytes in value.map { bytes.elementsEqual($0) } ?? false }
                ?? (value == nil)
            if isEqual, find.integer(0) == row.parentTimestamp?.microseconds { return true }
        }
        return false
    }
}

extension TidelineLog {
    static func insert(
        _ rows: [LogRow], into database: Database, forks: Set<Name>? = nil
    ) throws {
        var last = try lastID(of: database)
        var references = References(database, try writers(database))
        var latest = try LatestTable(database)
        let newest = try Stepper(database, "SELECT timestamp FROM latest WHERE key = ?")
        var forked: Set<[UInt8]> = []
        var retracting: Set<[UInt8]> = []
        let appender = try Appender(database)
        for row in rows {
            let (id, overflow) = last.addingReportingOverflow(1)
            guard !overflow else {
                throw ReplicationError(.unreadable, "the log has no row numbers left")
            }
            let causes = try (row.parents ?? []).map { try references.cause($0) }
            let encoded = CauseList.encode(
                causes, reverting: try row.reverts.map { try references.cause($0) })
            let text = Array(row.key.utf8)
            if !row.reverts.isEmpty { retracting.insert(text) }
            newest.bind(1, copying: text)
            let former = try newest.step() ? newest.integer(0) : nil
            newest.reset()
            if forks.map({ $0.contains(Name(row.key)) }) ?? !row.continues(former) {
                forked.insert(text)
            }
            try row.withBytes { key, value in
                try appender.append(
                    id, key: key, value: value, timestamp: row.timestamp.microseconds,
                    parentTimestamp: row.parentTimestamp?.microseconds, causes: encoded)
                try latest.set(
                    key, id: id, timestamp: row.timestamp.microseconds, known: causes,
                    merges: true)
            }
            last = id
        }
        try ForkTable.insert(forked, as: .fork, into: database)
        try ForkTable.insert(retracting, as: .retraction, into: database)
    }
}

extension LogRow {
    /// Returns whether the row directly follows the log's newest row of its key, and its writer had
    /// seen that one.
    ///
    /// - Parameter former: The timestamp of that newest row; `nil` if there is none.
    fileprivate func continues(_ former: Int64?) -> Bool {
        guard let former else { return parents != nil || parentTimestamp == nil }
        guard timestamp.microseconds > former else { return false }
        guard let parents else { return parentTimestamp?.microseconds == former }
        return (parents + reverts).contains {
            $0.device == device && $0.timestamp.microseconds == former
        }
    }

    /// Calls `body` with the bytes of the key and of the value, which is `nil` for a deletion.
    fileprivate func withBytes(
        _ body: (
            _ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>?
        ) throws -> Void
    ) rethrows {
        try Array(key.utf8).withUnsafeBufferPointer { key in
            guard let bytes else { return try body(key, nil) }
            try Array(bytes).withUnsafeBufferPointer { try body(key, $0) }
        }
    }
}

extension ParstoreLog {
    static func insert(_ rows: [LogRow], into database: Database) throws {
        var appender = try Appender(database)
        for row in rows {
            try row.withBytes { key, value in
                _ = try appender.append(
                    key: key, value: value, timestamp: row.timestamp.microseconds,
                    parentTimestamp: row.parentTimestamp?.microseconds)
            }
        }
        try appender.finish()
    }
}
