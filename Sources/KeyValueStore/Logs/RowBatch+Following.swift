import GRDB
import Replication

/// What a log holds that a batch on its way to it was made without.
struct LogEnd {
    /// The log's newest timestamp, of those that are not far ahead of the batch.
    var last: Int64?
    /// Rows with later timestamps follow a row that is far ahead. They keep their timestamps.
    let limit: Int64
    /// The timestamps that rows before these got in place of their own, by key.
    var moved: [[UInt8]: [Int64: Int64]] = [:]

    /// The end of an open log that `batch` is to be appended to.
    init(_ head: KeyValueHead, before batch: RowBatch, in database: Database) throws {
        let first = Timestamp(
            microseconds: batch.rows.lazy.map(\.timestamp).min() ?? Timestamp.earliest.microseconds)
        let form: LogForm = head.format == .tideline2 ? .tideline2 : .parstore1
        let newest = try head.newest(
            near: first, in: database, table: form.table, column: form.timestamp)
        last = head.last == nil || newest == .distantPast ? nil : newest.microseconds
        limit = HybridClock.limit(at: first).microseconds
    }
}

extension RowBatch {
    /// The batch as it follows on what the log got from another process of this device since the
    /// rows were made: with later timestamps where the log has such (data rule 7), each naming the
    /// causes that it has by the timestamps that these got. Rows of one timestamp keep having one.
    ///
    /// - Parameter own: The number of the device whose log it is.
    /// - Returns: `nil` where the batch follows as it is: at the cost of a comparison per row.
    func following(_ end: inout LogEnd, own: DeviceNumber?) -> RowBatch? {
        guard !rows.isEmpty else { return nil }
        let isLate = end.last.map { last in rows.contains { $0.timestamp <= last } } ?? false
        let isAware =
            end.moved.isEmpty || !rows.contains { end.moved[Array(key(of: $0))] != nil }
        guard isLate || !isAware else { return nil }
        var result = RowBatch()
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
                    takesBack: row.takesBack.map { moved[$0] ?? $0 })
            }
            if timestamp <= end.limit { end.last = max(end.last ?? timestamp, timestamp) }
            if timestamp != row.timestamp {
                end.moved[key, default: [:]][row.timestamp] = timestamp
            }
        }
        return result
    }
}
