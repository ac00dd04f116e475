import Foundation
import GRDB
import Replication

extension LogTimes {
    /// Reads the rows of a log, or those that came since.
    ///
    /// - Parameter old: What was read before, which is continued where the log still is the same.
    /// - Complexity: O(*n*) in the rows that are new; in all rows where the log is another one, or
    ///   has PARStore 1's form.
    init(
        extending old: LogTimes?, to sign: Sign, _ reader: LogReader, _ memory: MemoryLock
    ) throws {
        let identity = try reader.identity()
        if let old, try old.isContinued(by: reader, identity) {
            self = old
            self.sign = sign
        } else {
            self.init(device: reader.device, sign: sign, identity: identity)
        }
        try read(reader, memory)
    }

    /// Whether the log still begins with the rows that were read.
    private func isContinued(by reader: LogReader, _ identity: UUID?) throws -> Bool {
        guard let identity, identity == self.identity, let last = timestamps.last else {
            return false
        }
        return try reader.timestamp(ofRow: id(at: timestamps.count - 1)) == last
    }

    private mutating func read(_ reader: LogReader, _ memory: MemoryLock) throws {
        let last = timestamps.isEmpty ? nil : id(at: timestamps.count - 1)
        var keys = KeyNumbers(memory)
        var rows: [(id: Int64, timestamp: Int64, isRemoval: Bool)] = []
        func take(_ times: inout LogTimes) {
            for (row, number) in zip(rows, keys.take()) {
                guard let number else { continue }
                times.append(row.id, row.timestamp, row.isRemoval ? number | Self.removal : number)
            }
            rows.removeAll(keepingCapacity: true)
        }
        try reader.forEachKey(after: last) { id, timestamp, key, isRemoval in
            keys.append(key)
            rows.append((id, timestamp, isRemoval))
            if keys.isFull { take(&self) }
        }
        take(&self)
    }
}

/// Keys whose numbers are looked up some at a time, under one lock.
private struct KeyNumbers {
    private let memory: MemoryLock
    private var bytes: [UInt8] = []
    private var start = 0
    private var ends: [Int] = []

    init(_ memory: MemoryLock) { self.memory = memory }

    var isFull: Bool { ends.count == 4_096 }

    mutating func append(_ key: UnsafeBufferPointer<UInt8>) {
        start = bytes.count
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
    }

    /// Whether `key` is the one that was appended last.
    func ends(with key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !ends.isEmpty, bytes.count - start == key.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[start...])
                .compare(to: UnsafeRawBufferPointer(key)) == 0
        }
    }

    /// The numbers of the keys since the last call; `nil` for a key that the store does not know.
    mutating func take() -> [UInt32?] {
        defer {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
        }
        return memory.withLock { memory in
            bytes.withUnsafeBufferPointer { bytes in
                var start = 0
                return ends.map { end in
                    defer { start = end }
                    let key = UnsafeBufferPointer(rebasing: bytes[start..<end])
                    return memory.cache.index(ofKey: key).flatMap {
                        $0 < LogTimes.removal ? $0 : nil
                    }
                }
            }
        }
    }
}

// MARK: - A whole log by its index of keys

extension LogTimes {
    /// The rows of a log in the order of its index of keys, in which the rows of a key stand
    /// together: each key is looked up once, and no value is passed by.
    struct ByKey: Sendable {
        fileprivate let identity: UUID?
        fileprivate var ids: [Int64] = []
        fileprivate var timestamps: [Int64] = []
        /// Numbers of keys.
        fileprivate var entries: [UInt32] = []

        /// - Parameter count: How many rows are expected.
        /// - Throws: Also where the log lacks the index.
        init(_ reader: LogReader, _ memory: MemoryLock, count: Int) throws {
            identity = try reader.identity()
            ids.reserveCapacity(count)
            timestamps.reserveCapacity(count)
            entries.reserveCapacity(count)
            var keys = KeyNumbers(memory)
            // Where the rows end of each key that waits to be looked up.
            var ends: [Int] = []
            let lastID = reader.lastID ?? .max
            let rows = try reader.rowsByKey()
            while try rows.step() {
                guard let id = rows.integer(0), id <= lastID, let timestamp = rows.timestamp(1),
                    let key = rows.text(2)
                else { continue }
                if !keys.ends(with: key) {
                    if !ids.isEmpty { ends.append(ids.count) }
                    if keys.isFull { number(keys.take(), &ends) }
                    keys.append(key)
                }
                ids.append(id)
                timestamps.append(timestamp)
            }
            if !ids.isEmpty { ends.append(ids.count) }
            number(keys.take(), &ends)
        }

        /// Without the rows behind one.
        fileprivate func through(_ last: Int64) -> ByKey {
            guard ids.contains(where: { $0 > last }) else { return self }
            let kept = ids.indices.filter { ids[$0] <= last }
            var result = self
            result.ids = kept.map { ids[$0] }
            result.timestamps = kept.map { timestamps[$0] }
            result.entries = kept.map { entries[$0] }
            return result
        }

        private mutating func number(_ numbers: [UInt32?], _ ends: inout [Int]) {
            for (number, end) in zip(numbers, ends) {
                entries += repeatElement(number ?? LogsCache.none, count: end - entries.count)
            }
            ends.removeAll(keepingCapacity: true)
        }
    }

    /// The rows of a log that remove their keys.
    struct Removals: Sendable {
        fileprivate let identity: UUID?
        fileprivate var ids: [Int64] = []
        /// The last row that there was: later ones may remove keys too.
        fileprivate var last = Int64.min

        init(_ reader: LogReader) throws {
            identity = try reader.identity()
            last = try reader.lastRow() ?? .min
            let rows = try reader.removals()
            while try rows.step() {
                if let id = rows.integer(0) { ids.append(id) }
            }
        }
    }

    /// Puts together what two readings of a log found, as far as both saw it.
    ///
    /// - Returns: `nil` if they were of different logs, or the index lacks rows.
    init?(_ rows: ByKey, _ removals: Removals, device: DeviceID, sign: Sign) {
        let rows = rows.through(removals.last)
        guard let identity = rows.identity, identity == removals.identity,
            rows.ids.count >= sign.rows
        else { return nil }
        self.init(device: device, sign: sign, identity: identity)
        fill(rows)
        for id in removals.ids { noteRemoval(id) }
    }

    private mutating func fill(_ rows: ByKey) {
        guard let first = rows.ids.min(), let last = rows.ids.max() else { return }
        let (distance, overflow) = last.subtractingReportingOverflow(first)
        guard !overflow, distance == Int64(rows.ids.count - 1),
            !rows.entries.contains(LogsCache.none)
        else {
            // Some numbers are missing.
            let order = rows.ids.indices.sorted { rows.ids[$0] < rows.ids[$1] }
            for row in order where rows.entries[row] != LogsCache.none {
                append(rows.ids[row], rows.timestamps[row], rows.entries[row])
            }
            return
        }
        place((rows.ids, rows.timestamps, rows.entries), from: first)
    }
}

extension LogReader {
    fileprivate func identity() throws -> UUID? {
        form.format == .tideline2 ? try LogIdentity.fetch(from: database)?.identity : nil
    }

    /// Calls `body` with number, timestamp and key of all rows behind one, in the order of the log,
    /// and whether they remove the key.
    fileprivate func forEachKey(
        after last: Int64?,
        _ body: (Int64, Int64, UnsafeBufferPointer<UInt8>, _ isRemoval: Bool) -> Void
    ) throws {
        // Type and length of a value are known without loading it.
        let value = form.format == .parstore1 ? values.sql : isRemoval
        let rows = try Stepper(
            database,
            """
            SELECT \(form.id), \(form.timestamp), \(form.key), \(value) FROM \(form.table)
            WHERE \(form.id) > ? AND \(form.id) <= ? ORDER BY \(form.id)
            """)
        rows.bind(1, last ?? .min)
        rows.bind(2, lastID ?? .max)
        while try rows.step() {
            guard let id = rows.integer(0), let timestamp = rows.timestamp(1),
                let key = rows.text(2)
            else { continue }
            if form.format == .tideline2 {
                body(id, timestamp, key, rows.integer(3) == 1)
            } else {
                let content = values.content(rows, 3)
                guard ParstoreLog.countsAsValue(content) else { continue }
                if case .removal = content {
                    body(id, timestamp, key, true)
                } else {
                    body(id, timestamp, key, false)
                }
            }
        }
    }

    private var isRemoval: String {
        "typeof(\(form.value)) <> 'blob' OR length(\(form.value)) = 0"
    }

    /// Number, timestamp and key of all rows, key by key.
    fileprivate func rowsByKey() throws -> Stepper {
        try Stepper(
            database,
            """
            SELECT \(form.id), \(form.timestamp), \(form.key) FROM \(form.table)
            INDEXED BY log_key ORDER BY \(form.key)
            """)
    }

    /// The numbers of all rows that remove their keys, in the order of the log.
    fileprivate func removals() throws -> Stepper {
        try Stepper(
            database, "SELECT \(form.id) FROM \(form.table) WHERE \(isRemoval) ORDER BY \(form.id)")
    }

    fileprivate func lastRow() throws -> Int64? {
        let rows = try Stepper(database, "SELECT max(\(form.id)) FROM \(form.table)")
        return try rows.step() ? rows.integer(0) : nil
    }

    fileprivate func timestamp(ofRow id: Int64) throws -> Int64? {
        let rows = try Stepper(
            database, "SELECT \(form.timestamp) FROM \(form.table) WHERE \(form.id) = ?")
        rows.bind(1, id)
        return try rows.step() ? rows.timestamp(0) : nil
    }
}
