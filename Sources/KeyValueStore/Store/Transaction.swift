public import Replication

extension KeyValueStore {
    /// A group of changes with a single event and a single transaction on disk. Either all of them
    /// take effect or none.
    public struct Transaction {
        private let store: KeyValueStore
        fileprivate var rows: [(key: String, value: [UInt8]?)] = []
        private var newest: [Name: [UInt8]?] = [:]

        fileprivate init(_ store: KeyValueStore) { self.store = store }

        /// Returns the value of `key` with this transaction's own changes.
        public func value(forKey key: String) -> PropertyList? {
            guard let changed = newest[key] else { return store.value(forKey: key) }
            return changed.flatMap { try? PropertyList(binary: $0) }
        }

        /// The value of `key`, as returned by ``value(forKey:)``. Writing can fail, and a setter
        /// can't throw: call `try transaction.set(value, forKey: key)`.
        public subscript(key: String) -> PropertyList? {
            get { value(forKey: key) }
            @available(
                *, unavailable,
                message: "call 'try set(value, forKey: key)', because writing can fail"
            )
            nonmutating set {}
        }

        /// The keys with a value, in byte order. This transaction's own changes are included.
        public var keys: [String] { keys(prefix: "") }

        /// Returns the keys that start with `prefix` (case-sensitive) and have a value, in byte
        /// order, with this transaction's own changes.
        public func keys(prefix: String) -> [String] {
            let changes = changes(prefix)
            guard !changes.isEmpty else { return store.keys(prefix: prefix) }
            let kept = store.keys(prefix: prefix).map { Name($0) }.filter { newest[$0] == nil }
            return (kept + changes.filter { $0.value != nil }.map(\.key)).sorted().texts
        }

        /// Returns all keys with their values, with this transaction's own changes.
        public func dictionary(prefix: String = "") -> [Name: PropertyList] {
            var result = store.dictionary(prefix: prefix)
            for (key, value) in changes(prefix) {
                result[key] = value.flatMap { try? PropertyList(binary: $0) }
            }
            return result
        }

        private func changes(_ prefix: String) -> [Name: [UInt8]?] {
            newest.filter { $0.key.text.utf8.starts(with: prefix.utf8) }
        }

        /// Sets the value of `key`, or removes the key with `nil`. Each call results in a separate
        /// row with a separate timestamp.
        ///
        /// - Throws: ``KeyValueError``: `.invalidKey`, `.invalidValue`.
        public mutating func set(_ value: PropertyList?, forKey key: String) throws(KeyValueError) {
            let encoded = try KeyValueStore.encoded(value, key)
            rows.append((key, encoded))
            newest[key] = .some(encoded)
        }

        /// Removes `key`, like setting it to `nil`.
        ///
        /// - Throws: ``KeyValueError``, `.invalidKey`.
        public mutating func removeValue(forKey key: String) throws(KeyValueError) {
            try set(nil, forKey: key)
        }

        /// Runs a nested transaction. If `body` returns, its changes become part of this
        /// transaction. If it throws, they are rolled back.
        ///
        /// - Throws: Errors of `body`.
        /// - Complexity: Copies the changes so far.
        public mutating func transaction<Result>(
            _ body: (inout Transaction) throws -> Result
        ) rethrows -> Result {
            let before = self
            do {
                return try body(&self)
            } catch {
                self = before
                throw error
            }
        }
    }

    /// Reads and changes several values atomically. While `body` runs, no other thread reads or
    /// writes the store, and no row of another device becomes visible. If `body` throws, nothing
    /// changes.
    ///
    /// ```swift
    /// try store.transaction { transaction in
    ///     let count = transaction["count"]?.integer ?? 0
    ///     try transaction.set(count + 1, forKey: "count")
    /// }
    /// ```
    ///
    /// Keep `body` short, because all other threads wait for it. It must not wait for another
    /// thread that uses the store, or for files: `save`, `load`, `sync`, `close`, and other methods
    /// that use the store's queue throw `.insideTransaction`. Changes that it makes through the
    /// store instead of the transaction aren't part of this transaction, and persist if `body`
    /// throws.
    ///
    /// - Throws: Errors of `body`, and ``KeyValueError``: `.notLoaded`, `.readOnly`,
    ///   `.ownLogUnreadable`, `.timeOutOfRange`.
    /// - Complexity: O(*n*) in the number of changes and the size of their values. No file is
    ///   accessed.
    public func transaction<Result>(
        _ body: (inout Transaction) throws -> Result
    ) throws -> Result {
        let (result, isChange) = try memory.hold {
            try memory.withLock { memory in try checkWritable(memory) }
            var transaction = Transaction(self)
            let result = try body(&transaction)
            try write(transaction.rows)
            return (result, !transaction.rows.isEmpty)
        }
        if isChange { saveSoon() }
        return result
    }

    private func write(_ rows: [(key: String, value: [UInt8]?)]) throws {
        guard !rows.isEmpty else { return }
        try memory.withLock { memory in
            try checkWritable(memory)
            let times = try memory.ticks(rows.map(\.key), clock: configuration.clock)
            var written: [UInt32: Memory.Written] = [:]
            for (row, timestamp) in zip(rows, times) {
                let new = memory.write(key: row.key, value: row.value, at: timestamp)
                written[new.entry] = Memory.Written(
                    entry: new.entry, timestamp: new.timestamp,
                    resolved: new.resolved || written[new.entry]?.resolved == true,
                    isNew: written[new.entry]?.isNew ?? new.isNew)
            }
            posted(Array(written.values), in: memory)
        }
    }
}
