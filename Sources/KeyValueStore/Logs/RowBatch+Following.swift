import Replication

/// What a log holds that a batch on its way to it was made without.
struct LogEnd {
    /// The log's newest timestamp.
    var last: Int64?
    /// The timestamps that rows before these got in place of their own, by key.
    var moved: [[UInt8]: [Int64: Int64]] = [:]

    init(_ head: KeyValueHead) { last = head.last }
}

extension RowBatch {
    /// The batch as it follows on what the log got from another process of this device since the
    /// rows were made: with later timestamps where the log has such (data rule 7), each naming the
    /// causes that it has by the timestamps that these got. Rows of one timestamp keep having one.
    ///
    /// - Parameter own: The number of the device whose log it is.
    /// - Returns: `nil` where the batch follows as it is: at the cost of a comparison.
    /// - Throws: `ReplicationError`, `.timeOutOfRange`, where the log's newest leaves no time.
    func following(
        _ end: inout LogEnd, own: DeviceNumber?
    ) throws(ReplicationError) -> RowBatch? {
        guard let first = rows.first else { return nil }
        let isLate = end.last.map { first.timestamp <= $0 } ?? false
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
            } else if let last = end.last {
                timestamp = max(timestamp, Timestamp(microseconds: last).successor.microseconds)
            }
            guard Timestamp.isRecordable(timestamp) else {
                throw ReplicationError(
                    .timeOutOfRange, "this device's log leaves no time to write at")
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
            end.last = max(end.last ?? timestamp, timestamp)
            if timestamp != row.timestamp {
                end.moved[key, default: [:]][row.timestamp] = timestamp
            }
        }
        return result
    }
}
