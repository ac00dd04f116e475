import Foundation
import GRDB
import Replication

/// The newest rows that a log names, by device, and whether the times of the log's rows ascend.
struct LogScan: Sendable {
    let format: LogFormat
    /// The identity of the file; `nil` for a PARStore 1 log, because all its rows can change.
    private let identity: UUID?
    /// The number of the last row.
    private(set) var lastID: Int64 = 0
    /// The number of valid rows.
    private(set) var rowCount = 0
    /// The time of the last row; `nil` without rows.
    private(set) var last: Int64?
    /// Whether the rows' times never decrease. They may decrease because of merged copies, because
    /// of keys that another device wrote far in the future, and, in PARStore 1 logs, because a
    /// clock was set back.
    private(set) var isAscending = true
    /// For each device, the newest timestamp among its rows that this log names. Empty for
    /// PARStore 1 logs, which don't name devices.
    private(set) var named: [DeviceID: Int64] = [:]

    /// Reads the rows of a log up to the first that is damaged.
    ///
    /// - Parameter former: An earlier result. If it is about this log, and the log still contains
    ///   the last row of that result, only later rows are read.
    /// - Throws: Errors that prevent reading even the first row.
    init(_ reader: LogReader, extending former: LogScan?) throws {
        let identity = try reader.identity()
        if let former, let identity, former.identity == identity,
            former.lastID <= reader.lastID ?? .max,
            let last = former.last, try reader.timestamp(ofRow: former.lastID) == last
        {
            self = former
        } else {
            format = reader.form.format
            self.identity = identity
        }
        var named: [Int64: Int64] = [:]
        do {
            try reader.forEachTime(after: lastID, through: .max) { id, timestamp, rows in
                lastID = id
                rowCount += 1
                if let last, timestamp < last { isAscending = false }
                last = timestamp
                reader.forEachCause(of: rows, at: timestamp) { cause in
                    named[cause.writer] = max(named[cause.writer] ?? .min, cause.timestamp)
                }
                return true
            }
        } catch {
            _ = try TidelineLog.damage(error)
            if rowCount == 0 { throw error }
        }
        for (writer, timestamp) in named {
            guard let device = reader.writers[writer] else { continue }
            self.named[device] = max(self.named[device] ?? .min, timestamp)
        }
    }
}

/// The parents that are named by the rows in a part of a log.
struct NamedRows: Sendable {
    struct Name: Hashable, Sendable {
        /// The device of the named row; `nil` in a PARStore 1 log, which names no devices.
        let device: DeviceID?
        let key: [UInt8]
        let timestamp: Int64
    }

    /// The number of names after which a part ends.
    private static let limit = 4_096

    private(set) var names: Set<Name> = []
    /// The last row of the part; `nil` if no rows follow.
    private(set) var lastID: Int64?

    init() {}

    /// Reads the next part of a log.
    ///
    /// - Parameter devices: The devices whose rows are wanted.
    init(
        _ reader: LogReader, after first: Int64, through last: Int64, of devices: Set<DeviceID>
    ) throws {
        try reader.forEachTime(after: first, through: last) { id, timestamp, rows in
            guard let key = rows.text(2).map(Array.init) else { return true }
            if reader.form.format == .parstore1 {
                if let parent = rows.timestamp(4) {
                    names.insert(Name(device: nil, key: key, timestamp: parent))
                }
            } else {
                reader.forEachCause(of: rows, at: timestamp) { cause in
                    guard let device = reader.writers[cause.writer], devices.contains(device),
                        device != reader.device
                    else { return }
                    names.insert(Name(device: device, key: key, timestamp: cause.timestamp))
                }
            }
            guard names.count >= Self.limit else { return true }
            lastID = id
            return false
        }
    }
}

extension LogReader {
    /// Calls `body` with the number and time of each valid row, in the order of the log, and with
    /// the statement, until `body` returns `false`.
    fileprivate func forEachTime(
        after first: Int64, through last: Int64,
        _ body: (_ id: Int64, _ timestamp: Int64, _ rows: Stepper) -> Bool
    ) throws {
        // The value of a PARStore 1 row determines whether the row is valid.
        let isParstore = form.format == .parstore1
        let rows = try statement(
            "WHERE \(form.id) > ? AND \(form.id) <= ? ORDER BY \(form.id)", withValues: isParstore)
        rows.bind(1, first)
        rows.bind(2, min(last, lastID ?? .max))
        while try rows.step() {
            guard let id = rows.integer(0), let timestamp = rows.timestamp(1) else { continue }
            if isParstore, !ParstoreLog.countsAsValue(values.content(rows, 3)) { continue }
            guard body(id, timestamp, rows) else { return }
        }
    }

    /// Calls `body` with each parent of the current row that may exist. Parents that are later than
    /// the row are skipped, except on the last day that timestamps can represent, when there may be
    /// no later time for the row.
    fileprivate func forEachCause(
        of rows: Stepper, at timestamp: Int64, _ body: (CauseList.Cause) -> Void
    ) {
        guard let list = rows.blob(5) else { return }
        let isAtEnd = timestamp >= Timestamp.lastDay.microseconds
        var leavesOut = false
        _ = CauseList.forEach(list, leavesOut: &leavesOut) { cause in
            if cause.timestamp <= timestamp || isAtEnd { body(cause) }
        }
    }

    /// Returns, for each name, the number of the row with this key and timestamp.
    func ids(of names: [NamedRows.Name]) throws -> [Int64?] {
        try ids(names.lazy.map { ($0.key, $0.timestamp) })
    }

    private func ids(_ names: some Sequence<([UInt8], Int64)>) throws -> [Int64?] {
        let rows = try Stepper(
            database,
            """
            SELECT max(\(form.id)) FROM \(form.table)
            WHERE \(form.key) = ? AND \(form.timestamp) = ? AND \(form.id) BETWEEN 1 AND ?
            """)
        return try names.map { key, timestamp in
            rows.bind(1, copying: key)
            rows.bind(2, timestamp)
            rows.bind(3, lastID ?? .max)
            defer { rows.reset() }
            return try rows.step() ? rows.integer(0) : nil
        }
    }

    /// Returns the rows of this log that other devices had seen, and how many rows each device is
    /// behind. Adds the positions of rows of which only the time was known.
    func placed(
        _ known: [DeviceID: KeyValueStore.SeenRows.Known], _ scan: LogScan
    ) throws -> [DeviceID: KeyValueStore.SeenRows.Known] {
        let last = try Stepper(
            database,
            """
            SELECT \(form.id) FROM \(form.table)
            WHERE \(form.timestamp) <= ? AND \(form.id) BETWEEN 1 AND ?
            ORDER BY \(form.timestamp) DESC, \(form.id) DESC LIMIT 1
            """)
        return try known.mapValues { known in
            var known = known
            if known.id == .max {
                last.bind(1, known.timestamp)
                last.bind(2, scan.lastID)
                defer { last.reset() }
                known.id = try last.step() ? last.integer(0) ?? 0 : 0
            }
            known.rowsBehind = try rowCount(after: known.id, scan)
            return known
        }
    }

    private func rowCount(after id: Int64, _ scan: LogScan) throws -> Int {
        // If no row was left out, the numbers are consecutive.
        if scan.lastID == scan.rowCount { return Int(max(0, scan.lastID - id)) }
        var condition = Condition()
        condition.add("\(form.id) > ?", .integer(id))
        condition.add("\(form.id) <= ?", .integer(scan.lastID))
        return try count(condition)
    }

    /// Returns the sides of conflicts with their places, from the end of the log to its start.
    func placed(_ sides: [KeyValueStore.SeenRows.Side]) throws -> [KeyValueStore.SeenRows.Side] {
        let ids = try ids(sides.lazy.map { (Array($0.key.utf8), $0.timestamp) })
        return zip(sides, ids).map { side, id in
            var side = side
            side.id = id ?? .max
            return side
        }.sorted { $0.id > $1.id }
    }
}
