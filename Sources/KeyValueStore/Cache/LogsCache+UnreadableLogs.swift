extension LogsCache {
    /// Copies rows and their causal parents from an earlier cache of the same package, for devices
    /// whose logs can't be read now (data rule 4).
    ///
    /// The earlier cache has values only for winners. If a kept row would win without having been
    /// the winner before, its value is unknown. Such a row is left out, but later rows still count
    /// as having seen it.
    ///
    /// - Parameter former: A cache with the same device numbers as this one.
    /// - Returns: The devices with rows that had to be left out.
    /// - Complexity: O(*n*) in the rows of the earlier cache, per device.
    mutating func keep(
        _ kept: [DeviceNumber], of former: borrowing LogsCache
    ) -> Set<DeviceNumber> {
        var left: Set<DeviceNumber> = []
        for device in kept {
            for entry in 0..<UInt32(former.entries.count) {
                guard let row = former.row(of: device, in: entry) else { continue }
                if !keep(row, of: former, in: entry) { left.insert(device) }
            }
        }
        // Causal parents are evaluated after all rows are in place.
        for device in kept { keepCausalParents(of: device, former) }
        if hasTimesAtEnd { for entry in 0..<UInt32(entries.count) { putWinnerFirst(entry) } }
        for entry in contested.keys { updateConflict(entry) }
        return left
    }

    /// Copies a row.
    ///
    /// - Returns: Whether the row is in this cache now.
    private mutating func keep(
        _ index: UInt32, of former: borrowing LogsCache, in formerEntry: UInt32
    ) -> Bool {
        let row = former.rows[Int(index)]
        let entry = former.withKey(formerEntry) { makeIndex(ofKey: $0) }
        if former.entries[Int(formerEntry)].firstRow == index {
            let value = former.value(formerEntry)
            let key = withKey(entry) { Array($0) }
            _ = apply(
                NewestRow(
                    key: key, timestamp: row.timestamp, value: value, causalParents: .none),
                of: row.device)
            return true
        }
        let first = entries[Int(entry)].firstRow
        guard first != Self.none, wins(rows[Int(first)], over: row) else {
            noteHidden(entry, row)
            return false
        }
        _ = link(entry, device: row.device, timestamp: row.timestamp)
        applyEarlierReferences(entry, device: row.device)
        if let place = self.row(of: row.device, in: entry), row.isSuperseded {
            rows[Int(place)].isSuperseded = true
        }
        if let digest = former.contested[formerEntry]?[row.device] {
            contested[entry, default: [:]][row.device] = digest
        }
        return true
    }

    /// Copies the causal parents of a device's rows: the rows of other devices that the device had
    /// seen and superseded, including rows that haven't arrived on this device.
    private mutating func keepCausalParents(of device: DeviceNumber, _ former: borrowing LogsCache)
    {
        for formerEntry in 0..<UInt32(former.entries.count) {
            guard let referrer = former.row(of: device, in: formerEntry) else { continue }
            let entry = former.withKey(formerEntry) { makeIndex(ofKey: $0) }
            var index = former.entries[Int(formerEntry)].firstRow
            while index != Self.none {
                let row = former.rows[Int(index)]
                // The cache doesn't record which row superseded this row, so any kept row that wins
                // over it is assumed to have seen it.
                if row.isSuperseded, row.device != device,
                    former.wins(former.rows[Int(referrer)], over: row)
                {
                    markSuperseded(entry, of: device, parents: row.stamp)
                }
                index = row.next
            }
        }
        for (missing, known) in former.missingRows {
            let entry = former.withKey(missing.entry) { makeIndex(ofKey: $0) }
            for foreknown in known where foreknown.referrer == device {
                markSuperseded(
                    entry, of: device,
                    parents: RowStamp(device: missing.device, timestamp: foreknown.timestamp))
            }
        }
        for (formerEntry, named) in former.namedParents {
            let entry = former.withKey(formerEntry) { makeIndex(ofKey: $0) }
            markSuperseded(
                entry, of: device,
                parents: .parents(named.filter { $0.value.contains(device) }.map(\.key)))
        }
    }
}
