import Replication
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

        /// Sets the value of `key`, or removes it with `nil`. Each call becomes a row of its own,
        /// with a timestamp of its own.
        public mutating func set(_ value: PropertyList?, forKey key: String) throws(KeyValueError) {
            let encoded = try KeyValueStore.encoded(value, key)
            rows.append((key, encoded))
            newest[key] = .some(encoded)
        }

        public mutating func removeValue(forKey key: String) throws(KeyValueError) {
            try set(nil, forKey: key)
        }

        /// A transaction inside this one: part of it if `body` returns, undone if it throws.
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

    /// Makes several changes at once. Nothing is changed if `body` throws.
    ///
    /// The changes are applied when `body` returns; other threads' writes up to then stay before
    /// them.
    ///
    /// - Throws: What `body` throws, and ``KeyValueError``: `.notLoaded`, `.readOnly`,
    ///   `.timeOutOfRange`.
    public func transaction<Result>(
        _ body: (inout Transaction) throws -> Result
    ) throws -> Result {
        try memory.withLock { memory in try checkWritable(memory) }
        var transaction = Transaction(self)
        let result = try body(&transaction)
        guard !transaction.rows.isEmpty else { return result }
        let rows = transaction.rows
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
        saveSoon()
        return result
    }
}
