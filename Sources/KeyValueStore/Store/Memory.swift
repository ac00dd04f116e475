import Replication

/// The memory side: the dictionary, the rows it is made of, and what is still to be written.
/// Protected by the store's one lock.
struct Memory: ~Copyable {
    enum Phase {
        case new, loaded, closed
    }

    var phase = Phase.new
    var cache = LogsCache()
    /// Grows with each load, as entries are numbered anew by it.
    var generation = 0
    /// The device that the store writes as, in the cache's numbers.
    var own: DeviceNumber?
    /// Whether this device's log has, or will have, PARStore 1's form.
    var ownIsParstore = false
    /// Why nothing may be appended to this device's log.
    var ownProblem: OwnProblem?

    struct OwnProblem {
        let reason: String
        /// What reading the log came to; `nil` where rows of it are missing.
        let cause: ReplicationError?
    }
    /// Rows that are in the dictionary and not on disk.
    var pending = PendingRows<RowBatch>()
    var devices: [DeviceStatus] = []
    var totalRows = 0
}

extension Memory {
    /// Times for writes one after the other, each later than all that was seen of its key.
    ///
    /// - Throws: As ``tick(after:count:clock:)``; no time is given then.
    func ticks(
        _ keys: [String], clock: HybridClock
    ) throws(KeyValueError) -> [Timestamp] {
        // The first time, after all that was seen of any key, leaves time for the others.
        var times = [try tick(after: keys, count: keys.count, clock: clock)]
        while times.count < keys.count {
            times.append(try tick(after: [], clock: clock))
        }
        return times
    }

    /// A time for a write of some keys, later than all that was seen of them (data rule 7).
    ///
    /// - Parameter count: How many ticks there must be time for.
    /// - Throws: ``KeyValueError``, `.timeOutOfRange`, which says whose clock to check.
    func tick(
        after keys: some Sequence<String>, count: Int = 1, clock: HybridClock
    ) throws(KeyValueError) -> Timestamp {
        var newest: (seen: Int64, entry: UInt32)?
        for key in keys {
            guard let entry = index(ofKey: key), let seen = cache.newestSeen(entry),
                newest.map({ $0.seen < seen }) ?? true
            else { continue }
            newest = (seen, entry)
        }
        return try tick(after: newest?.seen, of: newest?.entry, count: count, clock: clock)
    }

    private func tick(
        after seen: Int64?, of entry: UInt32?, count: Int = 1, clock: HybridClock
    ) throws(KeyValueError) -> Timestamp {
        let seen = Timestamp(microseconds: seen ?? .min)
        do {
            if count > 1 { try clock.check(count, ticksAfter: seen) }
            return try clock.tick(after: seen)
        } catch {
            let writer = entry.flatMap { cache.newestWriter($0) } ?? own
            let culprit = writer.map { cache.devices[Int($0)].name } ?? "this device"
            let key = entry.map { cache.key($0).quoted } ?? "the key"
            throw KeyValueError(
                .timeOutOfRange,
                "\(key) cannot be written: \(error.message); look at the clock of \(culprit)",
                cause: error)
        }
    }

    /// The row that a write made, as events tell it.
    struct Written {
        let entry: UInt32
        let timestamp: Timestamp
        /// Whether the key was in conflict before.
        let resolved: Bool
        /// Whether the key had no value before.
        let isNew: Bool
    }

    /// Writes one row into the dictionary and among those to be saved.
    ///
    /// - Parameters:
    ///   - timestamp: Given by ``tick(after:count:clock:)``.
    mutating func write(key: String, value: [UInt8]?, at timestamp: Timestamp) -> Written {
        var key = key
        return key.withUTF8 { bytes in
            let entry = cache.makeIndex(ofKey: bytes)
            return write(entry, key: bytes, value: value, at: timestamp)
        }
    }

    /// Writes one row at the time that the clock gives it.
    ///
    /// - Throws: As ``tick(after:count:clock:)``; nothing is written then.
    mutating func write(
        key: String, value: [UInt8]?, clock: HybridClock
    ) throws(KeyValueError) -> Written {
        var key = key
        let result: Result<Written, KeyValueError> = key.withUTF8 { bytes in
            let entry = cache.makeIndex(ofKey: bytes)
            return Result { () throws(KeyValueError) in
                let timestamp = try tick(
                    after: cache.newestSeen(entry), of: entry, clock: clock)
                return write(entry, key: bytes, value: value, at: timestamp)
            }
        }
        return try result.get()
    }

    private mutating func write(
        _ entry: UInt32, key: UnsafeBufferPointer<UInt8>, value: [UInt8]?,
        at timestamp: Timestamp
    ) -> Written {
        let wasConflict = cache.conflicts.contains(entry)
        let isNew = !cache.isLive(entry)
        guard let own else {
            // In memory only: no rows, the dictionary alone.
            cache.setValue(entry, LoadedValue(value))
            return Written(entry: entry, timestamp: timestamp, resolved: false, isNew: isNew)
        }
        let heads = cache.heads(entry)
        let ownFirst = heads.count == 1 && heads[0].device == own
        pending.waiting.append(
            key: key, value: value, timestamp: timestamp.microseconds,
            parentTimestamp: heads.first?.timestamp,
            parents: ownIsParstore || ownFirst
                ? [] : heads.map { RowStamp(device: $0.device, timestamp: $0.timestamp) },
            known: ownIsParstore ? [] : cache.knowledge(entry, besides: own))
        cache.write(
            entry, device: own, timestamp: timestamp.microseconds, value: value,
            namesOneParent: ownIsParstore)
        return Written(
            entry: entry, timestamp: timestamp,
            resolved: wasConflict && !cache.conflicts.contains(entry), isNew: isNew)
    }
}
