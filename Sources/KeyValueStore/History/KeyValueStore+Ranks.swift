public import Replication

/// Rows of all logs by their rank in time, for lists of very many rows.
extension KeyValueStore {
    /// Returns the number of rows with a timestamp up to `timestamp`.
    ///
    /// In a `tideline-2` log, the id of the last such row gives the number without counting. It is
    /// exact if timestamps ascend with the ids, which they do unless older changes were inserted.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`. Logs that can't be read count as empty.
    /// - Complexity: A search in each `tideline-2` log; O(*n*) in the rows of a PARStore 1 log up
    ///   to that time.
    public func rank(through timestamp: Timestamp) throws -> Int {
        var rank = 0
        _ = try forEachLog(nil) {
            try $0.rank(through: timestamp)
        } merge: {
            rank += $0
        }
        return rank
    }

    /// Returns the rows at the given positions, in the order of the positions. Missing rows are
    /// left out.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`. Rows of logs that can't be read are left out.
    /// - Complexity: A look-up for each position.
    public func rows(at positions: [RowPosition]) throws -> [LogRow] {
        let wanted = Dictionary(grouping: positions, by: \.device)
        var found: [RowPosition: LogRow] = [:]
        _ = try forEachLog(Set(wanted.keys)) { reader in
            try reader.rows(ids: (wanted[reader.device] ?? []).map(\.id))
        } merge: { rows in
            for row in rows { found[row.position] = row }
        }
        return positions.compactMap { found[$0] }
    }

    /// Returns the nearest timestamp of a row later (or earlier) than `instant`.
    ///
    /// - Returns: `nil` if there is no row in that direction.
    /// - Throws: ``KeyValueError``, `.notLoaded`. Logs that can't be read are skipped.
    /// - Complexity: A search in each log.
    public func nearestTimestamp(
        to instant: Timestamp, backwards: Bool, device: DeviceID? = nil
    ) throws -> Timestamp? {
        let (edge, overflow) =
            backwards
            ? instant.microseconds.subtractingReportingOverflow(1)
            : instant.microseconds.addingReportingOverflow(1)
        guard !overflow else { return nil }
        var filter = RowFilter(devices: device.map { [$0] })
        if backwards {
            filter.through = Timestamp(microseconds: edge)
        } else {
            filter.from = Timestamp(microseconds: edge)
        }
        return try rows(filter, backwards ? .newest : .oldest, limit: 1).rows.first?.timestamp
    }
}

extension LogReader {
    func rank(through timestamp: Timestamp) throws -> Int {
        var condition = Condition()
        condition.add("\(form.timestamp) <= ?", .integer(min(timestamp, .latest).microseconds))
        guard form.format == .tideline2, !leavesOutRows else { return try count(condition) }
        let last = try first(
            condition, "ORDER BY \(form.timestamp) DESC, \(form.id) DESC LIMIT 1")
        return last.map { Int(clamping: $0.id) } ?? 0
    }

    /// Returns the rows with these ids, in order. Missing rows are left out.
    func rows(ids: [Int64]) throws -> [LogRow] {
        let rows = try statement("WHERE \(form.id) = ?")
        return try ids.compactMap { id in
            rows.bind(1, id)
            defer { rows.reset() }
            guard lastID.map({ id <= $0 }) ?? true, try rows.step() else { return nil }
            return row(rows)
        }
    }
}
