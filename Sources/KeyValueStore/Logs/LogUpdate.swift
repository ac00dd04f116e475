import Replication

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
