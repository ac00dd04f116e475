import Foundation
import Replication

/// Values with damage that SQLite doesn't detect. Their rows are already known, so reading new rows
/// doesn't read these values again.
extension KeyValueStore {
    /// Rereads undecodable values of a device after its log was changed.
    ///
    /// - Complexity: A search for each undecodable value.
    func readBrokenValues(of device: DeviceID) {
        let (generation, broken) = memory.withLock { memory in
            let entries = memory.cache.brokenValues(of: device)
            return (memory.generation, entries.map { (entry: $0, key: memory.cache.key($0)) })
        }
        guard !broken.isEmpty else { return }
        var rows: [LogRow?] = []
        let unread = try? forEachLog([device]) { reader in
            try broken.map { try reader.newestRow($0.key, through: .distantFuture) }
        } merge: {
            rows = $0
        }
        guard unread?.isEmpty == true, rows.count == broken.count else { return }
        memory.withLock { memory in
            // Numbers of entries aren't valid after the store was closed or reloaded.
            guard memory.generation == generation else { return }
            let mended = zip(broken, rows).compactMap { broken, row -> UInt32? in
                guard let row, let bytes = row.bytes,
                    let winner = memory.cache.winner(broken.entry),
                    memory.cache.devices[Int(winner.device)] == device,
                    winner.timestamp == row.timestamp.microseconds,
                    memory.cache.mend(broken.entry, with: Array(bytes))
                else { return nil }
                return broken.entry
            }
            guard hub.isHeard, !mended.isEmpty else { return }
            let keys = mended.map { memory.cache.key($0) }
            post(
                .synced(
                    Sync(
                        device: device, rows: 0, newest: [], oldest: nil,
                        keys: keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
                        changes: memory.changes(mended, new: []), latency: nil)), in: memory)
        }
        refreshStatus(of: device)
    }
}

extension LogsCache {
    /// Returns the entries whose winner is a row of the device, and has a value that isn't a
    /// property list.
    func brokenValues(of device: DeviceID) -> [UInt32] {
        guard !brokenValues.isEmpty, let number = knownNumber(of: device) else { return [] }
        return brokenValues.filter { winner($0)?.device == number }.sorted()
    }

    /// Copies intact values of the same rows from an earlier cache.
    ///
    /// - Parameter former: A cache with the same device numbers as this one.
    mutating func keepSoundValues(of former: borrowing LogsCache) {
        for entry in brokenValues {
            let known = withKey(entry) { former.index(ofKey: $0) }
            guard let known, let row = winner(entry), let old = former.winner(known),
                row.device == old.device, row.timestamp == old.timestamp,
                let value = former.withValue(known, { Array($0) })
            else { continue }
            _ = mend(entry, with: value)
        }
    }

    /// Replaces a broken value.
    ///
    /// - Returns: Whether the new value is intact. Otherwise, nothing changes.
    mutating func mend(_ entry: UInt32, with value: [UInt8]) -> Bool {
        guard value.withUnsafeBytes({ BinaryPlistReader.isFramed($0) }) else { return false }
        setValue(entry, .bytes(value))
        updateConflict(entry)
        return true
    }
}
