import Foundation
import KeyValueStore
import Replication
import Synchronization

/// The rows of all devices' logs, newest first.
///
/// Without a filter a window costs its own rows and some look-ups, however long the logs are. With
/// one, rows are looked at from the newest on, as far as the window needs.
final class LogSource: RowSource {
    let info = ListInfo(
        "Log",
        columns: [
            Column("time", "TIME", minimumWidth: 12, width: 15),
            Column("device", "DEVICE", minimumWidth: 6, width: 14),
            Column("key", "KEY", minimumWidth: 12),
            Column("value", "VALUE", minimumWidth: 24),
            Column("parent", "KNOWING", width: 12),
            Column("id", "ROW", width: 9, alignment: .trailing),
        ],
        filterFields: [
            FilterField("time", .instant, example: "time>2026-11-21"),
            FilterField("device", .name, example: "device:ipad"),
            FilterField("key", example: "key:note/*"),
            FilterField("value", .value, example: "value~/^a/i"),
            FilterField("parent", example: "knowing:*ipad*", aliases: ["knowing"]),
            FilterField("id", .number, example: "row>100", aliases: ["row"]),
            FilterField("type", .choice(KeyRow.types), example: "type:date"),
            FilterField("age", .age, example: "age<10m"),
            FilterField("size", .size, example: "size>4k"),
        ], newestEnd: .first)

    private let context: KeyValueContext
    private let scans = Mutex<[RowQuery: LogScan]>([:])

    init(_ context: KeyValueContext) { self.context = context }

    /// How many rows of one sync are marked: the newest.
    private static let markedRows = 500

    /// The marks of the rows that a sync brought.
    func marks(ofNew sync: KeyValueStore.Sync) -> [RowID: RowMark] {
        let limit = min(sync.rows, Self.markedRows)
        let page = try? context.store.rows(
            KeyValueStore.RowFilter(devices: [sync.device], longestValue: 0), .newest, limit: limit)
        return Dictionary(
            (page?.rows ?? []).map { (LogRows.id(of: $0), .new) }, uniquingKeysWith: { $1 })
    }

    /// Forgets what was found: new rows may fit.
    func storeChanged() { scans.withLock { $0 = [:] } }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let filter = try Filter(request.query.filter, fields: info.filterFields)
        let rows = LogRows(context: context, instant: request.query.instant)
        var isSearch = false
        if case .search = request.position { isSearch = true }
        if filter.isEmpty, !isSearch { return try rows.window(request) }
        // A search walks the rows as a filter does.
        var scan = scans.withLock { $0[request.query] } ?? LogScan()
        let scanned = try scan.window(request, filter: filter, rows)
        scans.withLock { scans in
            if scans.count > 3 { scans = [:] }
            scans[request.query] = scan
        }
        return scanned
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let position = LogRows.position(of: row),
            let found = try context.store.rows(at: [position]).first
        else { return nil }
        return try context.detail(of: found)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let position = LogRows.position(of: row),
            let found = try context.store.rows(at: [position]).first
        else { return [] }
        let value = try? found.value()
        return [
            CopyForm("value", value.map { TypedText($0).text } ?? ""),
            CopyForm("key", found.key), CopyForm("time", found.timestamp.iso8601),
        ]
    }
}

/// The rows of the logs by number, the newest first.
struct LogRows: IndexedRows {
    private let context: KeyValueContext
    private let instant: Timestamp?
    let count: Int
    private var store: KeyValueStore { context.store }

    init(context: KeyValueContext, instant: Timestamp?) {
        self.context = context
        self.instant = instant
        count =
            instant.flatMap { try? context.store.rank(through: $0) } ?? context.store.rowCount
    }

    func rows(_ range: Range<Int>) throws -> [Row] {
        guard !range.isEmpty else { return [] }
        var filter = KeyValueStore.RowFilter()
        filter.through = instant
        // Near the newest end there is nothing to find first; elsewhere the instant is sought by
        // which that many rows had been written.
        let page: [LogRow]
        filter.longestValue = KeyValueContext.longestListed
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

    /// Where the row begins that has `rank` older ones, and how many rows to pass over from there.
    private func start(rank: Int) throws -> (KeyValueStore.PageStart, Int) {
        guard rank > 0 else { return (.oldest, 0) }
        // The latest instant up to which there are at most `rank` rows.
        let timeline = try store.timeline()
        let first = Timestamp.earliest.microseconds - 1
        let last = Timestamp.latest.microseconds + 1
        var (low, high) = (first, last)
        var lowRank = 0
        var guess = timeline.timestamp(atRank: rank)?.microseconds ?? 0
        var step: Int64 = 1_000_000
        // No sum of two of these numbers overflows.
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
        // All rows up to `low`, of whatever device, come before.
        let next = KeyValueStore.RowPosition(
            timestamp: Timestamp(microseconds: low).successor, device: Self.firstDevice, id: .min)
        return (.after(next), rank - lowRank)
    }

    /// Before every device in byte order.
    private static let firstDevice: DeviceID = {
        // A single byte that no shorter identifier precedes.
        guard let device = try? DeviceID("\u{1}") else { preconditionFailure("\\u{1} is a name") }
        return device
    }()

    func index(of row: RowID) throws -> Int? {
        guard let position = Self.position(of: row) else { return nil }
        let rank = try store.rank(through: position.timestamp)
        // Rows of one instant stand by device and number; the ones after this one come first here.
        var filter = KeyValueStore.RowFilter()
        filter.from = position.timestamp
        filter.through = position.timestamp
        filter.longestValue = 0
        let later = try store.rows(filter, .after(position), limit: 100_000).rows.count
        let index = count - rank + later
        return index >= 0 && index < count ? index : nil
    }

    static func id(of row: LogRow) -> RowID {
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

    func row(_ row: LogRow) -> Row {
        let value = (try? row.value()) ?? nil
        var text =
            row.isDeletion
            ? RowCell("removed", .deletion)
            : RowCell(
                context.oneLine(row), value?.role ?? (row.isLeftInLog ? .dim : .problem))
        text.value = row.isDeletion ? .json(.null) : value.map { CellValue($0) }
        return Row(
            id: Self.id(of: row),
            cells: [
                RowCell(row.timestamp.iso8601, .timestamp, instant: row.timestamp),
                RowCell(context.name(of: row.device), .device), RowCell(row.key, .key), text,
                RowCell(knowing(row), .dim), RowCell("\(row.id)", .number),
            ], device: row.device)
    }

    /// What its writer knew of the key, in short.
    func knowing(_ row: LogRow) -> String {
        if let parents = row.parents {
            return parents.map { context.name(of: $0.device) }.joined(separator: "+")
        }
        guard let parent = row.parentTimestamp else { return "first" }
        let isParstore = context.store.devices.contains {
            $0.device == row.device && $0.format == .parstore1
        }
        let span = KeyValueContext.span(from: parent, to: row.timestamp)
        return isParstore ? "\(span) before" : "own, \(span)"
    }
}

/// The rows found so far that fit a filter, and where to look on.
struct LogScan: Sendable {
    private var found: [KeyValueStore.RowPosition] = []
    private var next = KeyValueStore.PageStart.newest
    private var isComplete = false
    private static let chunk = 2_000

    mutating func window(
        _ request: WindowRequest, filter: Filter, _ rows: LogRows
    ) throws -> RowWindow {
        let wanted: Int =
            switch request.position {
            case .index(let index): index.addingReportingOverflow(request.count).0
            case .row(_, _, let fallback): fallback.addingReportingOverflow(request.count).0
            case .search: .max
            }
        try scan(until: wanted < 0 ? .max : wanted, request, filter, rows)
        let list = FoundRows(positions: found, isCountExact: isComplete, rows: rows)
        return try list.window(request)
    }

    private mutating func scan(
        until wanted: Int, _ request: WindowRequest, _ filter: Filter, _ rows: LogRows
    ) throws {
        var rowFilter = KeyValueStore.RowFilter()
        rowFilter.through = request.query.instant
        while !isComplete, found.count < wanted {
            try Task.checkCancellation()
            let page = try rows.page(rowFilter, next, limit: Self.chunk)
            for row in page.rows.reversed()
            where filter.isEmpty || filter.passes(rows.subject(row)) {
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

extension LogRows {
    /// How many bytes of values are looked at together.
    private static let bytesAtOnce = 16 << 20

    fileprivate func page(
        _ filter: KeyValueStore.RowFilter, _ start: KeyValueStore.PageStart, limit: Int
    ) throws -> KeyValueStore.RowPage {
        try store.rows(filter, start, limit: limit, byteLimit: Self.bytesAtOnce)
    }

    fileprivate func subject(_ row: LogRow) -> LogSubject {
        LogSubject(
            row: row, rows: self,
            key: KeySubject(
                row: KeyRow(row), now: instant ?? store.configuration.clock.now,
                deviceName: context.name(of:)))
    }

    fileprivate func rows(at positions: [KeyValueStore.RowPosition]) throws -> [Row] {
        try store.rows(at: positions).map(row)
    }
}

/// A row of a log as a filter sees it: its key, and how it was written.
private struct LogSubject: FilterSubject {
    let row: LogRow
    let rows: LogRows
    let key: KeySubject

    func contains(where test: (String) -> Bool) -> Bool { key.contains(where: test) }

    func text(of field: String) -> String? {
        switch field {
        case "time": row.timestamp.iso8601
        case "parent": rows.knowing(row)
        default: key.text(of: field)
        }
    }

    func texts(of field: String) -> [String] {
        switch field {
        case "time", "parent": text(of: field).map { [$0] } ?? []
        default: key.texts(of: field)
        }
    }

    func number(of field: String) -> Double? {
        field == "id" ? Double(row.id) : key.number(of: field)
    }

    func instant(of field: String) -> Timestamp? {
        field == "time" ? row.timestamp : key.instant(of: field)
    }
}

/// Rows of the logs that were found, by number.
private struct FoundRows: IndexedRows {
    let positions: [KeyValueStore.RowPosition]
    let isCountExact: Bool
    let rows: LogRows
    var count: Int { positions.count }

    func rows(_ range: Range<Int>) throws -> [Row] { try rows.rows(at: Array(positions[range])) }

    func index(of row: RowID) -> Int? {
        LogRows.position(of: row).flatMap { positions.firstIndex(of: $0) }
    }
}
