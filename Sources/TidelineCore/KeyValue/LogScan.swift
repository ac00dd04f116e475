import KeyValueStore
import Replication

/// The rows found so far that match a filter, and the position to continue from.
struct LogScan: Sendable {
    private var found: [KeyValueStore.RowPosition] = []
    private var next = KeyValueStore.PageStart.newest
    private var isComplete = false
    private static let chunk = 2_000
    /// The maximum number of value bytes per batch.
    private static let bytesAtOnce = 16 << 20

    /// Continues the scan until the window is filled.
    mutating func look(
        for request: WindowRequest, filter: Filter, _ rows: LogRows
    ) throws -> some IndexedRows {
        let wanted: Int =
            switch request.position {
            case .index(let index): index.addingReportingOverflow(request.count).0
            case .row(_, _, let fallback): fallback.addingReportingOverflow(request.count).0
            case .search: .max
            }
        try scan(until: wanted < 0 ? .max : wanted, request, filter, rows)
        return FoundRows(positions: found, isCountExact: isComplete, rows: rows)
    }

    private mutating func scan(
        until wanted: Int, _ request: WindowRequest, _ filter: Filter, _ rows: LogRows
    ) throws {
        let now = rows.instant ?? rows.store.configuration.clock.now
        let rowFilter = KeyValueStore.RowFilter(through: request.query.instant)
        while !isComplete, found.count < wanted {
            try Task.checkCancellation()
            let page = try rows.store.rows(
                rowFilter, next, limit: Self.chunk, byteLimit: Self.bytesAtOnce)
            for row in page.rows.reversed()
            where filter.isEmpty
                || filter.passes(
                    LogItem.schema.subject(LogItem(row, in: rows.context), now: now))
            {
                found.append(row.position)
            }
            if let oldest = page.rows.first, page.hasMore {
                next = .before(oldest.position)
            } else {
                isComplete = true
            }
        }
    }
}

/// The log rows found, by index.
private struct FoundRows: IndexedRows {
    let positions: [KeyValueStore.RowPosition]
    let isCountExact: Bool
    let rows: LogRows
    var count: Int { positions.count }

    func rows(_ range: Range<Int>) throws -> [Row] {
        try rows.store.rows(at: Array(positions[range])).map { rows.row($0) }
    }

    func index(of row: RowID) -> Int? {
        LogRows.position(of: row).flatMap { positions.firstIndex(of: $0) }
    }
}
