import Foundation
import GRDB
import Replication

/// A whole log by its index of keys, in parts, and the rows that remove keys apart.
extension LogTimes {
    /// The keys from one on up to another; without bounds where they are `nil`.
    struct KeyRange: Sendable {
        var from: [UInt8]?
        var to: [UInt8]?

        /// All keys, in as many ranges as are wanted, with about as many keys in each.
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

    /// The rows of some keys of a log in the order of its index of keys, in which the rows of a key
    /// stand together: each key is looked up once, and no value is passed by.
    struct ByKey: Sendable {
        fileprivate let identity: UUID?
        /// The last row that there was: later ones may be of other keys.
        fileprivate let last: Int64
        fileprivate var ids: [Int64] = []
        fileprivate var timestamps: [Int64] = []
        /// Numbers of keys.
        fileprivate var entries: [UInt32] = []

        /// - Parameter count: How many rows are expected.
        /// - Throws: Also where the log lacks the index.
        init(
            _ reader: LogReader, _ memory: MemoryLock, _ range: KeyRange = KeyRange(), count: Int
        ) throws {
            identity = try reader.identity()
            last = try reader.lastRow() ?? .min
            ids.reserveCapacity(count)
            timestamps.reserveCapacity(count)
            entries.reserveCapacity(count)
            var keys = KeyNumbers(memory)
            // Where the rows end of each key that waits to be looked up.
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
        /// The last row that there was: later ones may remove keys too.
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

    /// Puts together what several readings of a log found, as far as all of them saw it.
    ///
    /// - Parameter parts: The rows of all keys, each key's in one of the parts.
    /// - Returns: `nil` if they were of different logs, or the index lacks rows.
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
            // Some numbers are missing.
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
    /// The rows of all parts without those behind one.
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
    /// Number, timestamp and key of all rows of some keys, key by key.
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

    /// The numbers of all rows that remove their keys.
    ///
    /// - Complexity: O(*n*) in the rows; where the log has its index of removals, in those.
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
