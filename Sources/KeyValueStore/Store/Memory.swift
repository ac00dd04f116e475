import Replication

/// The memory side of a store: the dictionary, its rows, and the pending rows. Protected by the
/// store's only lock.
struct Memory: ~Copyable {
    enum Phase {
        case new, loaded, closed
    }

    var phase = Phase.new
    var cache = LogsCache()
    /// A number that increases whenever entries get new numbers: with each load, and when the store
    /// is closed.
    var generation = 0
    /// The number of this device in the cache.
    var own: DeviceNumber?
    /// Whether this device's log has, or will have, PARStore 1's format.
    var ownIsParstore = false
    /// The reason why nothing may be appended to this device's log.
    var ownProblem: OwnProblem?

    struct OwnProblem {
        let reason: String
        /// The error of reading the log; `nil` if the problem is that rows are missing in the log.
        let cause: ReplicationError?
    }
    /// Rows that are in the dictionary but not on disk.
    var pending = PendingRows<KeyRowBatch>()
    var devices: [DeviceStatus] = []
    var totalRows = 0
}

extension Memory {
    /// Returns timestamps for consecutive writes, each later than all seen rows of its key.
    ///
    /// The timestamps ascend, except for keys whose newest row is far ahead of the clock. The
    /// timestamp of such a key only has to be later than that row.
    ///
    /// - Throws: As ``tick(after:of:clock:)``. In that case, no row is written.
    func ticks(
        _ keys: [String], clock: HybridClock
    ) throws(KeyValueError) -> [Timestamp] {
        var times: [Timestamp] = []
        times.reserveCapacity(keys.count)
        // Times far ahead of the clock, which later rows of the same key have to follow.
        var ahead: [Name: Timestamp] = [:]
        for key in keys {
            var seen = index(ofKey: key).map { bound($0, clock) } ?? .distantPast
            if !ahead.isEmpty, let before = ahead[Name(key)] { seen = max(seen, before) }
            let time = try tick(after: seen, of: key, clock: clock)
            if time == min(seen.successor, .latest) { ahead[Name(key)] = time }
            times.append(time)
        }
        return times
    }

    /// Returns a shared time for writes of several keys, and a bound for each key. If the shared
    /// time isn't later than a key's bound, the row of this key needs a separate time.
    ///
    /// - Throws: As ``tick(after:of:clock:)``.
    func sharedTick(
        _ keys: [String], clock: HybridClock
    ) throws(KeyValueError) -> (time: Timestamp, bounds: [Timestamp]) {
        let bounds = keys.map { index(ofKey: $0).map { bound($0, clock) } ?? .distantPast }
        let limit = HybridClock.limit(at: clock.now)
        let newest = bounds.lazy.filter { $0 < limit }.max() ?? .distantPast
        return (try tick(after: newest, of: keys.first ?? "", clock: clock), bounds)
    }

    /// Returns the time that a write of a key must be later than (data rule 7).
    ///
    /// If a row has the latest possible time, no write can be later. A write then wins because of
    /// its parents. Its time is on the last possible day, after this device's own row.
    func bound(_ entry: UInt32, _ clock: HybridClock) -> Timestamp {
        let newest = cache.newestSeen(
            entry, limit: HybridClock.limit(at: clock.now).microseconds)
        let seen = Timestamp(microseconds: newest ?? .min)
        guard seen >= .latest else { return seen }
        let own = own.flatMap { cache.row(of: $0, in: entry) }.map { cache.rows[Int($0)].timestamp }
        return max(.lastDay, Timestamp(microseconds: own ?? .min))
    }

    /// Returns a time for a write of a key.
    ///
    /// - Throws: ``KeyValueError``, `.timeOutOfRange`, if this device's clock is out of range.
    func tick(
        after seen: Timestamp, of key: String, clock: HybridClock
    ) throws(KeyValueError) -> Timestamp {
        do {
            return try clock.tick(after: seen)
        } catch {
            throw KeyValueError(
                .timeOutOfRange, "\(key.quoted) can't be written: \(error.message)", cause: error)
        }
    }

    /// A written row, for reporting events.
    struct Written {
        let entry: UInt32
        let timestamp: Timestamp
        /// Whether the row resolved a conflict of the key.
        let resolved: Bool
        /// Whether the key had no value before.
        let isNew: Bool
    }

    /// Writes one row to the dictionary and adds it to the pending rows.
    ///
    /// - Parameters:
    ///   - timestamp: A timestamp from ``ticks(_:clock:)``.
    mutating func write(key: String, value: [UInt8]?, at timestamp: Timestamp) -> Written {
        var key = key
        return key.withUTF8 { bytes in
            let entry = cache.makeIndex(ofKey: bytes)
            return write(entry, key: bytes, value: value, at: timestamp)
        }
    }

    /// Writes one row with a time from the clock.
    ///
    /// - Throws: As ``tick(after:of:clock:)``. In that case, nothing is written.
    mutating func write(
        key: String, value: [UInt8]?, clock: HybridClock
    ) throws(KeyValueError) -> Written {
        var key = key
        let result: Result<Written, KeyValueError> = key.withUTF8 { bytes in
            let entry = cache.makeIndex(ofKey: bytes)
            return Result { () throws(KeyValueError) in
                let timestamp = try tick(
                    after: bound(entry, clock), of: cache.key(entry), clock: clock)
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
            // An in-memory store has no rows, only the dictionary.
            cache.setValue(entry, LoadedValue(value))
            return Written(entry: entry, timestamp: timestamp, resolved: false, isNew: isNew)
        }
        let heads = cache.heads(entry)
        let ownFirst = heads.count == 1 && heads[0].device == own
        pending.waiting.append(
            key: key, value: value, timestamp: timestamp.microseconds,
            parentTimestamp: heads.first?.timestamp,
            parents: ownIsParstore || ownFirst
                ? [] : heads.map(\.stamp),
            known: ownIsParstore ? [] : cache.causalParents(entry, besides: own))
        cache.write(
            entry, device: own, timestamp: timestamp.microseconds, value: value,
            namesOneParent: ownIsParstore)
        return Written(
            entry: entry, timestamp: timestamp,
            resolved: wasConflict && !cache.conflicts.contains(entry), isNew: isNew)
    }
}
