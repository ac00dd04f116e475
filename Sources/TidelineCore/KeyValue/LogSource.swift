import KeyValueStore
import Replication

/// The list of all devices' log rows, newest first.
///
/// Without a filter, the cost of a window depends only on its own rows and a few lookups, not on
/// the length of the logs. With a filter, rows are scanned from the newest until the window is
/// filled.
final class LogSource: RowSource {
    let info = ListInfo(
        "Log", columns: LogItem.schema.columns, filterFields: LogItem.schema.filterFields,
        isNewestFirst: true)
    private let context: KeyValueContext
    private let scans = ResultCache<KeyValueContext.StoreState, LogScan>()

    init(_ context: KeyValueContext) { self.context = context }

    func forgetPast() { scans.forgetPast() }

    /// Returns marks for the newest rows of a sync.
    func marks(ofNew sync: KeyValueStore.Sync) -> [RowID: RowMark] {
        Dictionary(
            sync.newest.map { (LogRows.id(of: $0), .new) }, uniquingKeysWith: { $1 })
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let filter = try Filter(request.query.filter, fields: LogItem.schema.filterFields)
        let rows = LogRows(context: context, instant: request.query.instant)
        var isSearch = false
        if case .search = request.position { isSearch = true }
        if filter.isEmpty, !isSearch { return try await rows.window(request) }
        // A search scans rows in the same way as a filter.
        let state = context.state
        var scan = scans.known(request.query, in: state) ?? LogScan()
        let found = try scan.look(for: request, filter: filter, rows)
        scans.keep(scan, for: request.query, in: state)
        return try await found.window(request)
    }

    private func logRow(_ row: RowID) throws -> LogRow? {
        try LogRows.position(of: row).flatMap { try context.store.rows(at: [$0]).first }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let found = try logRow(row) else { return nil }
        return try context.detail(of: found)
    }

    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? {
        guard let found = try logRow(row) else { return nil }
        return try context.version(version, ofKey: found.key)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let found = try logRow(row) else { return [] }
        let value = try? found.value()
        // A row that deletes its key has no value.
        return (value.map { [CopyForm("value", TypedText($0).text)] } ?? [])
            + [CopyForm("key", found.key), CopyForm("time", found.timestamp.iso8601)]
    }
}

/// The log rows by index, newest first.
struct LogRows: IndexedRows {
    let context: KeyValueContext
    let instant: Timestamp?
    let count: Int
    var store: KeyValueStore { context.store }

    init(context: KeyValueContext, instant: Timestamp?) {
        self.context = context
        self.instant = instant
        let store = context.store
        // An unreadable log has no rows to list, but the store's row count still includes its rows.
        let isWhole = store.devices.allSatisfy { $0.state == .ok || $0.state == .absent }
        count =
            (instant ?? (isWhole ? nil : .latest)).flatMap { try? store.rank(through: $0) }
            ?? store.rowCount
    }

    func rows(_ range: Range<Int>) throws -> [Row] {
        guard !range.isEmpty else { return [] }
        let filter = KeyValueStore.RowFilter(
            through: instant, longestValue: KeyValueContext.longestListed)
        // Read the newest rows directly. For other rows, find a start position by the number of
        // older rows.
        let page: [LogRow]
        if range.lowerBound < 2_000 {
            let newest = try store.rows(filter, .newest, limit: range.upperBound).rows
            page = Array(newest.reversed().dropFirst(range.lowerBound))
        } else {
            let (start, skipped) = try start(rank: count - range.upperBound)
            let following = try store.rows(filter, start, limit: skipped + range.count).rows
            page = following.dropFirst(skipped).prefix(range.count).reversed()
        }
        return try page.map { row(try context.withValue($0)) }
    }

    func row(_ row: LogRow) -> Row { LogItem.schema.row(LogItem(row, in: context)) }

    /// Returns the position at which the row with `rank` older rows is found, and the number of
    /// rows to skip from there.
    private func start(rank: Int) throws -> (KeyValueStore.PageStart, Int) {
        guard rank > 0 else { return (.oldest, 0) }
        // Find the latest instant up to which there are at most `rank` rows.
        let timeline = try store.timeline()
        let first = Timestamp.earliest.microseconds - 1
        let last = Timestamp.latest.microseconds + 1
        var (low, high) = (first, last)
        var lowRank = 0
        var guess = timeline.timestamp(atRank: rank)?.microseconds ?? 0
        var step: Int64 = 1_000_000
        // These numbers are so small that adding two of them can't overflow.
        while high - low > 1, lowRank < rank, rank - lowRank > 500 || low == first {
            guess = min(max(guess, low + 1), high - 1)
            let guessRank = try store.rank(through: Timestamp(microseconds: guess))
            if guessRank <= rank {
                (low, lowRank) = (guess, guessRank)
            } else {
                high = guess
            }
            guess =
                high == last ? low + step : low == first ? high - step : low + (high - low) / 2
            step = min(step * 4, last)
        }
        guard low != first else { return (.oldest, rank) }
        // Start after all rows up to `low`, of any device.
        let next = KeyValueStore.RowPosition(
            timestamp: Timestamp(microseconds: low).successor, device: Self.firstDevice, id: .min)
        return (.after(next), rank - lowRank)
    }

    /// The least identifier in byte order: a single byte, because no identifier is empty.
    private static let firstDevice: DeviceID = {
        guard let device = try? DeviceID("\u{1}") else { preconditionFailure("\\u{1} is a name") }
        return device
    }()

    func index(of row: RowID) throws -> Int? {
        guard let position = Self.position(of: row) else { return nil }
        let rank = try store.rank(through: position.timestamp)
        // Rows of the same instant are ordered by device and number, here in reverse.
        let filter = KeyValueStore.RowFilter(
            from: position.timestamp, through: position.timestamp, longestValue: 0)
        let later = try store.rows(filter, .after(position), limit: 100_000).rows.count
        let index = count - rank + later
        return index >= 0 && index < count ? index : nil
    }

    static func id(of row: LogRow) -> RowID { id(of: row.position) }

    static func id(of row: KeyValueStore.RowPosition) -> RowID {
        RowID("\(row.timestamp.microseconds) \(row.id) \(row.device.name)")
    }

    static func position(of row: RowID) -> KeyValueStore.RowPosition? {
        let parts = row.name.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, let time = Int64(parts[0]), let id = Int64(parts[1]),
            let device = try? DeviceID(String(parts[2]))
        else { return nil }
        return KeyValueStore.RowPosition(
            timestamp: Timestamp(microseconds: time), device: device, id: id)
    }
}

/// A log row in the list.
struct LogItem {
    let row: LogRow
    /// The key that the row wrote, with its value.
    let key: KeyRow
    private let context: KeyValueContext

    init(_ row: LogRow, in context: KeyValueContext) {
        self.row = row
        self.context = context
        key = KeyRow(row)
    }

    static let schema = ListSchema<LogItem>(
        [
            ListColumn(
                "time", "TIME", minimumWidth: 12, width: 14, isSortable: false, .instant,
                example: "time>2026-11-21"
            ) { RowCell(instant: $0.row.timestamp) },
            .device(
                minimumWidth: 6, width: 14, isSortable: false, id: { $0.row.device },
                name: { $0.context.name(of: $0.row.device) }),
            ListColumn(
                "key", "KEY", minimumWidth: 12, leastWidth: 12, isSortable: false,
                example: "key:note/*"
            ) { RowCell($0.row.key, .key) },
            ListColumn(
                "value", "VALUE", minimumWidth: 24, leastWidth: 10, isSortable: false, .value,
                example: "value~/^a/i", value: \.key.comparedValue, cell: \.valueCell),
            ListColumn(
                "parent", "BASED ON", minimumWidth: 12, isSortable: false, .name,
                example: "parent:ipad", aliases: ["based-on", "knowing"]
            ) { RowCell($0.parents, .dim, value: .json($0.parentRecords)) },
            ListColumn(
                Column("id", "ROW", width: 9, alignment: .trailing),
                FilterField("id", .number, example: "row>100", aliases: ["row"])
            ) { RowCell("\($0.row.id)", .number) },
            .field(
                "type", .choice(KeyRow.types), example: "type:date",
                value: \.key.comparedTypes),
            .field("age", .age, example: "age<10m") { .age($0.row.timestamp) },
            .field(KeyRow.sizeField) { .number(Double($0.row.byteCount)) },
        ], id: { LogRows.id(of: $0.row) }, words: { $0.key.contains(where: $1) },
        mark: { $0.device = $1.row.device })

    private var valueCell: RowCell {
        if row.isDeletion { return RowCell("deleted", .deletion, value: .json(.null)) }
        let value = (try? row.value()) ?? nil
        return RowCell(
            context.oneLine(row), value?.role ?? (row.isLeftInLog ? .dim : .problem),
            value: value.map { CellValue($0) })
    }

    /// A short form of the causal parents.
    private var parents: String {
        if let parents = row.parents {
            return parents.map { context.name(of: $0.device) }.joined(separator: "+")
        }
        guard let parent = row.parentTimestamp else { return "first" }
        let span = parent.span(to: row.timestamp)
        return isParstore ? "\(span) before" : "own, \(span) before"
    }

    /// The causal parents as `tideline log --json` prints them.
    private var parentRecords: JSONValue {
        func record(_ device: DeviceID?, _ timestamp: Timestamp) -> JSONValue {
            [
                "device": .optional(device?.name),
                "timestamp": .integer(timestamp.microseconds),
            ]
        }
        if let parents = row.parents {
            return .array(parents.map { record($0.device, $0.timestamp) })
        }
        guard let parent = row.parentTimestamp else { return .array([]) }
        return .array([record(isParstore ? nil : row.device, parent)])
    }

    /// Whether the row's log records the time of its parent, but not the device.
    private var isParstore: Bool {
        context.store.devices.contains { $0.device == row.device && $0.format == .parstore1 }
    }
}
