import Foundation
import GRDB
public import Replication
import Synchronization

extension KeyValueStore {
    /// The value that `key` had at an instant, after all that is known now; `nil` where it had none.
    ///
    /// - Throws: ``PropertyListError`` for bytes that are no value.
    public func value(forKey key: String, at instant: Timestamp) throws -> PropertyList? {
        try row(forKey: key, at: instant)?.value()
    }

    /// The row that gave `key` the value it had at an instant, a deletion's included.
    public func row(forKey key: String, at instant: Timestamp) throws -> LogRow? {
        var newest: LogRow?
        try failIfUnread(
            forEachLog(nil) {
                try $0.newestRow(key, through: instant)
            } merge: { row in
                guard let row else { return }
                if newest.map({ $0.position < row.position }) ?? true { newest = row }
            })
        return newest
    }

    /// The whole dictionary as it was at an instant, after all that is known now.
    ///
    /// - Complexity: For the keys that changed since the instant a search in each log, or a look at
    ///   all rows where they are many; the others come from memory.
    public func dictionary(
        at instant: Timestamp, prefix: String = ""
    ) throws -> [String: PropertyList] {
        var result: [String: PropertyList] = [:]
        for row in try rows(at: instant, prefix: prefix).values {
            if let bytes = row.bytes, let value = try? PropertyList(binary: bytes) {
                result[row.key] = value
            }
        }
        return result
    }

    /// For each key the row that gave it the value it had at an instant, deletions included.
    public func rows(at instant: Timestamp, prefix: String = "") throws -> [String: LogRow] {
        if hasUnsavedChanges { try? save() }
        let wanted = Array(prefix.utf8)
        var (rows, changed): ([String: LogRow], [String]) = memory.withLock { memory in
            var rows: [String: LogRow] = [:]
            var changed: [String] = []
            for index in 0..<UInt32(memory.cache.entries.count) where memory.cache.hasRows(index) {
                guard memory.cache.withKey(index, { $0.starts(with: wanted) }) else { continue }
                let winner = memory.cache.rows[Int(memory.cache.entries[Int(index)].firstRow)]
                let key = memory.cache.key(index)
                if winner.timestamp > instant.microseconds {
                    changed.append(key)
                } else {
                    rows[key] = LogRow(
                        device: memory.cache.devices[Int(winner.device)], id: 0,
                        timestamp: Timestamp(microseconds: winner.timestamp), key: key,
                        bytes: memory.cache.withValue(index) { Data($0) })
                }
            }
            return (rows, changed)
        }
        guard !changed.isEmpty else { return rows }
        let sought = changed
        let asked = Set(changed)
        try failIfUnread(
            forEachLog(nil) { reader in
                if reader.form.format == .tideline2, sought.count < 20_000 {
                    return try sought.compactMap { try reader.newestRow($0, through: instant) }
                }
                return try reader.newestRows(of: asked, through: instant, prefix: prefix)
            } merge: { found in
                for row in found where rows[row.key].map({ $0.position < row.position }) ?? true {
                    rows[row.key] = row
                }
            })
        return rows
    }
}

extension LogReader {
    /// The newest row of each of very many keys, found by looking at all rows.
    func newestRows(
        of keys: Set<String>, through instant: Timestamp, prefix: String
    ) throws -> [LogRow] {
        var newest: [String: LogRow] = [:]
        let filter = KeyValueStore.RowFilter(prefix: prefix, through: instant)
        try forEach(condition(filter), "") { row in
            guard keys.contains(row.key) else { return true }
            if newest[row.key].map({ $0.position < row.position }) ?? true { newest[row.key] = row }
            return true
        }
        return Array(newest.values)
    }
}
