import HeapModule
public import Replication

extension LogRow {
    /// A row that another row names as a parent.
    public struct Parent: Hashable, Sendable {
        /// The device that wrote the row; `nil` if the log's format only names a timestamp and
        /// several rows have it.
        public let device: DeviceID?
        /// The timestamp of the named row.
        public let timestamp: Timestamp
    }
}

extension KeyValueStore {
    /// The rows that led to a conflict, from the common ancestor to the sides.
    public struct Lineage: Sendable {
        /// A row of the lineage.
        public struct Write: Sendable {
            /// The row. Long values stay in their logs.
            public let row: LogRow
            /// The indices in ``Lineage/writes`` of the rows that this row builds on.
            public let parents: [Int]
            /// Whether this row is a side of the conflict.
            public let isSide: Bool
        }

        /// The rows, newest first. Rows that can't be read now are left out.
        public let writes: [Write]
        /// Whether the limit left out older rows.
        public let hasMore: Bool
    }

    /// A row in the order of visits: the newest first.
    private struct Visit: Comparable {
        let row: LogRow.Reference

        static func < (lhs: Self, rhs: Self) -> Bool {
            lhs.row.isOlder(than: rhs.row)
        }
    }

    /// Returns the rows between a conflict's sides and their common ancestor, with the causal
    /// parents of each row. The rules are the same as for conflicts.
    ///
    /// If a resolution was reverted, the restored side appears as its original row. The row that
    /// resolved the conflict is left out.
    ///
    /// - Parameters:
    ///   - instant: The instant for which the conflict was requested.
    ///   - limit: The maximum number of rows. The newest are returned.
    ///   - longestValue: Values of more bytes stay in their logs.
    /// - Throws: ``KeyValueError``, `.notLoaded`. Rows of logs that can't be read are left out.
    /// - Complexity: O(*n*) in the rows of the key (ten thousand per device at most).
    public func lineage(
        of conflict: Conflict, at instant: Timestamp? = nil, limit: Int, longestValue: Int
    ) throws -> Lineage {
        let (parts, _) = try graphParts(of: [conflict.key], through: instant)
        let graph = RowGraph(parts.first ?? [])
        let base = conflict.base?.reference
        let sides = Set(conflict.heads.map(graph.restated))
        var queue = Heap(sides.map { Visit(row: $0) })
        var seen = sides
        var found: [LogRow.Reference] = []
        while found.count < limit, let row = queue.popMax()?.row {
            found.append(row)
            guard row != base else { continue }
            for parent in graph.parents(of: row) {
                if let base, parent.isOlder(than: base) { continue }
                if seen.insert(parent).inserted { queue.insert(Visit(row: parent)) }
            }
        }
        let hasMore = !queue.isEmpty
        let rows = try fetch(found.map { (conflict.key, $0) }, longest: longestValue).rows
        let read = zip(found, rows).compactMap { reference, row in row.map { (reference, $0) } }
        let places = Dictionary(keepingFirst: read.enumerated().map { ($1.0, $0) })
        return Lineage(
            writes: read.map { reference, row in
                Lineage.Write(
                    row: row,
                    parents: Set(graph.parents(of: reference).compactMap { places[$0] })
                        .sorted(),
                    isSide: sides.contains(reference))
            }, hasMore: hasMore)
    }

    /// Returns, for each row, the causal parents that it names.
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
