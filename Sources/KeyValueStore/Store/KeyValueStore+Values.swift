public import Replication
import Synchronization

extension KeyValueStore {
    /// The value of `key`; `nil` where there is none, or none that can be decoded.
    ///
    /// Waits for nothing but other callers' turns in memory. A value longer than
    /// ``Configuration/longestValue`` is read from its log at each call, unless this store wrote it;
    /// `nil` if that cannot be read now, as ``bytes(of:)`` says.
    ///
    /// - Complexity: A look-up, and O(*n*) in the size of the value, which is decoded each time.
    public func value(forKey key: String) -> PropertyList? {
        bytes(forKey: key).flatMap { try? PropertyList(binary: $0) }
    }

    /// The value of `key` as a binary property list, with the limits of ``value(forKey:)``.
    ///
    /// - Complexity: A look-up, and a copy of the bytes.
    public func bytes(forKey key: String) -> [UInt8]? {
        memory.withLock { memory in memory.index(ofKey: key).map { memory.held($0) } }.flatMap(
            bytes)
    }

    /// The bytes of a value that was looked at, read from its log if it was left there; `nil` for a
    /// removal, and where the log cannot be read now.
    private func bytes(_ found: Memory.HeldValue) -> [UInt8]? {
        guard case .long = found.value, let row = found.row else { return found.value.bytes }
        return (try? longBytes(ofRowOf: found.key, row)).map(Array.init)
    }

    /// The value of `key`, as ``value(forKey:)`` gives it.
    public subscript(key: String) -> PropertyList? { value(forKey: key) }

    /// How many keys have a value.
    public var count: Int { memory.withLock { $0.cache.liveCount } }

    /// The keys that have a value, in byte order.
    ///
    /// - Complexity: O(*n* log *n*); a screen over many keys uses
    ///   ``entryList(prefix:includesRemoved:)``.
    public var keys: [String] { keys(prefix: "") }

    /// The keys with a value that begin with `prefix` (case counts), in byte order.
    ///
    /// - Complexity: As ``keys``.
    public func keys(prefix: String) -> [String] {
        memory.hold {
            let list = entryList(prefix: prefix)
            return memory.withLock { memory in list.indices.map { memory.cache.key($0) } }
        }
    }

    /// All keys with their values, as they are at one instant; those that cannot be decoded are
    /// left out, and so are long ones that cannot be read from their logs now.
    ///
    /// - Complexity: O(*n*) in the bytes of these keys and values, all of which are decoded.
    public func dictionary(prefix: String = "") -> [Name: PropertyList] {
        let found = memory.hold {
            let list = entryList(prefix: prefix)
            return memory.withLock { memory in list.indices.map { memory.held($0) } }
        }
        var result: [Name: PropertyList] = [:]
        result.reserveCapacity(found.count)
        for held in found {
            guard let bytes = bytes(held), let value = try? PropertyList(binary: bytes) else {
                continue
            }
            result[held.key] = value
        }
        return result
    }

    /// Calls `body` with each key that has a value and the value's bytes, in byte order of keys.
    ///
    /// The store is not locked meanwhile; a key that changes is seen before or after its change.
    /// About a mebibyte of values is copied at a time, or one longer value.
    ///
    /// - Parameters:
    ///   - longest: Values of more bytes are left out. Those that are left in their logs are read
    ///     from there, one at a time, if they are not longer.
    ///   - leftOut: Is told of each of these, of each that cannot be read from its log now, and how
    ///     many bytes it has.
    ///   - body: Gets bytes that are valid until it returns.
    /// - Throws: What `body` throws.
    /// - Complexity: O(*n*) in the bytes of these keys and values; memory for about a mebibyte of
    ///   them and 4 bytes a key.
    public func forEach(
        prefix: String = "", longest: Int = .max,
        leftOut: (_ key: String, _ byteCount: Int) -> Void = { _, _ in },
        _ body: (_ key: String, _ bytes: UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        let list = entryList(prefix: prefix)
        var start = 0
        while start < list.indices.count {
            var next = start
            let part = memory.withLock { memory in
                guard memory.generation == list.generation else {
                    next = list.indices.count
                    return [(key: String, byteCount: Int, bytes: [UInt8]?)]()
                }
                var part: [(key: String, byteCount: Int, bytes: [UInt8]?)] = []
                var copied = 0
                while next < list.indices.count, next - start < 256, copied < 1 << 20 {
                    let index = list.indices[next]
                    next += 1
                    let found = memory.cache.withValue(index) { value in
                        (value.count, value.count <= longest ? Array(value) : nil)
                    }
                    let long = memory.cache.longValue(index).map { ($0, nil as [UInt8]?) }
                    guard let (byteCount, bytes) = found ?? long else { continue }
                    copied += bytes?.count ?? 0
                    part.append((memory.cache.key(index), byteCount, bytes))
                }
                return part
            }
            for (key, byteCount, bytes) in part {
                let bytes = bytes ?? (byteCount <= longest ? self.bytes(forKey: key) : nil)
                if let bytes {
                    try bytes.withUnsafeBytes { try body(key, $0) }
                } else {
                    leftOut(key, byteCount)
                }
            }
            start = next
        }
    }

    /// Sets the value of `key`, or removes it with `nil`.
    ///
    /// The dictionary has it at once; the log of this device within the configured delay, or when
    /// `save()` is called.
    ///
    /// - Parameter seen: If given, the timestamp that the key's newest row must still have.
    /// - Throws: ``KeyValueError``: `.notLoaded`, `.readOnly`, `.ownLogUnreadable`, `.invalidValue`
    ///   for one nested too deeply, `.invalidKey`, `.changedMeanwhile`, `.timeOutOfRange` where a
    ///   device's clock left no time to write at.
    /// - Complexity: O(*n*) in the size of the value, and a look-up; no file is touched.
    public func set(
        _ value: PropertyList?, forKey key: String, ifNewestIs seen: Timestamp?? = nil
    ) throws(KeyValueError) {
        let encoded = try Self.encoded(value, key)
        let result: Result<Void, KeyValueError> = memory.withLock { memory in
            Result { () throws(KeyValueError) in
                try checkWritable(memory)
                if let seen { try Self.check(memory, key, newestIs: seen) }
                let written = try memory.write(
                    key: key, value: encoded, clock: configuration.clock)
                posted([written], in: memory)
            }
        }
        try result.get()
        saveSoon()
    }

    /// Sets or removes (`nil`) many keys with one timestamp, as one transaction and one event.
    ///
    /// - Parameter seen: The newest timestamps that some of the keys had when they were looked at,
    ///   `nil` for one that was never written.
    /// - Returns: The timestamp that the rows have; `nil` if there are none. A key whose newest row
    ///   is more than a day ahead of the clock gets a timestamp of its own, right behind that row.
    /// - Throws: As ``set(_:forKey:ifNewestIs:)``; nothing is changed then.
    /// - Complexity: O(*n* log *n*) in the number of keys, and their values' size; no file is
    ///   touched.
    @discardableResult
    public func set(
        contentsOf values: [Name: PropertyList?], ifNewestAre seen: [Name: Timestamp?] = [:]
    ) throws(KeyValueError) -> Timestamp? {
        guard !values.isEmpty else { return nil }
        var encoded: [(key: Name, value: [UInt8]?)] = []
        encoded.reserveCapacity(values.count)
        for (key, value) in values { encoded.append((key, try Self.encoded(value, key.text))) }
        encoded.sort { $0.key < $1.key }
        let result: Result<Timestamp, KeyValueError> = memory.withLock { memory in
            Result { () throws(KeyValueError) in
                try checkWritable(memory)
                for (key, timestamp) in seen {
                    try Self.check(memory, key.text, newestIs: timestamp)
                }
                let (timestamp, bounds) = try memory.sharedTick(
                    encoded.map(\.key.text), clock: configuration.clock)
                let written = try zip(encoded, bounds).map { row, bound throws(KeyValueError) in
                    memory.write(
                        key: row.key.text, value: row.value,
                        at: bound < timestamp
                            ? timestamp
                            : try memory.tick(
                                after: bound, of: row.key.text, clock: configuration.clock))
                }
                posted(written, in: memory)
                return timestamp
            }
        }
        let timestamp = try result.get()
        saveSoon()
        return timestamp
    }

    /// Removes `key`. A key without a value gets a row all the same, so that a value that another
    /// device wrote before and that has not arrived stays hidden.
    ///
    /// - Throws: As ``set(_:forKey:ifNewestIs:)``.
    public func removeValue(
        forKey key: String, ifNewestIs seen: Timestamp?? = nil
    ) throws(KeyValueError) {
        try set(nil, forKey: key, ifNewestIs: seen)
    }

    func checkWritable(_ memory: borrowing Memory) throws(KeyValueError) {
        guard memory.phase == .loaded else {
            throw KeyValueError(.notLoaded, "the store is not loaded")
        }
        guard memory.own != nil || isInMemory else {
            throw KeyValueError(
                .readOnly, "the store was opened without a device to write as")
        }
        if let problem = memory.ownProblem { throw Self.refusal(problem) }
    }

    private static func refusal(_ problem: Memory.OwnProblem) -> KeyValueError {
        KeyValueError(
            .ownLogUnreadable,
            "this device's log cannot be read to its end, so nothing is written to it: \(problem.reason)",
            cause: problem.cause)
    }

    /// Why nothing can be written now: this device's log is damaged, or not all there; `nil` where
    /// it can.
    public var ownLogProblem: String? { memory.withLock { $0.ownProblem?.reason } }

    private static func check(
        _ memory: borrowing Memory, _ key: String, newestIs seen: Timestamp?
    ) throws(KeyValueError) {
        guard memory.newest(key: key) == seen else {
            throw KeyValueError(
                .changedMeanwhile,
                "\(key.quoted) was changed since it was looked at")
        }
    }

    static func encoded(
        _ value: PropertyList?, _ key: String
    ) throws(KeyValueError) -> [UInt8]? {
        // SQLite's own limit for a row is a billion bytes; a key is an index entry besides.
        guard key.utf8.count <= 1 << 20 else {
            throw KeyValueError(.invalidKey, "a key has at most 1,048,576 bytes")
        }
        guard let value else { return nil }
        do {
            let bytes = try value.binaryBytes()
            guard bytes.count <= 900_000_000 else {
                throw PropertyListError(.tooLarge, "more than 900,000,000 bytes")
            }
            return bytes
        } catch {
            throw KeyValueError(
                .invalidValue, "the value of \(key.quoted) cannot be stored: \(error)",
                cause: error)
        }
    }

    /// Tells what was just written. Called under the lock, so that events come in the order of the
    /// changes.
    func posted(_ written: [Memory.Written], in memory: borrowing Memory) {
        guard hub.isHeard, !written.isEmpty else { return }
        let new = Set(written.filter(\.isNew).map(\.entry))
        post(.changed(memory.changes(written.map(\.entry), new: new)), in: memory)
        for row in written where row.resolved {
            post(.resolved(key: memory.cache.key(row.entry)), in: memory)
        }
    }
}

extension Memory {
    func index(ofKey key: String) -> UInt32? {
        var key = key
        return key.withUTF8 { cache.index(ofKey: $0) }
    }

    /// The newest timestamp of the key, of a row that is here; a deletion's too.
    func newest(key: String) -> Timestamp? {
        guard let entry = index(ofKey: key) else { return nil }
        let first = cache.entries[Int(entry)].firstRow
        return first == LogsCache.none
            ? nil : Timestamp(microseconds: cache.rows[Int(first)].timestamp)
    }

    /// What entries say now.
    ///
    /// - Parameter new: Those of them that had no value before.
    func changes(_ entries: [UInt32], new: Set<UInt32>) -> KeyValueStore.Changes {
        var byKey: [Name: KeyValueStore.Changes.Change] = [:]
        byKey.reserveCapacity(entries.count)
        for entry in entries {
            let first = cache.entries[Int(entry)].firstRow
            let bytes = cache.withValue(entry) { Array($0) }
            byKey[cache.key(entry)] = KeyValueStore.Changes.Change(
                bytes: bytes, byteCount: bytes?.count ?? cache.longValue(entry) ?? 0,
                timestamp: first == LogsCache.none
                    ? .distantPast : Timestamp(microseconds: cache.rows[Int(first)].timestamp),
                isNew: new.contains(entry))
        }
        return KeyValueStore.Changes(byKey: byKey)
    }
}

extension Memory {
    /// What a key has at an instant, to be decoded when nobody waits.
    struct HeldValue {
        let key: String
        let value: LoadedValue
        /// The row that wins.
        let row: LogsCache.Row?
    }

    /// What an entry has now.
    func held(_ entry: UInt32) -> HeldValue {
        HeldValue(
            key: cache.key(entry), value: cache.value(entry), row: cache.winner(entry))
    }
}
