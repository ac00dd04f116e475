import Replication

/// Pending rows of this device. A batch is immutable once it leaves the memory side.
///
/// All bytes are in one block, so that a hundred thousand writes don't need a hundred thousand
/// objects.
struct KeyRowBatch: PendingBatch, Sendable {
    struct Row: Sendable {
        let timestamp: Int64
        /// `nil` for the first row of a key.
        let parentTimestamp: Int64?
        fileprivate let keyStart: Int
        fileprivate let keyLength: Int
        fileprivate let valueLength: Int?
        fileprivate let parents: Range<Int>
        fileprivate let known: Range<Int>
        /// The timestamps of the device's own rows that this row reverts.
        let reverts: [Int64]
    }

    private(set) var rows: [Row] = []
    private var bytes: [UInt8] = []
    private var stamps: [RowStamp] = []

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }

    /// Appends a row.
    ///
    /// - Parameters:
    ///   - parents: The heads that the row supersedes; empty if the only head is the device's own
    ///     previous row.
    ///   - known: For each other device, the newest timestamp of the key that this device had seen.
    ///   - reverts: The timestamps of the device's own rows that the row reverts.
    mutating func append(
        key: UnsafeBufferPointer<UInt8>, value: [UInt8]?, timestamp: Int64,
        parentTimestamp: Int64?, parents: [RowStamp], known: [RowStamp], reverts: [Int64] = []
    ) {
        let start = bytes.count
        bytes.append(contentsOf: key)
        if let value { bytes.append(contentsOf: value) }
        let firstParent = stamps.count
        stamps.append(contentsOf: parents)
        let firstKnown = stamps.count
        stamps.append(contentsOf: known)
        rows.append(
            Row(
                timestamp: timestamp, parentTimestamp: parentTimestamp, keyStart: start,
                keyLength: key.count, valueLength: value?.count,
                parents: firstParent..<firstKnown, known: firstKnown..<stamps.count,
                reverts: reverts))
    }

    /// Appends the rows of a later batch.
    mutating func add(_ later: KeyRowBatch) {
        guard !isEmpty else {
            self = later
            return
        }
        let byteOffset = bytes.count
        let stampOffset = stamps.count
        bytes.append(contentsOf: later.bytes)
        stamps.append(contentsOf: later.stamps)
        rows.append(
            contentsOf: later.rows.map { row in
                Row(
                    timestamp: row.timestamp, parentTimestamp: row.parentTimestamp,
                    keyStart: row.keyStart + byteOffset, keyLength: row.keyLength,
                    valueLength: row.valueLength,
                    parents: row.parents.lowerBound + stampOffset..<row.parents.upperBound
                        + stampOffset,
                    known: row.known.lowerBound + stampOffset..<row.known.upperBound + stampOffset,
                    reverts: row.reverts)
            })
    }

    /// Removes the rows of the keys that match a condition.
    ///
    /// - Returns: Those keys.
    mutating func removeRows(ofKeysWhere isRemoved: ([UInt8]) -> Bool) -> Set<[UInt8]> {
        var removed: Set<[UInt8]> = []
        let kept = rows.filter { row in
            let key = Array(key(of: row))
            guard isRemoved(key) else { return true }
            removed.insert(key)
            return false
        }
        if !removed.isEmpty { self = copy(of: kept) }
        return removed
    }

    private func copy(of rows: [Row]) -> KeyRowBatch {
        var copy = KeyRowBatch()
        for row in rows {
            key(of: row).withUnsafeBufferPointer { key in
                copy.append(
                    key: key, value: value(of: row).map(Array.init), timestamp: row.timestamp,
                    parentTimestamp: row.parentTimestamp, parents: Array(parents(of: row)),
                    known: Array(known(of: row)), reverts: row.reverts)
            }
        }
        return copy
    }

    func parents(of row: Row) -> ArraySlice<RowStamp> { stamps[row.parents] }
    func known(of row: Row) -> ArraySlice<RowStamp> { stamps[row.known] }

    func key(of row: Row) -> ArraySlice<UInt8> { bytes[keyRange(of: row)] }
    func value(of row: Row) -> ArraySlice<UInt8>? { valueRange(of: row).map { bytes[$0] } }

    /// Calls `body` with all bytes, for binding to statements without copying; see
    /// ``keyRange(of:)``.
    func withBytes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBufferPointer(body)
    }

    func keyRange(of row: Row) -> Range<Int> { row.keyStart..<row.keyStart + row.keyLength }

    func valueRange(of row: Row) -> Range<Int>? {
        let start = row.keyStart + row.keyLength
        return row.valueLength.map { start..<start + $0 }
    }
}
