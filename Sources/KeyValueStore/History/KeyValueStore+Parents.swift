public import Replication

extension LogRow {
    /// A row that another row names as a parent.
    public struct Parent: Hashable, Sendable {
        /// The device that wrote the row; `nil` if the log's format only names a timestamp and
        /// several rows have this timestamp.
        public let device: DeviceID?
        /// The timestamp of the named row.
        public let timestamp: Timestamp
    }
}

extension KeyValueStore {
    /// Returns, for each row, the causal parents that the row names.
    ///
    /// A PARStore 1 row names a timestamp. Its device is returned if exactly one row of that key
    /// has this timestamp.
    ///
    /// - Complexity: For PARStore 1 rows, a search in each log of the devices that wrote the key.
    /// - Returns: One list per row, in the order of the rows.
    /// - Throws: ``KeyValueError``, `.notLoaded`, if a log is needed and the store is not loaded.
    public func parents(of rows: [LogRow]) throws -> [[LogRow.Parent]] {
        let parstore = memory.withLock { $0.parstoreDevices }
        var found: [LogRow.Place: [DeviceID]] = [:]
        for row in rows where row.parents == nil && parstore.contains(row.device) {
            if let timestamp = row.parentTimestamp {
                found[LogRow.Place(key: row.key, timestamp: timestamp)] = []
            }
        }
        if !found.isEmpty {
            let names = Array(found.keys)
            let writers = writers(of: names.map(\.key))
            _ = try forEachLog(Set(writers.keys)) { reader in
                try (writers[reader.device] ?? []).map { names[$0] }.compactMap { name in
                    try reader.newestRow(name.key, through: name.timestamp)
                        .flatMap { $0.timestamp == name.timestamp ? (name, reader.device) : nil }
                }
            } merge: { rows in
                for (name, device) in rows { found[name]?.append(device) }
            }
        }
        return rows.map { row in
            if let parents = row.parents {
                return parents.map { LogRow.Parent(device: $0.device, timestamp: $0.timestamp) }
            }
            guard let timestamp = row.parentTimestamp else { return [] }
            guard parstore.contains(row.device) else {
                return [LogRow.Parent(device: row.device, timestamp: timestamp)]
            }
            let writers = found[LogRow.Place(key: row.key, timestamp: timestamp)] ?? []
            return [
                LogRow.Parent(
                    device: writers.count == 1 ? writers[0] : nil, timestamp: timestamp)
            ]
        }
    }
}
