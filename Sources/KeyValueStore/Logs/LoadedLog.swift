import Foundation
import Replication
import Synchronization

/// What one log says of each key: its device's newest row and what that knew of others.
///
/// Filled while a file is read and thrown away if the file changed meanwhile; only then its rows
/// go into the cache.
struct LoadedLog: ~Copyable {
    struct Newest: BitwiseCopyable {
        var timestamp: Int64
        var id: Int64
        /// Its part of `causes`.
        var firstCause: Int
        var causeCount: Int
    }

    /// Makes the compiler pass logs by their address, as caches are.
    private let inPlace = Atomic(false)

    /// Keys with their place in `newest`.
    var keys = KeyTable()
    var newest = GrowingBuffer<Newest>()
    /// In a tideline-2 log what rows knew, by the log's own numbers of writers; in a PARStore 1
    /// log the timestamps of parents that are not rows of the device itself (the writer is 0).
    var causes = GrowingBuffer<CauseList.Cause>()
    /// Keys of which the rows are not a chain.
    var forked: [UInt32] = []
    /// In a PARStore 1 log the times of all rows; else empty.
    var times = RowTimes()
}

/// New rows of a log: the newest of each key.
struct LogUpdate: Sendable {
    struct Row: Sendable {
        let key: [UInt8]
        let id: Int64
        let timestamp: Int64
        let value: LoadedValue
        let causes: [CauseList.Cause]
    }

    var head: KeyValueHead
    var rows: [Row]
    /// How many rows there were, older ones of the same keys included.
    var count: Int
    /// Those keys of `rows` of which the log's rows are not a chain.
    var forked: Set<[UInt8]> = []
    /// Whether these are the newest rows of all keys, known ones among them, of a log that is
    /// compared and not trusted.
    var isComparison = false
    /// `rows` with all that their writers knew, where somebody wants them so.
    var wholeRows: [LogRow] = []
    /// What is told of them.
    var told = ToldRows()
}

/// What is told of the new rows of a log.
struct ToldRows: Sendable {
    /// So many are told of one by one.
    private static let limit = 500

    private var rows: ArraySlice<(id: Int64, timestamp: Int64)> = []
    /// When the oldest of all was written.
    private(set) var oldest: Int64?

    /// Number and time of the newest, in the order of their numbers.
    var newest: ArraySlice<(id: Int64, timestamp: Int64)> { rows.suffix(Self.limit) }

    /// Adds a row, and drops those that are too many now and then.
    mutating func note(_ id: Int64, _ timestamp: Int64) {
        if rows.count >= 2 * Self.limit { rows = rows.suffix(Self.limit - 1) }
        rows.append((id, timestamp))
        oldest = min(oldest ?? timestamp, timestamp)
    }
}
