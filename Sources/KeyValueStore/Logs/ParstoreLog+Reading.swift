import Foundation
import GRDB
import Replication

/// Reading of logs in PARStore 1's format. The order of their rows is not reliable, so all rows are
/// read.
enum ParstoreLog {
    private static let columns = "Z_PK, ZTIMESTAMP, ZPARENTTIMESTAMP, ZKEY"

    /// Reads all rows. Skips rows without key or timestamp, or with a value that is not a property
    /// list, as PARStore does.
    ///
    /// - Parameter longest: The maximum length of values to validate. Longer ones count as property
    ///   lists.
    static func load(
        _ database: Database, into log: inout LoadedLog, longest: Int
    ) throws -> KeyValueHead {
        try ValueColumn.reading("ZBLOB", in: database, upTo: longest) {
            try load(database, into: &log, $0)
        }
    }

    private static func load(
        _ database: Database, into log: inout LoadedLog, _ values: ValueColumn
    ) throws -> KeyValueHead {
        log = LoadedLog()
        var head = try head(database)
        var parents = RowTimes()
        let rows = try Stepper(database, "SELECT \(columns), \(values.sql) FROM ZLOG ORDER BY Z_PK")
        while try rows.step() {
            guard let id = count(rows, &head), let row = row(rows, values) else { continue }
            let (index, isNew) = log.keys.insert(row.key)
            log.times.note(row.timestamp, of: index)
            // For most rows, the parent is the device's own previous row. Only other parents are
            // collected.
            if let parent = rows.timestamp(2),
                isNew || parent != log.newest[Int(index)].timestamp
            {
                parents.note(parent, of: index)
            }
            log.note(id, row.timestamp, of: index, isNew: isNew)
            head.note(row.timestamp)
        }
        log.times.group(keyCount: log.keys.count)
        parents.group(keyCount: log.keys.count)
        collect(parents, into: &log)
        return head
    }

    private static func head(_ database: Database) throws -> KeyValueHead {
        KeyValueHead(format: .parstore1, identity: try database.coreDataIdentity())
    }

    /// Counts the current row of the statement, valid or not, and returns its number.
    private static func count(_ rows: Stepper, _ head: inout KeyValueHead) -> Int64? {
        guard let id = rows.integer(0) else { return nil }
        head.lastID = max(head.lastID, id)
        head.rowCount += 1
        head.fingerprint &+= fingerprint(rows.integer(1))
        noteTimes(rows, &head)
        return id
    }

    /// Records invalid times, including PARStore's own distant past and future.
    private static func noteTimes(_ rows: Stepper, _ head: inout KeyValueHead) {
        for column: CInt in [1, 2] where rows.timestamp(column) == nil {
            guard rows.integer(column) != nil else { continue }
            head.leavesOutTimes = true
            if column == 1 { head.leftOutCount += 1 }
        }
    }

    static func fingerprint(_ timestamp: Int64?) -> Int64 {
        (timestamp ?? 1) &* -7_046_029_254_386_353_131
    }

    /// Returns the current row of the statement, if it is valid.
    private static func row(
        _ rows: Stepper, _ values: ValueColumn
    ) -> (key: UnsafeBufferPointer<UInt8>, timestamp: Int64)? {
        guard let timestamp = rows.timestamp(1), let key = rows.text(3),
            countsAsValue(values.content(rows, 4))
        else { return nil }
        return (key, timestamp)
    }

    /// Returns whether a column contains a property list or null. Long values aren't validated.
    static func countsAsValue(_ content: ValueColumn.Content?) -> Bool {
        switch content {
        case .removal, .long: return true
        case .bytes(let value):
            let bytes = UnsafeRawBufferPointer(value)
            return PlainPlist.accepts(bytes) || (try? BinaryPlistReader.decode(bytes)) != nil
        case nil: return false
        }
    }

    /// Records the parents of each key that are not rows of the device itself. Rows of the device
    /// itself are a chain, so their order is known without parents.
    private static func collect(_ parents: borrowing RowTimes, into log: inout LoadedLog) {
        for key in 0..<UInt32(log.keys.count) {
            let first = log.causes.count
            parents.forEach(of: key) { parent in
                guard !log.times.contains(parent, of: key) else { return }
                log.causes.append(CauseList.Cause(writer: 0, timestamp: parent))
            }
            guard log.causes.count > first else { continue }
            log.newest[Int(key)].firstCause = first
            log.newest[Int(key)].causeCount = log.causes.count - first
        }
    }

    /// Reads the rows after a cursor if nothing else changed.
    ///
    /// - Parameters:
    ///   - old: The result of the previous reading, if any.
    ///   - longest: The maximum length of values to load.
    /// - Returns: `nil` if other rows were added, deleted, or changed. In that case, compare all
    ///   rows.
    static func update(
        _ database: Database, behind old: KeyValueHead?, longest: Int
    ) throws -> LogUpdate? {
        var head = try head(database)
        if let old, try !isUnchanged(database, up: &head, to: old) { return nil }
        return try ValueColumn.reading("ZBLOB", in: database, upTo: longest) {
            try rows(database, behind: old, head, $0)
        }
    }

    private static func rows(
        _ database: Database, behind old: KeyValueHead?, _ head: KeyValueHead, _ values: ValueColumn
    ) throws -> LogUpdate {
        var head = head
        var places: [[UInt8]: Int] = [:]
        var rows: [LogUpdate.Row] = []
        var reported = ReportedRows()
        let condition = old == nil ? "" : "WHERE Z_PK > ?"
        let new = try Stepper(
            database, "SELECT \(columns), \(values.sql) FROM ZLOG \(condition) ORDER BY Z_PK")
        if old != nil { new.bind(1, head.lastID) }
        while try new.step() {
            guard let id = count(new, &head), let row = row(new, values) else { continue }
            head.note(row.timestamp)
            reported.note(id, row.timestamp)
            let key = Array(row.key)
            let known = places[key].map { rows[$0] }
            var causes = known?.causes ?? []
            if let parent = new.timestamp(2), parent != known?.timestamp {
                causes.append(CauseList.Cause(writer: 0, timestamp: parent))
            }
            let isNewer = known.map { $0.timestamp <= row.timestamp } ?? true
            let merged = LogUpdate.Row(
                key: key, id: isNewer ? id : known?.id ?? id,
                timestamp: max(known?.timestamp ?? .min, row.timestamp),
                value: isNewer
                    ? LoadedValue(values.content(new, 4)) : known?.value ?? .removal,
                causes: causes)
            if let place = places[key] {
                rows[place] = merged
            } else {
                places[key] = rows.count
                rows.append(merged)
            }
        }
        var update = LogUpdate(
            head: head, rows: rows, count: head.rowCount - (old?.rowCount ?? 0))
        update.reported = reported
        return update
    }

    /// Returns whether the log still has exactly the rows that were read before, up to the last one
    /// that was read. If so, `head` counts these rows.
    private static func isUnchanged(
        _ database: Database, up head: inout KeyValueHead, to old: KeyValueHead
    ) throws -> Bool {
        guard head.identity == old.identity else { return false }
        let before = try Stepper(database, "SELECT ZTIMESTAMP FROM ZLOG WHERE Z_PK <= ?")
        before.bind(1, old.lastID)
        while try before.step() {
            head.rowCount += 1
            head.fingerprint &+= fingerprint(before.integer(0))
        }
        head.lastID = old.lastID
        head.first = old.first
        head.last = old.last
        head.leavesOutTimes = old.leavesOutTimes
        head.leftOutCount = old.leftOutCount
        return head.rowCount == old.rowCount && head.fingerprint == old.fingerprint
    }
}
