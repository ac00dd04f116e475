import Foundation
import GRDB
public import Replication
import Synchronization

extension KeyValueStore {
    /// The value that `key` had at an instant, after all that is known now; `nil` where it had none.
    ///
    /// - Throws: ``PropertyListError`` for bytes that are not a value.
    /// - Throws: As ``row(forKey:at:)``.
    /// - Complexity: A search in each log.
    public func value(forKey key: String, at instant: Timestamp) throws -> PropertyList? {
        guard let row = try row(forKey: key, at: instant), let bytes = try bytes(of: row) else {
            return nil
        }
        return try PropertyList(binary: bytes)
    }

    /// The row that gave `key` the value it had at an instant, a deletion's included.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`; `ReplicationError`, `.unreadable`, if any log
    ///   cannot be read.
    /// - Complexity: A search in each log.
    public func row(forKey key: String, at instant: Timestamp) throws -> LogRow? {
        let (row, unread) = try readableRow(forKey: key, at: instant)
        try failIfUnread(unread)
        return row
    }

    /// As ``row(forKey:at:)``, among the rows of logs that can be read now.
    ///
    /// - Returns: The row, and the devices whose logs could not be read, with the reasons.
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: A search in each log.
    public func readableRow(
        forKey key: String, at instant: Timestamp
    ) throws -> (row: LogRow?, unread: [DeviceID: String]) {
        var newest: LogRow?
        let unread = try forEachLog(nil) {
            try $0.newestRow(key, through: instant)
        } merge: { row in
            guard let row else { return }
            if newest.map({ $0.position < row.position }) ?? true { newest = row }
        }
        // The row that wins now did so as soon as it was written, and is in memory.
        if let entry = entry(forKey: key), let device = entry.device, unread[device] != nil,
            entry.timestamp <= instant
        {
            newest = LogRow(
                device: device, id: 0, timestamp: entry.timestamp, key: key,
                bytes: entry.bytes.map { Data($0) }, byteCount: entry.byteCount)
        }
        return (newest, unread)
    }

    /// The whole dictionary as it was at an instant, after all that is known now.
    ///
    /// - Throws: As ``rows(at:prefix:)``. Values that cannot be decoded are left out.
    /// - Complexity: For the keys that changed since the instant a search in each log, or a look at
    ///   all rows where they are many; the others come from memory.
    public func dictionary(
        at instant: Timestamp, prefix: String = ""
    ) throws -> [Name: PropertyList] {
        var result: [Name: PropertyList] = [:]
        for row in try rows(at: instant, prefix: prefix).values {
            if let bytes = try bytes(of: row), let value = try? PropertyList(binary: bytes) {
                result[row.key] = value
            }
        }
        return result
    }

    /// For each key the row that gave it the value it had at an instant, deletions included.
    ///
    /// - Throws: As ``row(forKey:at:)``.
    /// - Complexity: As ``dictionary(at:prefix:)``.
    public func rows(at instant: Timestamp, prefix: String = "") throws -> [Name: LogRow] {
        let (rows, unread) = try readableRows(at: instant, prefix: prefix)
        try failIfUnread(unread)
        return rows
    }

    /// As ``rows(at:prefix:)``, without the rows of logs that cannot be read now.
    ///
    /// - Returns: The rows, and the devices whose logs could not be read, with the reasons.
    /// - Throws: ``KeyValueError``, `.notLoaded`, if a log is needed and the store was closed.
    /// - Complexity: As ``dictionary(at:prefix:)``.
    public func readableRows(
        at instant: Timestamp, prefix: String = ""
    ) throws -> (rows: [Name: LogRow], unread: [DeviceID: String]) {
        saveForReading()
        let wanted = Array(prefix.utf8)
        var (rows, changed): ([Name: LogRow], [String]) = memory.withLock { memory in
            var rows: [Name: LogRow] = [:]
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
                        value: memory.cache.value(index))
                }
            }
            return (rows, changed)
        }
        guard !changed.isEmpty else { return (rows, [:]) }
        var unread: [DeviceID: String] = [:]
        let isIndexed = devices.allSatisfy { $0.format != .parstore1 }
        let found =
            isIndexed && changed.count < 20_000
            ? try newestRows(searching: changed, through: instant, unread: &unread)
            : try newestRows(
                scanning: changed, through: instant, prefix: prefix, unread: &unread)
        for row in found { rows[row.key] = row }
        return (rows, unread)
    }

    /// The newest row of each of some keys up to an instant, by a search for each in each log.
    private func newestRows(
        searching keys: [String], through instant: Timestamp, unread: inout [DeviceID: String]
    ) throws -> [LogRow] {
        var newest: [Name: LogRow] = [:]
        unread = try forEachLog(nil) { reader in
            try keys.compactMap { try reader.newestRow($0, through: instant) }
        } merge: { found in
            for row in found where newest[row.key].map({ $0.position < row.position }) ?? true {
                newest[row.key] = row
            }
        }
        return Array(newest.values)
    }

    /// The newest row of each of very many keys up to an instant, by a look at all rows of each
    /// log; only the winners' values are read then.
    private func newestRows(
        scanning keys: [String], through instant: Timestamp, prefix: String,
        unread: inout [DeviceID: String]
    ) throws -> [LogRow] {
        var table = KeyTable()
        for var key in keys { key.withUTF8 { _ = table.insert($0) } }
        var best: [(timestamp: Int64, device: DeviceID, id: Int64)?] = Array(
            repeating: nil, count: table.count)
        unread = try forEachLog(nil) { reader in
            var newest = Array(
                repeating: (timestamp: Int64.min, id: Int64.min), count: best.count)
            try reader.forEachKey(prefix: prefix, through: instant) { id, timestamp, key in
                guard let index = table.index(of: key).map(Int.init),
                    newest[index] < (timestamp, id)
                else { return }
                newest[index] = (timestamp, id)
            }
            return (reader.device, newest)
        } merge: { device, newest in
            for (index, row) in newest.enumerated() where row.id != .min {
                if let known = best[index],
                    (known.timestamp, known.device) > (row.timestamp, device)
                {
                    continue
                }
                best[index] = (row.timestamp, device, row.id)
            }
        }
        let wanted = Dictionary(grouping: best.compactMap { $0 }, by: \.device)
        var rows: [LogRow] = []
        let failed = try forEachLog(Set(wanted.keys)) { reader in
            try reader.rows(ids: (wanted[reader.device] ?? []).map(\.id).sorted())
        } merge: {
            rows += $0
        }
        unread.merge(failed) { $1 }
        return rows
    }
}
