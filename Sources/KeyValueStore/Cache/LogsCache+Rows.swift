import Replication

extension LogsCache {
    /// The effect of applying a row to the dictionary.
    struct Outcome {
        let entry: UInt32
        /// Whether the row is newer than the device's previous row for the key.
        var isNewer = false
        /// Whether a different row than before provides the key's value.
        var winnerChanged = false
    }

    func row(of device: DeviceNumber, in entry: UInt32) -> UInt32? {
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            if rows[Int(row)].device == device { return row }
            row = rows[Int(row)].next
        }
        return nil
    }

    func winner(_ entry: UInt32) -> Row? {
        let first = entries[Int(entry)].firstRow
        return first == Self.none ? nil : rows[Int(first)]
    }

    /// Returns whether a device other than `device` has a newest row with this timestamp.
    func hasRow(_ entry: UInt32, at timestamp: Int64, besides device: DeviceNumber) -> Bool {
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            let known = rows[Int(row)]
            if known.timestamp == timestamp, known.device != device { return true }
            row = known.next
        }
        return false
    }

    /// Returns the rows of an entry, the winner first.
    func rowIndices(_ entry: UInt32) -> [UInt32] {
        var indices: [UInt32] = []
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            indices.append(row)
            row = rows[Int(row)].next
        }
        return indices
    }

    /// Returns whether a row wins over another (data rule 6).
    func wins(_ lhs: Row, over rhs: Row) -> Bool {
        lhs.timestamp != rhs.timestamp
            ? lhs.timestamp > rhs.timestamp
            : deviceNumbers.isAfter(lhs.device, rhs.device)
    }

    /// Sets a device's newest row for a key and moves it to its position in the list.
    ///
    /// This is also the first step of loading. Afterward, ``markSuperseded(_:of:parents:)`` and
    /// ``setValue(_:_:)`` complete the entry.
    ///
    /// - Returns: Whether the row is the device's newest. Of two rows with the same timestamp, the
    ///   one linked later counts as newer, because rows arrive in the order of their log.
    mutating func link(_ entry: UInt32, device: DeviceNumber, timestamp: Int64) -> Bool {
        var new = Row(
            timestamp: timestamp, next: Self.none, device: device, isSuperseded: false)
        var index = Self.none
        var previous = Self.none
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            if rows[Int(row)].device == device {
                let old = rows[Int(row)]
                guard old.timestamp <= timestamp else { return false }
                if previous == Self.none {
                    // A newer row of the winner's device stays in first position.
                    new.next = old.next
                    rows[Int(row)] = new
                    newest[Int(device)] = max(newest[Int(device)], timestamp)
                    return true
                }
                rows[Int(previous)].next = old.next
                index = row
                break
            }
            previous = row
            row = rows[Int(row)].next
        }
        if index == Self.none {
            index = UInt32(rows.count)
            rows.append(new)
            keyCounts[Int(device)] += 1
        }
        newest[Int(device)] = max(newest[Int(device)], timestamp)
        let first = entries[Int(entry)].firstRow
        if first == Self.none || wins(new, over: rows[Int(first)]) {
            new.next = first
            entries[Int(entry)].firstRow = index
        } else {
            new.next = rows[Int(first)].next
            rows[Int(first)].next = index
        }
        rows[Int(index)] = new
        return true
    }

    /// Applies a device's newest row that comes from a file.
    ///
    /// A row that is not newer than the device's previous one doesn't change the dictionary. Its
    /// causal parents still count, because a device's rows for a key form a chain.
    mutating func apply(_ new: NewestRow, of device: DeviceNumber) -> Outcome {
        let entry = new.key.withUnsafeBufferPointer { makeIndex(ofKey: $0) }
        var outcome = Outcome(entry: entry)
        let formerWinner = self.winner(entry)
        let causalParents = withoutOwn(new.causalParents, of: device, entry)
        if link(entry, device: device, timestamp: new.timestamp) {
            outcome.isNewer = true
            applyEarlierReferences(entry, device: device)
        }
        markSuperseded(entry, of: device, parents: causalParents)
        orderHeads(entry)
        let winner = rows[Int(entries[Int(entry)].firstRow)]
        outcome.winnerChanged =
            winner.device != formerWinner?.device || winner.timestamp != formerWinner?.timestamp
            || outcome.isNewer && winner.device == device
        if outcome.isNewer, winner.device != device {
            contested[entry, default: [:]][device] = new.value.digest(ofRowAt: new.timestamp)
        }
        if outcome.winnerChanged {
            if let formerWinner {
                keepDigest(entry, ofFormer: formerWinner, besides: winner.device)
            }
            if outcome.isNewer, winner.device == device {
                setValue(entry, new.value)
            } else {
                leaveValueInLog(entry, of: winner)
            }
        }
        updateConflict(entry)
        return outcome
    }

    /// Applies a new row of this device, whose causal parents are all rows in the cache.
    ///
    /// - Parameter namesOneParent: Whether the row is stored in PARStore 1's format, so that other
    ///   devices see only the newest row as its parent.
    mutating func write(
        _ entry: UInt32, device: DeviceNumber, timestamp: Int64, value: [UInt8]?,
        namesOneParent: Bool
    ) {
        let former = winner(entry)
        let causalParents =
            namesOneParent
            ? withoutOwn(.parents(former.map { [$0.timestamp] } ?? []), of: device, entry)
            : .vector(self.causalParents(entry, besides: device))
        _ = link(entry, device: device, timestamp: timestamp)
        applyEarlierReferences(entry, device: device)
        markSuperseded(entry, of: device, parents: causalParents)
        orderHeads(entry)
        if let former { keepDigest(entry, ofFormer: former, besides: device) }
        setValue(entry, LoadedValue(value))
        if let fork = forks[entry] {
            let rest = fork.filter {
                namesOneParent && $0.device != device && $0.timestamp != former?.timestamp
            }
            forks[entry] =
                [
                    ForkHead(
                        device: device, timestamp: timestamp, digest: Self.digest(value),
                        side: RowStamp(device: device, timestamp: timestamp))
                ] + rest
        }
        updateConflict(entry)
    }

    /// Whether a device has rows of the last day that timestamps can represent. Among the rows of
    /// that day, the winner isn't always the newest.
    var hasTimesAtEnd: Bool { newest.contains { $0 >= Timestamp.lastDay.microseconds } }

    /// Moves the winner to the front if causal parents decide. Otherwise,
    /// ``link(_:device:timestamp:)`` has already done so.
    ///
    /// - Returns: Whether the first row changed.
    @discardableResult
    mutating func orderHeads(_ entry: UInt32) -> Bool {
        let first = entries[Int(entry)].firstRow
        guard first != Self.none, Self.isAtEnd(rows[Int(first)]), rows[Int(first)].isSuperseded
        else { return false }
        var best = first
        var before = Self.none
        var previous = first
        var row = rows[Int(first)].next
        while row != Self.none {
            let (one, other) = (rows[Int(row)], rows[Int(best)])
            // Rows that name each other as parents are inconsistent, so the newest of them comes
            // first.
            let isBetter =
                one.isSuperseded == other.isSuperseded
                ? wins(one, over: other) : other.isSuperseded
            if isBetter {
                (best, before) = (row, previous)
            }
            previous = row
            row = rows[Int(row)].next
        }
        guard best != first else { return false }
        rows[Int(before)].next = rows[Int(best)].next
        rows[Int(best)].next = first
        entries[Int(entry)].firstRow = best
        return true
    }

    /// Moves the winner to the front as ``orderHeads(_:)`` does, in a cache that has the values of
    /// the previous winners.
    mutating func putWinnerFirst(_ entry: UInt32) {
        let former = winner(entry)
        guard orderHeads(entry), let former, let winner = winner(entry) else { return }
        keepDigest(entry, ofFormer: former, besides: winner.device)
        leaveValueInLog(entry, of: winner)
    }

    /// Marks a winner's value as left in its log, because only the digest of the value is
    /// available. The value is then read from the log on each request, and its length is unknown.
    private mutating func leaveValueInLog(_ entry: UInt32, of winner: Row) {
        let isRemoval = contested[entry]?[winner.device] == Self.digest(nil)
        setValue(entry, isRemoval ? .removal : .long(1))
    }

    /// Leaves out the parent that is the device's own previous row, which is superseded anyway.
    ///
    /// If another device's row has the same timestamp, the parent is ambiguous and counts as the
    /// device's own.
    private func withoutOwn(
        _ causalParents: CausalParents, of device: DeviceNumber, _ entry: UInt32
    ) -> CausalParents {
        guard case .parents(let timestamps) = causalParents, let own = row(of: device, in: entry)
        else { return causalParents }
        let timestamp = rows[Int(own)].timestamp
        return .parents(timestamps.filter { $0 != timestamp })
    }

    /// Stores the digest of the previous winner's value if that winner is still a head. The bytes
    /// of the value are about to be removed.
    private mutating func keepDigest(
        _ entry: UInt32, ofFormer former: Row, besides device: DeviceNumber
    ) {
        guard former.device != device, let row = row(of: former.device, in: entry),
            !rows[Int(row)].isSuperseded, rows[Int(row)].timestamp == former.timestamp
        else { return }
        contested[entry, default: [:]][former.device] = digest(
            ofWinnerOf: entry, at: former.timestamp)
    }
}
