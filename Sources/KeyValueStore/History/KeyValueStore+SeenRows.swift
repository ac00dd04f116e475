import Replication

extension KeyValueStore {
    /// Returns the rows of other devices that each device had provably seen.
    ///
    /// Unsaved rows are saved first. Nothing else is written.
    ///
    /// - Parameter former: An earlier result of this store. In tideline-2 logs, only the rows added
    ///   after that result are read.
    /// - Throws: ``KeyValueError``, `.notLoaded`. Logs that can't be read are listed in the result.
    /// - Complexity: Reads all rows once, without the values of tideline-2 logs. Takes memory for
    ///   each pair of devices and for each side of a conflict. If a device's times don't ascend in
    ///   its log, the logs that name its rows are read a second time, with one search per
    ///   reference. PARStore 1 logs are also read twice, with a search in all logs per reference.
    public func seenRows(extending former: SeenRows? = nil) throws -> SeenRows {
        saveBeforeReading()
        let statuses = devices.filter { !($0.isOwn && $0.state == .absent) }
        var seen = SeenRows(statuses)
        seen.sides = memory.withLock { $0.conflictSides }
        let known = former?.scans ?? [:]
        seen.unread = try forEachLog(nil) { reader in
            (reader.device, try LogScan(reader, extending: known[reader.device]))
        } merge: { device, scan in
            seen.scans[device] = scan
        }
        seen.addNamed()
        let unordered = Set(seen.scans.lazy.filter { !$0.value.isAscending }.map(\.key))
        for (observer, scan) in seen.scans {
            guard scan.format == .parstore1 || !unordered.isDisjoint(with: scan.named.keys) else {
                continue
            }
            try resolveReferences(of: observer, scan, unordered, in: &seen)
        }
        try place(&seen)
        return seen
    }

    /// Finds each row that a device's rows name as a parent. The references are read in pages of
    /// limited size.
    private func resolveReferences(
        of observer: DeviceID, _ scan: LogScan, _ unordered: Set<DeviceID>,
        in seen: inout SeenRows
    ) throws {
        var next: Int64? = 0
        while let after = next {
            var page = NamedRows()
            let unread = try forEachLog([observer]) { reader in
                try NamedRows(reader, after: after, through: scan.lastID, of: unordered)
            } merge: {
                page = $0
            }
            seen.unread.merge(unread) { first, _ in first }
            try resolve(Array(page.references), of: observer, scan.format, in: &seen)
            next = page.lastID
        }
    }

    private func resolve(
        _ references: [NamedRows.Reference], of observer: DeviceID, _ format: LogFormat,
        in seen: inout SeenRows
    ) throws {
        let writers = format == .parstore1 ? nil : Set(references.compactMap(\.device))
        var found: [[(device: DeviceID, id: Int64)]] = Array(
            repeating: [], count: references.count)
        let unread = try forEachLog(writers) { reader in
            let places = references.indices.filter {
                references[$0].device.map { $0 == reader.device } ?? true
            }
            return (reader.device, places, try reader.ids(of: places.map { references[$0] }))
        } merge: { device, places, ids in
            for (place, id) in zip(places, ids) {
                if let id { found[place].append((device, id)) }
            }
        }
        seen.unread.merge(unread) { first, _ in first }
        for (reference, rows) in zip(references, found) {
            // A PARStore 1 row names its parent only by time. If several rows have this time, it is
            // unknown which of them is the parent. The observer has seen its own rows in any case.
            guard rows.count == 1, let row = rows.first, row.device != observer else { continue }
            seen.note(row.id, reference.timestamp, of: row.device, by: observer)
        }
    }

    /// Finds two kinds of rows in the logs: rows of which only the time is known, and the sides of
    /// conflicts.
    private func place(_ seen: inout SeenRows) throws {
        let (known, sides, scans) = (seen.known, seen.sides, seen.scans)
        let unread = try forEachLog(Set(known.keys).union(sides.keys)) { reader in
            try scans[reader.device].map { scan in
                (
                    device: reader.device,
                    known: try reader.placed(known[reader.device] ?? [:], scan),
                    sides: try reader.placed(sides[reader.device] ?? [])
                )
            }
        } merge: { found in
            guard let found else { return }
            if !found.known.isEmpty { seen.known[found.device] = found.known }
            if !found.sides.isEmpty { seen.sides[found.device] = found.sides }
        }
        seen.unread.merge(unread) { first, _ in first }
    }
}

extension KeyValueStore.SeenRows {
    /// Adds the newest rows that each log names.
    fileprivate mutating func addNamed() {
        for (observer, scan) in scans {
            rowCounts[observer] = scan.rowCount
            last[observer] = scan.last
            for (other, timestamp) in scan.named
            where other != observer && rowCounts[other] != nil {
                // In a log whose times ascend, the newest row is the last one.
                let isAscending = scans[other]?.isAscending ?? true
                known[other, default: [:]][observer] = Known(
                    timestamp: timestamp, id: isAscending ? .max : 0)
            }
        }
    }

    /// Records that a device had seen a row.
    fileprivate mutating func note(
        _ id: Int64, _ timestamp: Int64, of other: DeviceID, by observer: DeviceID
    ) {
        if let former = known[other]?[observer], former.id >= id { return }
        known[other, default: [:]][observer] = Known(timestamp: timestamp, id: id)
    }
}

extension Memory {
    /// The heads of all keys in conflict, by device.
    fileprivate var conflictSides: [DeviceID: [KeyValueStore.SeenRows.Side]] {
        var sides: [DeviceID: [KeyValueStore.SeenRows.Side]] = [:]
        for entry in cache.conflicts {
            let key = cache.key(entry)
            for head in cache.heads(entry) {
                sides[cache.devices[Int(head.device)], default: []].append(
                    KeyValueStore.SeenRows.Side(key: key, timestamp: head.timestamp))
            }
        }
        return sides
    }
}
