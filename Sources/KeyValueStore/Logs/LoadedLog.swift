import Replication
import Synchronization

/// The content of one log by key: its device's newest row and that row's causal parents.
///
/// The content is collected while a file is read, and discarded if the file changed during the
/// read. After the read, the rows are added to the cache.
struct LoadedLog: ~Copyable {
    struct Newest: BitwiseCopyable {
        var timestamp: Int64
        var id: Int64
        /// The range of the row's causes in `causes`.
        var firstCause: Int
        var causeCount: Int
    }

    /// A field that makes the compiler pass logs by address, as in ``LogsCache``.
    private let inPlace = Atomic(false)

    /// The keys; their numbers are indices into `newest`.
    var keys = KeyTable()
    var newest = GrowingBuffer<Newest>()
    /// In a tideline-2 log, the causal parents by the log's own numbers of writers. In a PARStore 1
    /// log, the timestamps of parents that are not rows of the device itself (the writer is 0).
    var causes = GrowingBuffer<CauseList.Cause>()
    /// The keys whose rows are not a chain.
    var forked: [UInt32] = []
    /// In a PARStore 1 log, the times of all rows; otherwise empty.
    var times = RowTimes()

    /// Records a row of a key. Of two rows with the same time, the later one is the newest.
    @inline(__always)
    mutating func note(_ id: Int64, _ timestamp: Int64, of index: UInt32, isNew: Bool) {
        if isNew {
            newest.append(Newest(timestamp: timestamp, id: id, firstCause: 0, causeCount: 0))
        } else if newest[Int(index)].timestamp <= timestamp {
            newest[Int(index)].timestamp = timestamp
            newest[Int(index)].id = id
        }
    }
}

/// New rows of a log: the newest row per key.
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
    /// The number of rows, including older ones of the same keys.
    var count: Int
    /// The keys in `rows` for which the log's rows are not a chain.
    var forked: Set<[UInt8]> = []
    /// Whether `rows` has the newest rows of all keys, including rows that the store already has
    /// and must skip.
    var isComparison = false
    /// `rows` with all their causal parents, if requested.
    var wholeRows: [LogRow] = []
    var reported = ReportedRows()
}

/// The new rows of a log to report.
struct ReportedRows: Sendable {
    /// The maximum number of rows to report individually.
    private static let limit = 500

    private var rows: ArraySlice<(id: Int64, timestamp: Int64)> = []
    private(set) var oldest: Int64?

    /// The numbers and times of the newest rows, in order of numbers.
    var newest: ArraySlice<(id: Int64, timestamp: Int64)> { rows.suffix(Self.limit) }

    /// Adds a row. Surplus rows are dropped from time to time.
    mutating func note(_ id: Int64, _ timestamp: Int64) {
        if rows.count >= 2 * Self.limit { rows = rows.suffix(Self.limit - 1) }
        rows.append((id, timestamp))
        oldest = min(oldest ?? timestamp, timestamp)
    }
}
