public import Replication

extension KeyValueStore {
    /// The state of a key: its value, the writer of the value, and whether the key is in conflict.
    public struct Entry: Hashable, Sendable {
        /// The key.
        @Name public private(set) var key: String
        /// The device whose row wins; `nil` in an in-memory store.
        public let device: DeviceID?
        /// The device that wrote the value. It differs from ``device`` if the row that resolved a
        /// conflict was reverted, so that the winner restores one of its sides.
        public let author: DeviceID?
        /// The time at which ``author`` wrote the value. It is before ``timestamp`` if the winner
        /// restores the value.
        public let authored: Timestamp
        /// The timestamp of the winner; `Timestamp.distantPast` in an in-memory store.
        public let timestamp: Timestamp
        /// The value as a binary property list; `nil` if the key is removed, or if the value is so
        /// long that it stays in its log.
        public let bytes: [UInt8]?
        /// The length of the value in bytes; 0 if the key is removed.
        public let byteCount: Int
        /// Whether the key is in conflict.
        public let isConflict: Bool
        /// The number of devices with rows of the key.
        public let deviceCount: Int

        /// Whether the key has no value.
        public var isRemoved: Bool { bytes == nil && byteCount == 0 }

        /// Decodes and returns the value.
        ///
        /// - Throws: ``PropertyListError`` for bytes that are not a value, and `.tooLarge` for a
        ///   value that stays in its log. ``KeyValueStore/value(forKey:)`` reads it.
        public func value() throws(PropertyListError) -> PropertyList? {
            guard let bytes else {
                if byteCount > 0 { throw PropertyListError(leftInLog: byteCount) }
                return nil
            }
            return try PropertyList(binary: bytes)
        }
    }

    /// A list of very many keys. It stores the numbers of the keys instead of their texts.
    ///
    /// Numbers are valid until the store is reloaded. After that, ``KeyValueStore/entries(_:_:)``
    /// returns `nil`; create the list again.
    public struct EntryList: Sendable {
        let generation: Int
        /// The keys' numbers, in the list's order.
        public internal(set) var indices: [UInt32]

        /// The number of keys in the list.
        public var count: Int { indices.count }
    }

    /// Returns the state of `key`, or `nil` if no device ever wrote it.
    public func entry(forKey key: String) -> Entry? {
        memory.withLock { memory in memory.index(ofKey: key).map { memory.entry($0) } }
    }

    /// Returns the keys that start with `prefix` and have a value, in byte order.
    ///
    /// - Parameter includesRemoved: Whether to include keys that have rows but no value.
    /// - Complexity: O(*n*) in the number of keys, plus sorting of keys that are new since the last
    ///   list; 4 bytes per key.
    public func entryList(prefix: String = "", includesRemoved: Bool = false) -> EntryList {
        let prefix = Array(prefix.utf8)
        return memory.withLock { memory in
            let indices = memory.cache.ordered().filter { index in
                (includesRemoved ? memory.cache.hasRows(index) : memory.cache.isLive(index))
                    && (prefix.isEmpty
                        || memory.cache.withKey(index, { $0.starts(with: prefix) }))
            }
            return EntryList(generation: memory.generation, indices: indices)
        }
    }

    /// Returns the states of the keys in a range of a list, in the list's order, or `nil` if the
    /// store was reloaded since the list was created.
    ///
    /// - Complexity: O(*n*) in the length of the range and the bytes of its keys and values.
    public func entries(_ list: EntryList, _ range: Range<Int>) -> [Entry]? {
        memory.withLock { memory in
            guard memory.generation == list.generation else { return nil }
            return list.indices[range.clamped(to: list.indices.indices)].map { memory.entry($0) }
        }
    }

    /// Returns the newest timestamp of `key`, including removals, or `nil` if it was never written.
    public func newestTimestamp(forKey key: String) -> Timestamp? {
        memory.withLock { $0.newest(key: key) }
    }

    /// Returns the newest timestamp of each key, including removals.
    ///
    /// - Complexity: O(*n*) in the number of keys.
    public func newestTimestampsByKey() -> [Name: Timestamp] {
        memory.withLock { memory in
            var result: [Name: Timestamp] = [:]
            for index in 0..<UInt32(memory.cache.entries.count) {
                guard let winner = memory.cache.winner(index) else { continue }
                result[memory.cache.key(index)] = Timestamp(microseconds: winner.timestamp)
            }
            return result
        }
    }

    /// Returns the newest timestamp in each device's log; `distantPast` for a log without rows.
    ///
    /// - Complexity: O(*n*) in the number of devices.
    public func newestTimestampsByDevice() -> [DeviceID: Timestamp] {
        memory.withLock { memory in
            var result: [DeviceID: Timestamp] = [:]
            for status in memory.devices {
                result[status.device] = memory.newest(device: status.device) ?? .distantPast
            }
            if let device { result[device] = memory.newest(device: device) ?? .distantPast }
            return result
        }
    }

    /// Returns the newest timestamp in a device's log, or `nil` for an unknown device.
    public func newestTimestamp(forDevice device: DeviceID) -> Timestamp? {
        newestTimestampsByDevice()[device]
    }

    /// The status of each device's log, in byte order of identifiers.
    public var devices: [DeviceStatus] { memory.withLock { $0.devices } }

    /// The total number of rows read from all logs.
    public var rowCount: Int { memory.withLock { $0.totalRows } }

    /// The total size of all keys with a value and of their values, in bytes.
    public var liveByteCount: Int { memory.withLock { $0.cache.liveByteCount } }
}

extension Memory {
    func entry(_ index: UInt32) -> KeyValueStore.Entry {
        let rows = cache.rowIndices(index)
        let winner = rows.first.map { cache.rows[Int($0)] }
        let written = winner.map { original(of: $0, on: index) }
        let bytes = cache.withValue(index) { Array($0) }
        return KeyValueStore.Entry(
            key: cache.key(index), device: winner.map { cache.devices[Int($0.device)] },
            author: written?.device, authored: written?.timestamp ?? .distantPast,
            timestamp: Timestamp(microseconds: winner?.timestamp ?? .min),
            bytes: bytes, byteCount: bytes?.count ?? cache.longValue(index) ?? 0,
            isConflict: cache.conflicts.contains(index), deviceCount: rows.count)
    }

    func newest(device: DeviceID) -> Timestamp? {
        guard let number = cache.knownNumber(of: device) else { return nil }
        let newest = cache.newest[Int(number)]
        return newest == .min ? nil : Timestamp(microseconds: newest)
    }
}

extension LogsCache {
    func hasRows(_ index: UInt32) -> Bool { entries[Int(index)].firstRow != Self.none }

    /// Returns all entries in byte order of their keys. Only new entries are sorted.
    mutating func ordered() -> [UInt32] {
        guard order.count < entries.count else { return order }
        var new = Array(UInt32(order.count)..<UInt32(entries.count))
        // A load adds keys in order, so they may need no sorting.
        let isSorted = zip(new, new.dropFirst()).allSatisfy { precedes($0, $1) }
        if !isSorted { new.sort { precedes($0, $1) } }
        if let last = order.last, !precedes(last, new[0]) {
            order = merged(order, new)
        } else {
            order += new
        }
        return order
    }

    private func merged(_ lhs: [UInt32], _ rhs: [UInt32]) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(lhs.count + rhs.count)
        var right = rhs[...]
        for index in lhs {
            while let next = right.first, precedes(next, index) {
                result.append(right.removeFirst())
            }
            result.append(index)
        }
        return result + right
    }

    private func precedes(_ lhs: UInt32, _ rhs: UInt32) -> Bool {
        withKey(lhs) { lhs in
            withKey(rhs) { rhs in
                UnsafeRawBufferPointer(lhs).compare(to: UnsafeRawBufferPointer(rhs)) < 0
            }
        }
    }
}
