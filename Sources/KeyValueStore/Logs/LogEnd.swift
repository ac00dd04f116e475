import GRDB
import Replication

/// The end of a log that a batch has to follow.
struct LogEnd {
    /// The log's newest timestamp that is not far ahead of the batch.
    var last: Int64?
    /// Only rows up to this time are moved. Later rows of the batch already follow a row that is
    /// far ahead of the clock, so they keep their timestamps.
    let limit: Int64
    /// The new timestamps of earlier rows that were moved, by key.
    var moved: [[UInt8]: [Int64: Int64]] = [:]

    /// Reads the end of an open log to which `batch` will be appended.
    init(_ head: KeyValueHead, before batch: KeyRowBatch, in database: Database) throws {
        let first = Timestamp(
            microseconds: batch.rows.lazy.map(\.timestamp).min() ?? Timestamp.earliest.microseconds)
        let form: LogForm = head.format == .tideline2 ? .tideline2 : .parstore1
        let newest = try head.newest(
            near: first, in: database, table: form.table, column: form.timestamp)
        last = head.last == nil || newest == .distantPast ? nil : newest.microseconds
        limit = HybridClock.limit(at: first).microseconds
    }
}

extension KeyRowBatch {
    /// Returns the batch with timestamps and parents adjusted to rows that another process of this
    /// device appended since the batch was created. Rows get later timestamps if necessary (data
    /// rule 7), and references to moved rows are updated. Rows that have the same timestamp still
    /// do afterward.
    ///
    /// - Returns: `nil` if the batch needs no change, which costs one comparison per row.
    func following(_ end: inout LogEnd, own: DeviceNumber?) -> KeyRowBatch? {
        guard !rows.isEmpty else { return nil }
        let isLate = end.last.map { last in rows.contains { $0.timestamp <= last } } ?? false
        let hasUnmovedParents =
            end.moved.isEmpty || !rows.contains { end.moved[Array(key(of: $0))] != nil }
        guard isLate || !hasUnmovedParents else { return nil }
        var result = KeyRowBatch()
        var before: (given: Int64, written: Int64)?
        for row in rows {
            let key = Array(key(of: row))
            var timestamp = row.timestamp
            if let before, before.given == timestamp {
                timestamp = before.written
            } else if let last = end.last, timestamp <= end.limit {
                let next = Timestamp(microseconds: last).successor
                timestamp = max(timestamp, min(next, .latest).microseconds)
            }
            before = (row.timestamp, timestamp)
            let moved = end.moved[key] ?? [:]
            let parent = row.parentTimestamp.map { moved[$0] ?? $0 }
            key.withUnsafeBufferPointer { bytes in
                result.append(
                    key: bytes, value: value(of: row).map(Array.init), timestamp: timestamp,
                    parentTimestamp: parent,
                    parents: parents(of: row).map { stamp in
                        guard stamp.device == own else { return stamp }
                        return RowStamp(
                            device: stamp.device,
                            timestamp: moved[stamp.timestamp] ?? stamp.timestamp)
                    }, known: Array(known(of: row)),
                    reverts: row.reverts.map { moved[$0] ?? $0 })
            }
            if timestamp <= end.limit { end.last = max(end.last ?? timestamp, timestamp) }
            if timestamp != row.timestamp {
                end.moved[key, default: [:]][row.timestamp] = timestamp
            }
        }
        return result
    }
}
