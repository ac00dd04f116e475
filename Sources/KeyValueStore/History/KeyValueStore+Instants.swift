public import Replication

extension KeyValueStore {
    /// Returns the value of `key` as of an instant, or `nil` if the key had no value. The result is
    /// based on all rows known now.
    ///
    /// - Throws: ``PropertyListError`` for bytes that are not a value, and the errors of
    ///   ``row(forKey:at:)``.
    /// - Complexity: A search in each log of the devices that wrote the key.
    public func value(forKey key: String, at instant: Timestamp) throws -> PropertyList? {
        guard let row = try row(forKey: key, at: instant), let bytes = try bytes(of: row) else {
            return nil
        }
        return try PropertyList(binary: bytes)
    }

    /// Returns the row that provided the value of `key` as of an instant. If the key was removed at
    /// that time, returns the row that removed it.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`; `ReplicationError`, `.unreadable`, if any log
    ///   can't be read.
    /// - Complexity: A search in each log of the devices that wrote the key.
    public func row(forKey key: String, at instant: Timestamp) throws -> LogRow? {
        let (row, unread) = try readableRow(forKey: key, at: instant)
        try failIfUnread(unread)
        return row
    }

    /// Returns the row that provided the value of `key` as of an instant, among the rows of logs
    /// that can be read now.
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
        // The current winner is in memory, and already was the winner at the instant.
        if let winner = entry(forKey: key)?.row, unread[winner.device] != nil,
            winner.timestamp <= instant
        {
            newest = winner
        }
        return (newest, unread)
    }

    /// Returns the whole dictionary as of an instant, based on all rows known now.
    ///
    /// - Throws: As ``rows(at:prefix:)``. Values that can't be decoded are left out.
    /// - Complexity: For the keys that changed since the instant, a search in each log, or a scan
    ///   of all rows if there are many such keys. The values of all other keys come from memory.
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

    /// Returns, for each key, the row that provided its value as of an instant, including
    /// deletions.
    ///
    /// - Throws: As ``row(forKey:at:)``.
    /// - Complexity: As ``dictionary(at:prefix:)``.
    public func rows(at instant: Timestamp, prefix: String = "") throws -> [Name: LogRow] {
        let (rows, unread) = try readableRows(at: instant, prefix: prefix)
        try failIfUnread(unread)
        return rows
    }

    /// Returns, for each key, the row that provided its value as of an instant, without the rows of
    /// logs that can't be read now.
    ///
    /// - Returns: The rows, and the devices whose logs could not be read, with the reasons.
    /// - Throws: ``KeyValueError``, `.notLoaded`, if a log is needed and the store was closed.
    /// - Complexity: As ``dictionary(at:prefix:)``.
    public func readableRows(
        at instant: Timestamp, prefix: String = ""
    ) throws -> (rows: [Name: LogRow], unread: [DeviceID: String]) {
        // If the store was loaded while the rows were read, the list is outdated. Another list is
        // then created.
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
