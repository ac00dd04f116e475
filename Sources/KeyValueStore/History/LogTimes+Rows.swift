import Foundation
import GRDB
import Replication

extension LogTimes {
    /// Reads the rows of a log, or only the new ones.
    ///
    /// - Parameter old: The result of an earlier reading, which is extended if the log wasn't
    ///   replaced.
    /// - Complexity: O(*n*) in the new rows; in all rows if the log was replaced or has PARStore
    ///   1's format.
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

    /// Returns whether the log still starts with the rows that were read.
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

/// Keys whose numbers are looked up in batches, under one lock.
struct KeyNumbers {
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

    /// Returns whether `key` is the key that was appended last.
    func ends(with key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !ends.isEmpty else { return false }
        return bytes.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[start...])
                .isEqual(to: UnsafeRawBufferPointer(key))
        }
    }

    /// Returns the numbers of the keys since the last call; `nil` for an unknown key.
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

extension LogReader {
    /// Returns the identity of the log; `nil` for PARStore 1's format, whose rows can all change.
    func identity() throws -> UUID? {
        form.format == .tideline2 ? try LogIdentity.fetch(from: database)?.identity : nil
    }

    /// Calls `body` for each row after the row with the id `last`, in the order of the log. Passes
    /// the row's id, timestamp, and key, and whether it removes the key.
    fileprivate func forEachKey(
        after last: Int64?,
        _ body: (Int64, Int64, UnsafeBufferPointer<UInt8>, _ isRemoval: Bool) -> Void
    ) throws {
        // The type and length of a value are available without loading it.
        let value = form.format == .parstore1 ? values.sql : TidelineLog.isRemoval
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
                let isRemoval = if case .removal = content { true } else { false }
                body(id, timestamp, key, isRemoval)
            }
        }
    }

    func timestamp(ofRow id: Int64) throws -> Int64? {
        let rows = try Stepper(
            database, "SELECT \(form.timestamp) FROM \(form.table) WHERE \(form.id) = ?")
        rows.bind(1, id)
        return try rows.step() ? rows.timestamp(0) : nil
    }
}
