import Replication

/// A list of rows by writer and timestamp, as stored in the columns `parents` and `known`.
///
///     for each: writer (LEB128: its `ref` in the table `writer`) | timestamp (8 bytes, big-endian)
///
/// Rows are in ascending order of writers and timestamps. In the column `parents` of a row that
/// reverts others, the reverted rows follow after a separator, which is a writer and a timestamp of
/// zero (writers are numbered from 1). Readers that don't support reverting treat them as rows that
/// the writer had seen.
enum CauseList {
    struct Cause: Hashable, Comparable {
        let writer: Int64
        let timestamp: Int64

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.writer, lhs.timestamp) < (rhs.writer, rhs.timestamp)
        }
    }

    static func encode(_ causes: some Sequence<Cause>) -> [UInt8] {
        var bytes: [UInt8] = []
        for cause in causes.sorted() {
            var writer = UInt64(bitPattern: cause.writer)
            while writer >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: writer) | 0x80)
                writer >>= 7
            }
            bytes.append(UInt8(writer))
            let timestamp = UInt64(bitPattern: cause.timestamp)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: timestamp >> UInt64(shift)))
            }
        }
        return bytes
    }

    private static let separator = Cause(writer: 0, timestamp: 0)

    /// Returns the encoded list of a row that reverts others.
    static func encode(
        _ causes: some Sequence<Cause>, reverting rows: some Collection<Cause>
    ) -> [UInt8] {
        rows.isEmpty ? encode(causes) : encode(causes) + encode([separator]) + encode(rows)
    }

    /// Calls `body` with each valid parent, and `reverted` with each reverted row.
    ///
    /// - Parameter leavesOut: Set to `true` if a parent has a time that is invalid for rows.
    /// - Returns: Whether all bytes are a valid list.
    static func forEach(
        _ bytes: UnsafeBufferPointer<UInt8>, leavesOut: inout Bool, _ body: (Cause) -> Void,
        reverted: (Cause) -> Void = { _ in }
    ) -> Bool {
        var isReverted = false
        return forEach(bytes) { cause in
            if cause == separator {
                isReverted = true
            } else if !Timestamp.isRecordable(cause.timestamp) {
                leavesOut = true
            } else if isReverted {
                reverted(cause)
            } else {
                body(cause)
            }
        }
    }

    /// Returns the parents and the reverted rows of a list. Rows of unknown writers are left out.
    static func references(
        _ bytes: UnsafeBufferPointer<UInt8>, _ writers: [Int64: DeviceID]
    ) -> (parents: [LogRow.Reference], reverted: [LogRow.Reference]) {
        var (parents, reverted): ([LogRow.Reference], [LogRow.Reference]) = ([], [])
        func add(_ cause: Cause, to rows: inout [LogRow.Reference]) {
            guard let device = writers[cause.writer] else { return }
            let timestamp = Timestamp(microseconds: cause.timestamp)
            rows.append(LogRow.Reference(device: device, timestamp: timestamp))
        }
        var leavesOut = false
        _ = forEach(bytes, leavesOut: &leavesOut) {
            add($0, to: &parents)
        } reverted: {
            add($0, to: &reverted)
        }
        return (parents, reverted)
    }

    private static func forEach(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Cause) -> Void
    ) -> Bool {
        var position = 0
        while position < bytes.count {
            var writer: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                guard position < bytes.count, shift < 63 else { return false }
                let byte = bytes[position]
                position += 1
                writer |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { break }
                shift += 7
            }
            guard bytes.count - position >= 8 else { return false }
            var timestamp: UInt64 = 0
            for index in position..<position + 8 {
                timestamp = timestamp << 8 | UInt64(bytes[index])
            }
            position += 8
            body(Cause(writer: Int64(bitPattern: writer), timestamp: Int64(bitPattern: timestamp)))
        }
        return true
    }
}
