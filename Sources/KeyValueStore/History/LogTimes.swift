import Foundation
import Replication

/// The keys and times of one log's rows, in the order of the log.
struct LogTimes: Sendable {
    /// A value that changes with the log, available without reading it.
    struct Sign: Hashable {
        let format: LogFormat?
        let lastID: Int64?
        let rows: Int
        let last: Timestamp?

        init(_ status: DeviceStatus) {
            format = status.format
            lastID = status.lastID
            rows = status.rows
            last = status.last
        }
    }

    let device: DeviceID
    var sign: Sign
    /// The identity of the log; `nil` for PARStore 1's format.
    let identity: UUID?
    /// A value that identifies a complete reading of the log. Adding new rows doesn't change it.
    private(set) var origin = UUID()
    private(set) var timestamps: [Int64] = []
    /// The numbers of the keys, combined with ``removal`` if the row removes its key.
    private(set) var entries: [UInt32] = []
    private var firstID: Int64 = 0
    /// The ids, if they are not consecutive.
    private var ids: [Int64]?
    /// Whether the timestamps never decrease.
    private var isInOrder = true

    static let removal: UInt32 = 1 << 31

    /// Creates an empty list of rows.
    init(device: DeviceID, sign: Sign, identity: UUID?) {
        self.device = device
        self.sign = sign
        self.identity = identity
    }

    /// The id of the first row, if all ids are consecutive.
    var consecutiveFrom: Int64? { ids == nil ? firstID : nil }

    func id(at position: Int) -> Int64 { ids?[position] ?? firstID + Int64(position) }

    /// Returns the number of rows with a timestamp up to `instant`.
    ///
    /// - Complexity: O(log *n*) in the rows if their times are in order, else O(*n*).
    func count(through instant: Timestamp) -> Int {
        isInOrder
            ? end(of: instant.microseconds)
            : timestamps.reduce(0) { $1 <= instant.microseconds ? $0 + 1 : $0 }
    }

    /// Returns the range that contains all rows after one instant and up to another: the full range
    /// if times are not in order.
    func positions(after: Int64, through: Int64) -> Range<Int> {
        guard isInOrder else { return timestamps.indices }
        let start = end(of: after)
        return start..<max(start, end(of: through))
    }

    /// Returns the first position with a timestamp later than `instant`. The timestamps must be in
    /// order.
    private func end(of instant: Int64) -> Int {
        timestamps.indices.firstPosition { timestamps[$0] > instant }
    }

    /// Returns the position of the row with the given id.
    private func position(of id: Int64) -> Int? {
        guard let ids else {
            let (position, overflow) = id.subtractingReportingOverflow(firstID)
            return !overflow && position >= 0 && position < Int64(entries.count)
                ? Int(position) : nil
        }
        let position = ids.indices.firstPosition { ids[$0] >= id }
        return position < ids.count && ids[position] == id ? position : nil
    }
}

// MARK: - Rows while they are read

extension LogTimes {
    /// Appends a row.
    mutating func append(_ id: Int64, _ timestamp: Int64, _ entry: UInt32) {
        if timestamps.isEmpty { firstID = id }
        if let last = timestamps.last, timestamp < last { isInOrder = false }
        if ids == nil, id != firstID &+ Int64(timestamps.count) {
            ids = timestamps.indices.map { firstID + Int64($0) }
        }
        ids?.append(id)
        timestamps.append(timestamp)
        entries.append(entry)
    }

    /// Stores rows that arrive in any order.
    ///
    /// - Precondition: There are no rows yet, and the ids are consecutive numbers from `first` on,
    ///   in any order.
    mutating func place(
        _ rows: (ids: [Int64], timestamps: [Int64], entries: [UInt32]), from first: Int64
    ) {
        firstID = first
        timestamps = Array(repeating: 0, count: rows.ids.count)
        entries = Array(repeating: 0, count: rows.ids.count)
        for (row, id) in rows.ids.enumerated() {
            let position = Int(id - first)
            timestamps[position] = rows.timestamps[row]
            entries[position] = rows.entries[row]
        }
        isInOrder = zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 <= $1 }
    }

    /// Marks a row as a removal of its key, if it is in the list.
    mutating func noteRemoval(_ id: Int64) {
        if let position = position(of: id) { entries[position] |= Self.removal }
    }
}
