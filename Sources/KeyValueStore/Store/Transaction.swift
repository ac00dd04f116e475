public import Replication
import Synchronization

extension KeyValueStore {
    /// Changes that are made together: all or none, one event, one transaction on disk.
    public struct Transaction {
        private let store: KeyValueStore
        fileprivate var rows: [(key: String, value: [UInt8]?)] = []
        private var newest: [Name: [UInt8]?] = [:]

        fileprivate init(_ store: KeyValueStore) { self.store = store }

        /// The value of `key` with this transaction's own changes.
        public func value(forKey key: String) -> PropertyList? {
            guard let changed = newest[key] else { return store.value(forKey: key) }
            return changed.flatMap { try? PropertyList(binary: $0) }
        }

        public subscript(key: String) -> PropertyList? { value(forKey: key) }

        /// The keys that have a value, in byte order, with this transaction's own changes.
        public var keys: [String] { keys(prefix: "") }

        /// The keys with a value that begin with `prefix` (case counts), in byte order, with this
        /// transaction's own changes.
        public func keys(prefix: String) -> [String] {
            let changes = changes(prefix)
            guard !changes.isEmpty else { return store.keys(prefix: prefix) }
            let kept = store.keys(prefix: prefix).map { Name($0) }.filter { newest[$0] == nil }
            return (kept + changes.filter { $0.value != nil }.map(\.key)).sorted().texts
        }

        /// All keys with their values, with this transaction's own changes.
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

        /// Sets the value of `key`, or removes it with `nil`. Each call becomes a row of its own,
        /// with a timestamp of its own.
        ///
        /// - Throws: ``KeyValueError``: `.invalidKey`, `.invalidValue`.
        public mutating func set(_ value: PropertyList?, forKey key: String) throws(KeyValueError) {
            let encoded = try KeyValueStore.encoded(value, key)
            rows.append((key, encoded))
            newest[key] = .some(encoded)
        }

        /// Removes `key`, as setting it to `nil` does.
        ///
        /// - Throws: ``KeyValueError``, `.invalidKey`.
        public mutating func removeValue(forKey key: String) throws(KeyValueError) {
            try set(nil, forKey: key)
        }

        /// A transaction inside this one: part of it if `body` returns, undone if it throws.
        ///
        /// - Throws: What `body` throws.
        /// - Complexity: The changes so far are kept beside for it.
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

    /// Reads and changes several values as one: from the first line of `body` to the last no other
    /// thread reads or writes the store, and no row of another device becomes visible. Nothing is
    /// changed if `body` throws.
    ///
    /// ```swift
    /// try store.transaction { transaction in
    ///     guard case .integer(let count)? = transaction["count"] else { return }
    ///     try transaction.set(.integer(count + 1), forKey: "count")
    /// }
    /// ```
    ///
    /// All others wait meanwhile, so `body` should be short. It must not wait for another thread
    /// that uses the store, nor for files: `save`, `load`, `sync`, `close` and whatever else uses
    /// the store's queue throw `.insideTransaction`. What `body` changes through the store itself, a
    /// transaction of its own included, is no part of this one and stays when `body` throws.
    ///
    /// - Throws: What `body` throws, and ``KeyValueError``: `.notLoaded`, `.readOnly`,
    ///   `.ownLogUnreadable`, `.timeOutOfRange`.
    /// - Complexity: O(*n*) in the number of changes and the size of their values; no file is
    ///   touched.
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
