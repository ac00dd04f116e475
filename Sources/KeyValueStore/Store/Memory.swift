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
    /// Rows that are in the dictionary and not yet on their way to the log.
    var pending = RowBatch()
    /// Whether others are being written just now.
    var isSaving = false
    var devices: [DeviceStatus] = []
    var totalRows = 0
}

extension Memory {
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
    ///   - timestamp: Given by the caller for a bulk set, else by the clock after all that was
    ///     seen of the key.
    mutating func write(
        key: String, value: [UInt8]?, at timestamp: Timestamp?, clock: HybridClock
    ) -> Written {
        var key = key
        return key.withUTF8 { bytes in
            let entry = cache.makeIndex(ofKey: bytes)
            return write(entry, key: bytes, value: value, at: timestamp, clock: clock)
        }
    }

    private mutating func write(
        _ entry: UInt32, key: UnsafeBufferPointer<UInt8>, value: [UInt8]?,
        at given: Timestamp?, clock: HybridClock
    ) -> Written {
        let newest = cache.newestSeen(entry)
        let timestamp =
            given ?? clock.tick(after: Timestamp(microseconds: newest ?? .min))
        let wasConflict = cache.conflicts.contains(entry)
        let isNew = !cache.isLive(entry)
        guard let own else {
            // In memory only: no rows, the dictionary alone.
            setAlone(entry, value, timestamp)
            return Written(entry: entry, timestamp: timestamp, resolved: false, isNew: isNew)
        }
        let heads = cache.heads(entry)
        let ownFirst = heads.count == 1 && heads[0].device == own
        pending.append(
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

    private mutating func setAlone(_ entry: UInt32, _ value: [UInt8]?, _ timestamp: Timestamp) {
        guard let value else {
            cache.setValue(entry, nil)
            return
        }
        value.withUnsafeBufferPointer { cache.setValue(entry, $0) }
    }
}
