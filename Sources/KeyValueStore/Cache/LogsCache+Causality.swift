import Replication

extension LogsCache {
    /// Marks as superseded the rows that a device's newest row had seen, and keeps references to
    /// seen rows that haven't arrived.
    ///
    /// A row supersedes another row only if it also wins over that row. Rows of a correct writer
    /// are always later than the rows that it had seen. If a row is earlier than a row that its
    /// writer had seen (PARStore 1 with a clock that was behind), the newest timestamp still wins,
    /// and both rows are shown. On the last day that timestamps can represent, there may be no
    /// later time, so a row supersedes the rows that it had seen regardless of the times.
    mutating func markSuperseded(
        _ entry: UInt32, of device: DeviceNumber, parents causalParents: CausalParents
    ) {
        switch causalParents {
        case .vector(let stamps):
            for stamp in stamps where stamp.device != device {
                markSuperseded(entry, of: device, parents: stamp)
            }
        case .parents(let timestamps):
            for timestamp in timestamps {
                markSuperseded(entry, of: device, namesParent: timestamp)
            }
        }
    }

    mutating func markSuperseded(_ entry: UInt32, of device: DeviceNumber, parents stamp: RowStamp)
    {
        guard let referrer = row(of: device, in: entry) else { return }
        if let known = row(of: stamp.device, in: entry) {
            let timestamp = rows[Int(known)].timestamp
            if timestamp <= stamp.timestamp, supersedes(rows[Int(referrer)], rows[Int(known)]) {
                rows[Int(known)].isSuperseded = true
            }
            if timestamp >= stamp.timestamp { return }
        }
        remember(MissingRow(entry: entry, device: stamp.device), device, stamp.timestamp)
    }

    private mutating func markSuperseded(
        _ entry: UInt32, of device: DeviceNumber, namesParent timestamp: Int64
    ) {
        guard let referrer = row(of: device, in: entry) else { return }
        var isHere = false
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            if row != referrer, rows[Int(row)].timestamp == timestamp {
                isHere = true
                if supersedes(rows[Int(referrer)], rows[Int(row)]) {
                    rows[Int(row)].isSuperseded = true
                }
            }
            row = rows[Int(row)].next
        }
        if !isHere, namedParents[entry]?[timestamp]?.contains(device) != true {
            namedParents[entry, default: [:]][timestamp, default: []].append(device)
        }
    }

    /// Records a row that can't be shown. Rows that are written later count as having seen it.
    mutating func noteHidden(_ entry: UInt32, _ row: Row) {
        remember(MissingRow(entry: entry, device: row.device), row.device, row.timestamp)
    }

    private mutating func remember(
        _ missing: MissingRow, _ referrer: DeviceNumber, _ timestamp: Int64
    ) {
        var known = missingRows[missing] ?? []
        if let index = known.firstIndex(where: { $0.referrer == referrer }) {
            known[index].timestamp = max(known[index].timestamp, timestamp)
        } else {
            known.append(SeenReference(referrer: referrer, timestamp: timestamp))
        }
        missingRows[missing] = known
    }

    /// Applies references to a device's newest row, if the references arrived before the row.
    mutating func applyEarlierReferences(_ entry: UInt32, device: DeviceNumber) {
        guard !missingRows.isEmpty || !namedParents.isEmpty, let index = row(of: device, in: entry)
        else { return }
        let arrived = rows[Int(index)]
        func isSuperseded(by referrer: DeviceNumber) -> Bool {
            guard referrer != device, let row = row(of: referrer, in: entry) else { return false }
            return supersedes(rows[Int(row)], arrived)
        }
        let own = MissingRow(entry: entry, device: device)
        if let known = missingRows[own] {
            if known.contains(where: {
                $0.timestamp >= arrived.timestamp && isSuperseded(by: $0.referrer)
            }) {
                rows[Int(index)].isSuperseded = true
            }
            let rest = known.filter { $0.timestamp > arrived.timestamp }
            missingRows[own] = rest.isEmpty ? nil : rest
        }
        // References that don't name a device are kept, because several devices may have a row with
        // that timestamp.
        if let referrers = namedParents[entry]?[arrived.timestamp],
            referrers.contains(where: { isSuperseded(by: $0) })
        {
            rows[Int(index)].isSuperseded = true
        }
    }

    /// Returns whether a row supersedes another row that its writer had seen.
    private func supersedes(_ referrer: Row, _ known: Row) -> Bool {
        wins(referrer, over: known) || Self.isAtEnd(referrer) && Self.isAtEnd(known)
    }

    static func isAtEnd(_ row: Row) -> Bool { row.timestamp >= Timestamp.lastDay.microseconds }

    /// Returns the causal parents of a row written now: the newest timestamp of each other device,
    /// including rows that other devices mentioned but that haven't arrived.
    func causalParents(_ entry: UInt32, besides device: DeviceNumber) -> [RowStamp] {
        var stamps: [RowStamp] = []
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            let known = rows[Int(row)]
            if known.device != device { stamps.append(known.stamp) }
            row = known.next
        }
        guard !missingRows.isEmpty else { return stamps }
        var places: [DeviceNumber: Int] = [:]
        for (place, stamp) in stamps.enumerated() { places[stamp.device] = place }
        for number in devices.indices where number != Int(device) {
            let missing = MissingRow(entry: entry, device: DeviceNumber(number))
            guard let known = missingRows[missing] else { continue }
            var newest = Int64.min
            for known in known { newest = max(newest, claim(known, of: entry)) }
            let stamp = RowStamp(device: missing.device, timestamp: newest)
            if let place = places[missing.device] {
                stamps[place] = RowStamp(
                    device: missing.device, timestamp: max(stamps[place].timestamp, newest))
            } else {
                stamps.append(stamp)
            }
        }
        return stamps
    }

    /// Returns the time of a row that hasn't arrived but that another row had seen. The result is
    /// at most the time of the row that had seen it, because rows of a correct writer are later
    /// than their parents.
    private func claim(_ known: SeenReference, of entry: UInt32) -> Int64 {
        guard let referrer = row(of: known.referrer, in: entry) else { return known.timestamp }
        return min(known.timestamp, rows[Int(referrer)].timestamp)
    }

    /// Returns the newest known timestamp of a row of the key, from any device. Rows that haven't
    /// arrived, but that other rows name, also count.
    ///
    /// A row can name a parent that is later than the row itself. For such a parent, the time of
    /// the row is used. Otherwise, a row that names the latest possible time would prevent all
    /// further writes.
    ///
    /// - Parameter limit: The latest valid time of a parent that a PARStore 1 row names. Parents
    ///   with a later time are ignored.
    func newestSeen(_ entry: UInt32, limit: @autoclosure () -> Int64 = .max) -> Int64? {
        let first = entries[Int(entry)].firstRow
        guard first != Self.none else { return nil }
        var newest = rows[Int(first)].timestamp
        // Among rows of the last day that timestamps can represent, the winner isn't always the
        // newest row.
        if Self.isAtEnd(rows[Int(first)]) {
            for row in rowIndices(entry) { newest = max(newest, rows[Int(row)].timestamp) }
        }
        if !missingRows.isEmpty {
            for number in devices.indices.map(DeviceNumber.init) {
                for known in missingRows[MissingRow(entry: entry, device: number)] ?? [] {
                    newest = max(newest, claim(known, of: entry))
                }
            }
        }
        if let named = namedParents[entry] {
            let limit = limit()
            for timestamp in named.keys where timestamp <= limit { newest = max(newest, timestamp) }
        }
        return newest
    }

    /// Returns the rows that no other row supersedes, the winner first.
    func heads(_ entry: UInt32) -> [Row] {
        if let fork = forks[entry] { return heads(entry, fork) }
        var heads: [Row] = []
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            let known = rows[Int(row)]
            if heads.isEmpty || !known.isSuperseded { heads.append(known) }
            row = known.next
        }
        return heads.isEmpty
            ? [] : [heads[0]] + heads.dropFirst().sorted { wins($0, over: $1) }
    }

    private func heads(_ entry: UInt32, _ fork: [ForkHead]) -> [Row] {
        guard let winner = winner(entry) else { return [] }
        let others = fork.filter {
            $0.device != winner.device || $0.timestamp != winner.timestamp
        }
        return [winner]
            + others.map {
                Row(
                    timestamp: $0.timestamp, next: Self.none, device: $0.device,
                    isSuperseded: false)
            }.sorted { wins($0, over: $1) }
    }

    /// Updates the conflict state of an entry after a change of its rows.
    mutating func updateConflict(_ entry: UInt32) {
        if let fork = forks[entry] {
            contested[entry] = nil
            return noteConflict(entry, fork.map(\.digest))
        }
        guard var digests = contested[entry] else { return }
        for device in digests.keys {
            let row = row(of: device, in: entry)
            let isHead = row.map { !rows[Int($0)].isSuperseded } ?? false
            if !isHead || row == entries[Int(entry)].firstRow { digests[device] = nil }
        }
        contested[entry] = digests.isEmpty ? nil : digests
        noteConflict(entry, digests.values)
    }

    /// Notes whether any of the digests differs from the digest of the entry's current value.
    private mutating func noteConflict(_ entry: UInt32, _ digests: some Collection<Int>) {
        let current =
            digests.isEmpty
            ? nil : digest(ofWinnerOf: entry, at: winner(entry)?.timestamp ?? 0)
        if digests.contains(where: { $0 != current }) {
            conflicts.insert(entry)
        } else {
            conflicts.remove(entry)
        }
    }

    /// Returns the digest of an entry's current value. The row with this value has `timestamp`.
    func digest(ofWinnerOf entry: UInt32, at timestamp: Int64) -> Int {
        if let byteCount = longValue(entry) {
            return LoadedValue.long(byteCount).digest(ofRowAt: timestamp)
        }
        return withValue(entry) { Self.digest(bytes: UnsafeRawBufferPointer($0)) }
            ?? Self.digest(nil)
    }

    static func digest(_ value: [UInt8]?) -> Int {
        guard let value else { return 0 }
        return value.withUnsafeBytes { digest(bytes: $0) }
    }

    /// Returns a digest that is equal for equal values, regardless of their encoding.
    private static func digest(bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        if let value = try? BinaryPlistReader.decode(bytes) {
            hasher.combine(value)
        } else {
            hasher.combine(bytes: bytes)
        }
        return hasher.finalize()
    }
}
