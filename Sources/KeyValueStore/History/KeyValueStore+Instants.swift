import Foundation
import GRDB
public import Replication
import Synchronization

extension KeyValueStore {
    /// The value that `key` had at an instant, after all that is known now; `nil` where it had none.
    ///
    /// - Throws: ``PropertyListError`` for bytes that are not a value, and as ``row(forKey:at:)``.
    /// - Complexity: A search in each log of the devices that wrote the key.
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
    /// - Complexity: A search in each log of the devices that wrote the key.
    public func row(forKey key: String, at instant: Timestamp) throws -> LogRow? {
        let (row, unread) = try readableRow(forKey: key, at: instant)
        try failIfUnread(unread)
        return row
    }

    /// As ``row(forKey:at:)``, among the rows of logs that can be read now.
    ///
    /// - Returns: The row, and the devices whose logs could not be read, with the reasons.
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: A search in each log of the devices that wrote the key.
    public func readableRow(
        forKey key: String, at instant: Timestamp
    ) throws -> (row: LogRow?, unread: [DeviceID: String]) {
        var newest: LogRow?
        let unread = try forEachLog(Set(writers(of: [key]).keys)) {
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
        // A list that is outdated at once means a load just now: the next one knows it.
        for _ in 0..<3 {
            let list = try entryList(at: instant, prefix: prefix, includesRemoved: true)
            let (rows, unread) = try read(list.found, of: list)
            guard let rows else { continue }
            let found = rows.compactMap { row in row.map { (Name($0.key), $0) } }
            return (Dictionary(found) { $1 }, list.unread.merging(unread) { $1 })
        }
        throw ReplicationError(
            .unreadable, "other programs change the store faster than it can be read")
    }
}
