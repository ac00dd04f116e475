public import Replication

extension KeyValueStore {
    /// Returns the rows that provided the values of the keys in a range of a list, in the list's
    /// order. Returns `nil` if the store was reloaded or a log was replaced since the list was
    /// created; create the list again in this case.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: O(*n*) in the length of the range. Each log with some of the rows is opened
    ///   once.
    public func rows(_ list: PastEntryList, _ range: Range<Int>) throws -> [LogRow]? {
        let wanted = Array(list.found[range.clamped(to: list.found.indices)])
        let (rows, unread) = try read(wanted, of: list)
        guard unread.isEmpty else {
            list.index?.leaveOut(unread)
            return nil
        }
        guard let rows, rows.allSatisfy({ $0 != nil }) else { return nil }
        return rows.compactMap { $0 }
    }

    /// Returns the rows that ``rows(_:_:)`` returns, without those of logs that can't be read now.
    ///
    /// - Returns: The rows, and the devices whose logs could not be read, with the reasons; `nil`
    ///   if the store was reloaded since the list was created.
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: As ``rows(_:_:)``.
    public func readableRows(
        _ list: PastEntryList, _ range: Range<Int>
    ) throws -> (rows: [LogRow], unread: [DeviceID: String])? {
        let wanted = Array(list.found[range.clamped(to: list.found.indices)])
        let (rows, unread) = try read(wanted, of: list)
        return rows.map { ($0.compactMap { $0 }, unread) }
    }

    /// Returns the keys of a list, in the list's order, or `nil` if the store was reloaded since
    /// the list was created.
    ///
    /// - Complexity: O(*n*) in the length of the list and the bytes of its keys. No log is read.
    package func keys(of list: PastEntryList) -> [String]? {
        memory.withLock { memory in
            memory.generation == list.generation
                ? list.found.map { memory.cache.key($0.entry) } : nil
        }
    }

    /// Returns the position of `key` in a list, or `nil` if the key is missing or the store was
    /// reloaded since the list was created.
    ///
    /// - Complexity: O(*n*) in the length of the list.
    public func position(of key: String, in list: PastEntryList) -> Int? {
        let entry = memory.withLock { memory in
            memory.generation == list.generation ? memory.index(ofKey: key) : nil
        }
        return entry.flatMap { entry in list.found.firstIndex { $0.entry == entry } }
    }

    /// Reads rows.
    ///
    /// - Returns: The rows, and the logs that could not be read. A row is `nil` if it could not be
    ///   read or is no longer at its position. The whole list is `nil` after a reload.
    func read(
        _ wanted: [PastEntryList.Found], of list: PastEntryList
    ) throws -> (rows: [LogRow?]?, unread: [DeviceID: String]) {
        var rows = [LogRow?](repeating: nil, count: wanted.count)
        // The current winner may have lost since the list was created.
        let superseded: [(position: Int, key: String)]? = memory.withLock { memory in
            guard memory.generation == list.generation else { return nil }
            var superseded: [(Int, String)] = []
            for (position, found) in wanted.enumerated()
            where found.device == PastEntryList.Found.inMemory {
                let first = memory.cache.entries[Int(found.entry)].firstRow
                let winner = memory.cache.rows[Int(first)]
                let key = memory.cache.key(found.entry)
                guard winner.timestamp == found.timestamp else {
                    superseded.append((position, key))
                    continue
                }
                rows[position] = LogRow(
                    device: memory.cache.devices[Int(winner.device)], id: 0,
                    timestamp: Timestamp(microseconds: winner.timestamp), key: key,
                    value: memory.cache.value(found.entry))
            }
            return superseded
        }
        guard let superseded else { return (nil, [:]) }
        var unread: [DeviceID: String] = [:]
        for (position, key) in superseded {
            let (row, problems) = try readableRow(forKey: key, at: list.instant)
            rows[position] = row
            unread.merge(problems) { $1 }
        }
        let positions = Dictionary(
            grouping: wanted.indices.filter {
                wanted[$0].device != PastEntryList.Found.inMemory
            }, by: { list.devices[Int(wanted[$0].device)] }
        ).mapValues { positions in positions.sorted { wanted[$0].id < wanted[$1].id } }
        let failed = try forEachLog(Set(positions.keys)) { reader in
            let positions = positions[reader.device] ?? []
            return (positions, try reader.rows(ids: positions.map { wanted[$0].id }))
        } merge: { positions, found in
            var found = found[...]
            for position in positions where found.first?.id == wanted[position].id {
                let row = found.removeFirst()
                if row.timestamp.microseconds == wanted[position].timestamp { rows[position] = row }
            }
        }
        unread.merge(failed) { $1 }
        return (rows, unread)
    }
}
