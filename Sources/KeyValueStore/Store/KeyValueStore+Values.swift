public import Replication

extension KeyValueStore {
    /// Returns the value of `key`, or `nil` if there is none or it can't be decoded.
    ///
    /// This waits only for other threads' access to memory. A value longer than
    /// ``Configuration/longestValue`` is read from its log on each call, unless this store wrote
    /// it. The result is `nil` if it can't be read now; ``bytes(of:)`` throws the reason.
    ///
    /// - Complexity: A look-up, and O(*n*) in the size of the value, which is decoded each time.
    public func value(forKey key: String) -> PropertyList? {
        bytes(forKey: key).flatMap { try? PropertyList(binary: $0) }
    }

    /// Returns the value of `key` as a binary property list, under the conditions of
    /// ``value(forKey:)``.
    ///
    /// - Complexity: A look-up, and a copy of the bytes.
    public func bytes(forKey key: String) -> [UInt8]? {
        memory.withLock { memory in memory.index(ofKey: key).map { memory.held($0) } }.flatMap(
            bytes)
    }

    /// Returns the bytes of a value, read from its log if necessary; `nil` for a removal, and if
    /// the log can't be read now.
    private func bytes(_ found: Memory.HeldValue) -> [UInt8]? {
        guard case .long = found.value, let row = found.row else { return found.value.bytes }
        return (try? longBytes(ofRowOf: found.key, row)).map(Array.init)
    }

    /// The value of `key`, as returned by ``value(forKey:)``. Writing can fail, and a setter can't
    /// throw: call `try store.set(value, forKey: key)`.
    public subscript(key: String) -> PropertyList? {
        get { value(forKey: key) }
        @available(
            *, unavailable,
            message: "call 'try set(value, forKey: key)', because writing can fail"
        )
        set {}
    }

    /// The number of keys with a value.
    public var count: Int { memory.withLock { $0.cache.liveCount } }

    /// Whether no key has a value.
    public var isEmpty: Bool { count == 0 }

    /// The keys with a value, in byte order.
    ///
    /// - Complexity: O(*n* log *n*). For a screen over many keys, use
    ///   ``entryList(prefix:includesRemoved:)``.
    public var keys: [String] { keys(prefix: "") }

    /// Returns the keys that start with `prefix` (case-sensitive) and have a value, in byte order.
    ///
    /// - Complexity: As ``keys``.
    public func keys(prefix: String) -> [String] {
        memory.hold {
            let list = entryList(prefix: prefix)
            return memory.withLock { memory in list.indices.map { memory.cache.key($0) } }
        }
    }

    /// Returns all keys with their values at one instant. Leaves out values that can't be decoded,
    /// and long values that can't be read from their logs now.
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
    /// The store is not locked during the calls, so a key that changes concurrently is seen before
    /// or after its change. About a mebibyte of values, or one longer value, is copied at a time.
    ///
    /// - Parameters:
    ///   - longest: The maximum length of values. Values up to this length that stay in their logs
    ///     are read from there, one at a time.
    ///   - leftOut: Receives the key and the length of each value that is longer, or that can't be
    ///     read from its log now.
    ///   - body: Receives bytes that are valid until it returns.
    /// - Throws: Errors of `body`.
    /// - Complexity: O(*n*) in the bytes of these keys and values; memory for about a mebibyte of
    ///   them, and 4 bytes per key.
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

    /// Sets the value of `key`, or removes the key with `nil`.
    ///
    /// The dictionary has the value immediately. The value is written to this device's log within
    /// the configured delay, or by `save()`.
    ///
    /// - Parameter seen: If given, the timestamp that the key's newest row must still have.
    /// - Throws: ``KeyValueError``: `.notLoaded`, `.readOnly`, `.ownLogUnreadable`, `.invalidValue`
    ///   for a value nested too deeply, `.invalidKey`, `.changedSinceRead`, `.timeOutOfRange` if no
    ///   valid time is left because of a device's clock.
    /// - Complexity: O(*n*) in the size of the value, and a look-up. No file is accessed.
    public func set(
        _ value: PropertyList?, forKey key: String, ifNewestIs seen: Timestamp?? = nil
    ) throws(KeyValueError) {
        let encoded = try Self.encoded(value, key)
        try memory.withLock { memory throws(KeyValueError) in
            try checkWritable(memory)
            if let seen { try Self.check(memory, key, newestIs: seen) }
            let written = try memory.write(key: key, value: encoded, clock: configuration.clock)
            posted([written], in: memory)
        }
        saveSoon()
    }

    /// Sets or removes (`nil`) many keys with one timestamp, as one transaction and one event.
    ///
    /// - Parameter seen: For some of the keys, the newest timestamp when they were read; `nil` for
    ///   a key that was never written.
    /// - Returns: The timestamp of the rows; `nil` if there are none. A key whose newest row is
    ///   more than a day ahead of the clock gets a separate timestamp, just after that row.
    /// - Throws: As ``set(_:forKey:ifNewestIs:)``. In that case, nothing changes.
    /// - Complexity: O(*n* log *n*) in the number of keys, and their values' size. No file is
    ///   accessed.
    @discardableResult
    public func set(
        contentsOf values: [Name: PropertyList?], ifNewestAre seen: [Name: Timestamp?] = [:]
    ) throws(KeyValueError) -> Timestamp? {
        guard !values.isEmpty else { return nil }
        var encoded: [(key: Name, value: [UInt8]?)] = []
        encoded.reserveCapacity(values.count)
        for (key, value) in values { encoded.append((key, try Self.encoded(value, key.text))) }
        encoded.sort { $0.key < $1.key }
        let timestamp = try memory.withLock { memory throws(KeyValueError) in
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
        saveSoon()
        return timestamp
    }

    /// Removes `key`. This writes a row even if the key has no value, so that an earlier value of
    /// another device stays hidden when it arrives.
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
            throw KeyValueError.withoutDevice
        }
        if let problem = memory.ownProblem { throw Self.refusal(problem) }
    }

    private static func refusal(_ problem: Memory.OwnProblem) -> KeyValueError {
        KeyValueError(
            .ownLogUnreadable,
            "this device's log can't be read to its end, so nothing is written to it: \(problem.reason)",
            cause: problem.cause)
    }

    /// The reason why this device's log can't be written now, if the log is damaged or incomplete;
    /// otherwise `nil`.
    public var ownLogProblem: String? { memory.withLock { $0.ownProblem?.reason } }

    private static func check(
        _ memory: borrowing Memory, _ key: String, newestIs seen: Timestamp?
    ) throws(KeyValueError) {
        guard memory.newest(key: key) == seen else { throw KeyValueError(changed: key) }
    }

    static func encoded(
        _ value: PropertyList?, _ key: String
    ) throws(KeyValueError) -> [UInt8]? {
        // SQLite limits a row to a billion bytes, and a key is also an index entry.
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
                .invalidValue, "the value of \(key.quoted) can't be stored: \(error)",
                cause: error)
        }
    }

    /// Posts events for a write. Called under the lock, so that events have the order of the
    /// changes.
    func posted(_ written: [Memory.Written], in memory: borrowing Memory) {
        guard hub.isHeard, !written.isEmpty else { return }
        let new = Set(written.filter(\.isNew).map(\.entry))
        report(.changed(memory.changes(written.map(\.entry), new: new)), in: memory)
        for row in written where row.resolved {
            report(.resolved(key: memory.cache.key(row.entry)), in: memory)
        }
    }
}

extension Memory {
    func index(ofKey key: String) -> UInt32? {
        var key = key
        return key.withUTF8 { cache.index(ofKey: $0) }
    }

    /// Returns the newest timestamp of the key among available rows, including deletions.
    func newest(key: String) -> Timestamp? {
        let winner = index(ofKey: key).flatMap { cache.winner($0) }
        return winner.map { Timestamp(microseconds: $0.timestamp) }
    }

    /// Returns the current state of entries.
    ///
    /// - Parameter new: The entries that had no value before.
    func changes(_ entries: [UInt32], new: Set<UInt32>) -> KeyValueStore.Changes {
        var byKey: [Name: KeyValueStore.Changes.Change] = [:]
        byKey.reserveCapacity(entries.count)
        for entry in entries {
            let bytes = cache.withValue(entry) { Array($0) }
            byKey[cache.key(entry)] = KeyValueStore.Changes.Change(
                bytes: bytes, byteCount: bytes?.count ?? cache.longValue(entry) ?? 0,
                timestamp: cache.winner(entry).map { Timestamp(microseconds: $0.timestamp) }
                    ?? .distantPast,
                isNew: new.contains(entry))
        }
        return KeyValueStore.Changes(byKey: byKey)
    }

    /// The state of a key at an instant, to be decoded outside the lock.
    struct HeldValue {
        let key: String
        let value: LoadedValue
        /// The winner.
        let row: LogsCache.Row?
    }

    /// Returns the current state of an entry, to be decoded outside the lock.
    func held(_ entry: UInt32) -> HeldValue {
        HeldValue(
            key: cache.key(entry), value: cache.value(entry), row: cache.winner(entry))
    }
}
