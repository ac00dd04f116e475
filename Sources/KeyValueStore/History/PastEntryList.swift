public import Replication
import Synchronization

extension KeyValueStore {
    /// The keys of an instant of the past by number, and where the rows are that gave them their
    /// values: what a list over very many keys holds instead of the rows themselves. 24 bytes a key.
    ///
    /// As with ``EntryList``, numbers stay valid until the store is loaded anew; rows are `nil` then,
    /// and the list is to be made again.
    public struct PastEntryList: Sendable {
        /// The instant.
        public let instant: Timestamp
        /// The devices whose logs could not be read, with the reasons: their rows are missing, but
        /// for those that win until now.
        public internal(set) var unread: [DeviceID: String] = [:]
        let generation: Int
        /// Held for the next instant.
        var index: PastIndex?
        /// The devices of the logs, in byte order of identifiers.
        var devices: [DeviceID] = []
        var found: [Found]

        /// How many keys the list has.
        public var count: Int { found.count }

        /// The list's keys at some positions, in the order of the positions.
        ///
        /// - Precondition: The positions lie within the list.
        public func selecting(_ positions: [Int]) -> PastEntryList {
            var list = self
            list.found = positions.map { found[$0] }
            return list
        }
    }
}

extension KeyValueStore.PastEntryList {
    /// A key and the row that gave it its value.
    struct Found: BitwiseCopyable {
        let entry: UInt32
        /// The number of the row's device, or ``inMemory``.
        var device: UInt16
        var isRemoval: Bool
        var timestamp: Int64
        var id: Int64

        /// The row wins until now.
        static let inMemory = UInt16.max
    }
}

extension KeyValueStore {
    /// The keys that had a value at an instant, after all that is known now, in byte order.
    ///
    /// - Parameters:
    ///   - prefix: Only keys that begin with this.
    ///   - includesRemoved: Whether keys come along that had rows but no value.
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: O(*n*) in the number of keys where few of them changed since, with a search for
    ///   each of those in the logs of the devices that wrote it; else O(*n*) in the number of rows.
    ///   They are read from the logs for the first such list; while one is held, the next ones are
    ///   made from memory (12 bytes a row): from the list before in the rows between both, where
    ///   they are later.
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

    /// Finds the rows of some keys by a search for each in each log.
    private func search(_ list: inout PastEntryList, _ changed: [Int]) throws {
        guard !changed.isEmpty else { return }
        let instant = list.instant
        let keys = memory.withLock { memory in
            changed.map { memory.cache.key(list.found[$0].entry) }
        }
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

    /// Finds the rows of some keys by a look at what is known of all rows.
    private func lookUp(_ list: inout PastEntryList, _ changed: [Int]) {
        let index = pastIndex(list.generation)
        let (logs, unread) = index.times(of: self)
        note(unread)
        // Counted after the logs were read: no row is of a key that came later.
        let count = memory.withLock { $0.cache.entries.count }
        let winners = index.winners(through: list.instant.microseconds, of: logs, count: count)
        // A look at the logs themselves would copy what they hold.
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

    /// The index that somebody still holds, or a new one.
    private func pastIndex(_ generation: Int) -> PastIndex {
        pastIndex.withLock { held in
            if let index = held.index, index.generation == generation { return index }
            let index = PastIndex(generation: generation)
            held.index = index
            return index
        }
    }

    /// How many rows there are up to an instant, if that is known from memory.
    func heldCount(through instant: Timestamp, _ devices: Set<DeviceID>?) -> Int? {
        guard let index = pastIndex.withLock({ $0.index }) else { return nil }
        let (logs, unread) = index.times(of: self)
        guard unread.isEmpty else { return nil }
        return logs.reduce(0) { sum, log in
            devices.map { $0.contains(log.device) } ?? true
                ? sum + log.count(through: instant) : sum
        }
    }

    /// What is held of the rows' times while somebody looks at the past.
    struct HeldPastIndex {
        weak var index: PastIndex?
    }
}

extension LogsCache {
    /// All entries with rows in the byte order of keys: those whose winner is not later than an
    /// instant with that row, the others to be looked for.
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
