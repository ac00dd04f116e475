public import Replication
import Synchronization

extension KeyValueStore {
    /// A list of the keys as of an instant, for very many keys. The list stores the numbers of the
    /// keys and the positions of the rows that provided their values, instead of the rows
    /// themselves. It takes 24 bytes per key.
    ///
    /// As with ``EntryList``, numbers are valid until the store is reloaded. After that,
    /// ``KeyValueStore/rows(_:_:)`` returns `nil`; create the list again.
    public struct PastEntryList: Sendable {
        /// The instant.
        public let instant: Timestamp
        /// The devices whose logs could not be read, with the reasons. Their rows are missing,
        /// unless a row is still the current value of its key.
        public internal(set) var unread: [DeviceID: String] = [:]
        let generation: Int
        /// The index of past rows, retained so that a list of another instant can use it.
        var index: PastIndex?
        /// The devices of the logs, in byte order of identifiers.
        var devices: [DeviceID] = []
        var found: [Found]

        /// The number of keys in the list.
        public var count: Int { found.count }

        /// Returns a list of only the keys at the given positions, in the order of the positions.
        ///
        /// - Precondition: The positions are within the list.
        public func selecting(_ positions: [Int]) -> PastEntryList {
            var list = self
            list.found = positions.map { found[$0] }
            return list
        }
    }
}

extension KeyValueStore.PastEntryList {
    /// A key and the row that provided its value.
    struct Found: BitwiseCopyable {
        let entry: UInt32
        /// The number of the row's device, or ``inMemory``.
        var device: UInt16
        var isRemoval: Bool
        var timestamp: Int64
        var id: Int64

        /// The device number of a row that still wins.
        static let inMemory = UInt16.max
    }
}

extension KeyValueStore {
    /// Returns the keys with a value as of an instant, based on all rows known now, in byte order.
    ///
    /// - Parameters:
    ///   - prefix: Only keys with this prefix.
    ///   - includesRemoved: Whether to include keys that had rows but no value.
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: If few keys changed after the instant, O(*n*) in the number of keys, with a
    ///   search for each changed key in the logs of the devices that wrote it. Otherwise, O(*n*) in
    ///   the number of rows. In this case, the first list reads the rows from the logs. While that
    ///   list is retained, further lists are created from memory (12 bytes per row). A list of a
    ///   later instant takes only the rows between the two instants.
    public func entryList(
        at instant: Timestamp, prefix: String = "", includesRemoved: Bool = false
    ) throws -> PastEntryList {
        guard isLoaded else { throw KeyValueError(.notLoaded, "the store is not loaded") }
        let wanted = Array(prefix.utf8)
        var list = memory.withLock { memory in
            PastEntryList(
                instant: instant, generation: memory.generation,
                found: memory.cache.latest(through: instant.microseconds, wanted))
        }
        let changed = list.found.indices.filter {
            list.found[$0].device != PastEntryList.Found.inMemory
        }
        if package != nil, changed.count <= 1_000, pastIndex.withLock({ $0.index }) == nil,
            devices.allSatisfy({ $0.format != .parstore1 })
        {
            try search(&list, changed)
        } else if !changed.isEmpty {
            lookUp(&list, changed)
        }
        list.found.removeAll { $0.id == .min || $0.isRemoval && !includesRemoved }
        return list
    }

    /// Finds the rows of the given keys with a search per key and log.
    private func search(_ list: inout PastEntryList, _ changed: [Int]) throws {
        guard !changed.isEmpty else { return }
        let instant = list.instant
        let keys = memory.withLock { memory in
            memory.generation == list.generation
                ? changed.map { memory.cache.key(list.found[$0].entry) } : nil
        }
        // If the store was closed or reloaded in the meantime, the list isn't valid.
        guard let keys else { return }
        let writers = writers(of: keys)
        list.unread = try forEachLog(Set(writers.keys)) { reader in
            let places = writers[reader.device] ?? []
            let rows = try places.map { try reader.newestRow(keys[$0], through: instant) }
            return (reader.device, places, rows)
        } merge: { device, places, rows in
            let number = UInt16(clamping: list.devices.count)
            list.devices.append(device)
            for (place, row) in zip(places, rows) {
                let position = changed[place]
                guard let row, row.timestamp.microseconds >= list.found[position].timestamp else {
                    continue
                }
                list.found[position].device = number
                list.found[position].isRemoval = row.isDeletion
                list.found[position].timestamp = row.timestamp.microseconds
                list.found[position].id = row.id
            }
        }
    }

    /// Finds the rows of the given keys in the index of all rows.
    private func lookUp(_ list: inout PastEntryList, _ changed: [Int]) {
        let index = pastIndex(list.generation)
        let (logs, unread) = index.times(of: self)
        note(unread)
        // The keys are counted after the logs are read, so that the count includes the key of each
        // row.
        let count = memory.withLock { $0.cache.entries.count }
        let winners = index.winners(through: list.instant.microseconds, of: logs, count: count)
        // Accessing the logs inside the loop would copy their arrays.
        let firstIDs = logs.map(\.consecutiveFrom)
        for position in changed {
            let entry = Int(list.found[position].entry)
            guard winners.indices.contains(entry) else { continue }
            let winner = winners[entry]
            guard winner.timestamp != .min else { continue }
            let row = Int(winner.position)
            list.found[position].device = winner.log
            list.found[position].isRemoval = winner.isRemoval
            list.found[position].timestamp = winner.timestamp
            list.found[position].id =
                firstIDs[Int(winner.log)].map { $0 + Int64(row) }
                ?? logs[Int(winner.log)].id(at: row)
        }
        list.unread = unread
        list.index = index
        list.devices = logs.map(\.device)
    }

    /// Returns the retained index, or a new one.
    private func pastIndex(_ generation: Int) -> PastIndex {
        pastIndex.withLock { held in
            if let index = held.index, index.generation == generation { return index }
            let index = PastIndex(generation: generation)
            held.index = index
            return index
        }
    }

    /// Returns the number of rows up to an instant, if available in memory.
    func heldCount(through instant: Timestamp, _ devices: Set<DeviceID>?) -> Int? {
        guard let index = pastIndex.withLock({ $0.index }) else { return nil }
        let (logs, unread) = index.times(of: self)
        guard unread.isEmpty else { return nil }
        return logs.reduce(0) { sum, log in
            devices.map { $0.contains(log.device) } ?? true
                ? sum + log.count(through: instant) : sum
        }
    }

    /// The index of the rows' times, while a list of the past is retained.
    struct HeldPastIndex {
        weak var index: PastIndex?
    }
}

extension LogsCache {
    /// Returns all entries with rows, in byte order of keys. An entry whose winner is not later
    /// than the instant is returned with that winner. For the other entries, the row must be
    /// searched for.
    fileprivate mutating func latest(
        through instant: Int64, _ prefix: [UInt8]
    ) -> [KeyValueStore.PastEntryList.Found] {
        ordered().compactMap { index in
            guard hasRows(index),
                prefix.isEmpty || withKey(index, { $0.starts(with: prefix) })
            else { return nil }
            let winner = rows[Int(entries[Int(index)].firstRow)]
            guard winner.timestamp <= instant else {
                return .init(entry: index, device: 0, isRemoval: false, timestamp: .min, id: .min)
            }
            return .init(
                entry: index, device: KeyValueStore.PastEntryList.Found.inMemory,
                isRemoval: !isLive(index), timestamp: winner.timestamp, id: 0)
        }
    }
}
