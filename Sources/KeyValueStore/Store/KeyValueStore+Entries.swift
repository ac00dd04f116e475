public import Replication
import Synchronization

extension KeyValueStore {
    /// A key's state: who wrote the value it has, and whether devices disagree.
    public struct Entry: Hashable, Sendable {
        /// The key.
        @Name public private(set) var key: String
        /// Which device's row wins; `nil` in a store in memory.
        public let device: DeviceID?
        /// Whose value it is: another device than ``device`` where the row that wins says a side of a
        /// conflict again, because what ended the conflict was taken back.
        public let author: DeviceID?
        /// When ``author`` wrote it: before ``timestamp`` where that row says it again.
        public let authored: Timestamp
        /// The timestamp of the row that wins; `Timestamp.distantPast` in a store in memory.
        public let timestamp: Timestamp
        /// The value as a binary property list; `nil` where the key is removed, and where the value
        /// is so long that it is left in its log.
        public let bytes: [UInt8]?
        /// How many bytes the value has; 0 where the key is removed.
        public let byteCount: Int
        /// Whether heads disagree.
        public let isConflict: Bool
        /// How many devices have rows of the key.
        public let deviceCount: Int

        /// Whether the key has no value.
        public var isRemoved: Bool { bytes == nil && byteCount == 0 }

        /// The value, decoded now.
        ///
        /// - Throws: ``PropertyListError`` for bytes that are no value, and `.tooLarge` for a value
        ///   that is left in its log: ``KeyValueStore/value(forKey:)`` reads it.
        public func value() throws(PropertyListError) -> PropertyList? {
            guard let bytes else {
                if byteCount > 0 { throw PropertyListError(leftInLog: byteCount) }
                return nil
            }
            return try PropertyList(binary: bytes)
        }
    }

    /// Keys by number: what a list over very many keys holds instead of the keys themselves.
    ///
    /// Numbers stay valid until the store is loaded anew; then entries are `nil`, and the list is
    /// to be made again.
    public struct EntryList: Sendable {
        let generation: Int
        /// The keys' numbers, in the list's order.
        public internal(set) var indices: [UInt32]

        /// How many keys the list has.
        public var count: Int { indices.count }
    }

    /// The state of `key`; `nil` if no device ever wrote it.
    public func entry(forKey key: String) -> Entry? {
        memory.withLock { memory in memory.index(ofKey: key).map { memory.entry($0) } }
    }

    /// The keys with a value that begin with `prefix`, in byte order.
    ///
    /// - Parameter includesRemoved: Whether keys come along that have rows but no value.
    /// - Complexity: O(*n*) in the number of keys, and sorting for those that are new since the
    ///   last list; 4 bytes a key.
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

    /// The states of some of a list's keys, in its order; `nil` for all if the store was loaded
    /// anew since.
    ///
    /// - Complexity: O(*n*) in the length of the range and the bytes of its keys and values.
    public func entries(_ list: EntryList, _ range: Range<Int>) -> [Entry]? {
        memory.withLock { memory in
            guard memory.generation == list.generation else { return nil }
            return list.indices[range.clamped(to: list.indices.indices)].map { memory.entry($0) }
        }
    }

    /// The newest timestamp of `key`, a removal's included; `nil` if it was never written.
    public func newestTimestamp(forKey key: String) -> Timestamp? {
        memory.withLock { $0.newest(key: key) }
    }

    /// The newest timestamp of each key, removals included.
    ///
    /// - Complexity: O(*n*) in the number of keys.
    public func newestTimestampsByKey() -> [Name: Timestamp] {
        memory.withLock { memory in
            var result: [Name: Timestamp] = [:]
            for index in 0..<UInt32(memory.cache.entries.count) {
                let first = memory.cache.entries[Int(index)].firstRow
                guard first != LogsCache.none else { continue }
                result[memory.cache.key(index)] = Timestamp(
                    microseconds: memory.cache.rows[Int(first)].timestamp)
            }
            return result
        }
    }

    /// The newest timestamp in each device's log; `distantPast` for one without rows.
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

    /// The newest timestamp in a device's log; `nil` for a device that is not there.
    public func newestTimestamp(forDevice device: DeviceID) -> Timestamp? {
        newestTimestampsByDevice()[device]
    }

    /// What is known of each device's log, in byte order of identifiers.
    public var devices: [DeviceStatus] { memory.withLock { $0.devices } }

    /// How many rows all logs have that are read.
    public var rowCount: Int { memory.withLock { $0.totalRows } }

    /// Bytes of all keys that have a value, and of their values.
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

    /// All entries in the byte order of their keys. Only those that are new since the last time
    /// are sorted.
    mutating func ordered() -> [UInt32] {
        guard order.count < entries.count else { return order }
        var new = Array(UInt32(order.count)..<UInt32(entries.count))
        // A load adds keys in order.
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
