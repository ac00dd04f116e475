import Foundation
import GRDB
import Replication

/// Methods that read a whole log by ranges of keys, using the log's index of keys. The rows that
/// remove keys are read separately.
extension LogTimes {
    /// A half-open range of keys, unbounded where a bound is `nil`.
    struct KeyRange: Sendable {
        var from: [UInt8]?
        var to: [UInt8]?

        /// Splits all keys into the given number of ranges, which have about the same number of
        /// keys.
        static func all(in parts: Int, of memory: MemoryLock) -> [KeyRange] {
            guard parts > 1 else { return [KeyRange()] }
            let bounds = memory.withLock { memory in
                let order = memory.cache.ordered()
                return order.isEmpty
                    ? []
                    : (1..<parts).map { part in
                        memory.cache.withKey(order[order.count * part / parts]) { Array($0) }
                    }
            }
            return zip([nil] + bounds, bounds + [nil]).map { KeyRange(from: $0, to: $1) }
        }
    }

    /// The rows of a range of keys in a log, in the order of the log's index of keys. Rows of the
    /// same key are adjacent in this order, so each key is looked up once. Values aren't read.
    struct ByKey: Sendable {
        fileprivate let identity: UUID?
        /// The last row at the time of reading. Later rows may belong to other keys.
        fileprivate let last: Int64
        fileprivate var ids: [Int64] = []
        fileprivate var timestamps: [Int64] = []
        /// The numbers of the keys.
        fileprivate var entries: [UInt32] = []

        /// Reads the rows.
        ///
        /// - Parameter count: The expected number of rows.
        /// - Throws: Errors of reading, and an error if the log lacks the index.
        init(
            _ reader: LogReader, _ memory: MemoryLock, _ range: KeyRange = KeyRange(), count: Int
        ) throws {
            identity = try reader.identity()
            last = try reader.lastRow() ?? .min
            ids.reserveCapacity(count)
            timestamps.reserveCapacity(count)
            entries.reserveCapacity(count)
            var keys = KeyNumbers(memory)
            // For each key that hasn't been looked up yet, the end of its rows.
            var ends: [Int] = []
            let lastID = reader.lastID ?? .max
            let rows = try reader.rowsByKey(range)
            while try rows.step() {
                guard let id = rows.integer(0), id <= lastID, let timestamp = rows.timestamp(1),
                    let key = rows.text(2)
                else { continue }
                if !keys.ends(with: key) {
                    if !ids.isEmpty { ends.append(ids.count) }
                    if keys.isFull { number(keys.take(), &ends) }
                    keys.append(key)
                }
                ids.append(id)
                timestamps.append(timestamp)
            }
            if !ids.isEmpty { ends.append(ids.count) }
            number(keys.take(), &ends)
        }

        private mutating func number(_ numbers: [UInt32?], _ ends: inout [Int]) {
            for (number, end) in zip(numbers, ends) {
                entries += repeatElement(number ?? LogsCache.none, count: end - entries.count)
            }
            ends.removeAll(keepingCapacity: true)
        }
    }

    /// The rows of a log that remove their keys.
    struct Removals: Sendable {
        fileprivate let identity: UUID?
        fileprivate var ids: [Int64] = []
        /// The last row at the time of reading. Later rows may remove keys as well.
        fileprivate let last: Int64

        init(_ reader: LogReader) throws {
            identity = try reader.identity()
            last = try reader.lastRow() ?? .min
            let rows = try reader.removals()
            while try rows.step() {
                if let id = rows.integer(0) { ids.append(id) }
            }
        }
    }

    /// Combines the results of several readings of a log, up to the last row that all readings
    /// include.
    ///
    /// - Parameter parts: The rows of all keys, with all rows of a key in the same part.
    /// - Returns: `nil` if the readings are of different logs, or the index lacks rows.
    init?(_ parts: [ByKey], _ removals: Removals, device: DeviceID, sign: Sign) {
        guard let identity = removals.identity, parts.allSatisfy({ $0.identity == identity })
        else { return nil }
        let rows = ByKey(
            joining: parts, through: parts.reduce(removals.last) { min($0, $1.last) })
        guard rows.ids.count >= sign.rows else { return nil }
        self.init(device: device, sign: sign, identity: identity)
        fill(rows)
        for id in removals.ids { noteRemoval(id) }
    }

    private mutating func fill(_ rows: ByKey) {
        guard let first = rows.ids.min(), let last = rows.ids.max() else { return }
        let (distance, overflow) = last.subtractingReportingOverflow(first)
        guard !overflow, distance == Int64(rows.ids.count - 1),
            !rows.entries.contains(LogsCache.none)
        else {
            // Some ids are missing.
            let order = rows.ids.indices.sorted { rows.ids[$0] < rows.ids[$1] }
            for row in order where rows.entries[row] != LogsCache.none {
                append(rows.ids[row], rows.timestamps[row], rows.entries[row])
            }
            return
        }
        place((rows.ids, rows.timestamps, rows.entries), from: first)
    }
}

extension LogTimes.ByKey {
    /// Combines the rows of all parts, up to a given id.
    fileprivate init(joining parts: [LogTimes.ByKey], through last: Int64) {
        identity = parts.first?.identity
        self.last = last
        let count = parts.reduce(0) { $0 + $1.ids.count }
        ids.reserveCapacity(count)
        timestamps.reserveCapacity(count)
        entries.reserveCapacity(count)
        for part in parts {
            if part.last <= last {
                ids += part.ids
                timestamps += part.timestamps
                entries += part.entries
            } else {
                let kept = part.ids.indices.filter { part.ids[$0] <= last }
                ids += kept.map { part.ids[$0] }
                timestamps += kept.map { part.timestamps[$0] }
                entries += kept.map { part.entries[$0] }
            }
        }
    }
}

extension LogReader {
    /// Reads the id, timestamp, and key of all rows of the given keys, key by key.
    fileprivate func rowsByKey(_ range: LogTimes.KeyRange) throws -> Stepper {
        let bounds = [
            range.from.map { ("\(form.key) >= ?", $0) }, range.to.map { ("\(form.key) < ?", $0) },
        ]
        .compactMap { $0 }
        let condition = bounds.map(\.0).joined(separator: " AND ")
        let rows = try Stepper(
            database,
            """
            SELECT \(form.id), \(form.timestamp), \(form.key) FROM \(form.table)
            INDEXED BY log_key \(bounds.isEmpty ? "" : "WHERE \(condition)") ORDER BY \(form.key)
            """)
        for (parameter, bound) in bounds.enumerated() {
            rows.bind(CInt(parameter + 1), copying: bound.1)
        }
        return rows
    }

    /// Reads the ids of all rows that remove their keys.
    ///
    /// - Complexity: O(*n*) in the removals if the log has an index of removals, otherwise in the
    ///   rows.
    fileprivate func removals() throws -> Stepper {
        let hasIndex = try Stepper(
            database,
            "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = 'log_removal'"
        ).step()
        return try Stepper(
            database,
            """
            SELECT \(form.id) FROM \(form.table) \(hasIndex ? "INDEXED BY log_removal" : "")
            WHERE \(TidelineLog.isRemoval)
            """)
    }

    fileprivate func lastRow() throws -> Int64? {
        let rows = try Stepper(database, "SELECT max(\(form.id)) FROM \(form.table)")
        return try rows.step() ? rows.integer(0) : nil
    }
}
