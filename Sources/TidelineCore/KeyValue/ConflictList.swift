import KeyValueStore
import Replication

/// The conflicting keys that a query lists. The details of each are read on demand.
struct ConflictList: IndexedRows, Sendable {
    private let context: KeyValueContext
    /// The keys, in list order.
    private let keys: [String]
    /// The instant of the snapshot view; `nil`: now.
    private let instant: Timestamp?
    /// The batch size for reading all conflicts. Each batch opens the logs once.
    private static let readAtOnce = 4_096

    /// Creates the list of all conflicting keys, now or at an instant, in byte order.
    init(_ context: KeyValueContext, at instant: Timestamp?) throws {
        self.init(
            context,
            try instant.map { try context.store.conflictKeys(at: $0) }
                ?? context.store.conflictKeys, at: instant)
    }

    private init(_ context: KeyValueContext, _ keys: [String], at instant: Timestamp?) {
        self.context = context
        self.keys = keys
        self.instant = instant
    }

    var count: Int { keys.count }

    func rows(_ range: Range<Int>) throws -> [Row] {
        let keys = Array(keys[range])
        let found =
            try instant.map { try context.store.conflicts(at: $0, among: keys) }
            ?? context.store.conflicts(among: keys)
        let conflicts = Dictionary(found.map { (Name($0.key), $0) }, uniquingKeysWith: { $1 })
        return keys.map { key in conflicts[Name(key)].map(row) ?? Self.row(ofEnded: key) }
    }

    func index(of row: RowID) -> Int? {
        let name = Name(row.name)
        return keys.firstIndex { Name($0) == name }
    }

    func reversed() -> ConflictList { ConflictList(context, keys.reversed(), at: instant) }

    /// Returns the list filtered and sorted.
    ///
    /// - Throws: Errors from reading the conflicts; `CancellationError`.
    func arranged(_ arrangement: RowArrangement) throws -> ConflictList {
        var arrangement = arrangement
        for start in stride(from: 0, to: count, by: Self.readAtOnce) {
            try Task.checkCancellation()
            arrangement.take(try rows(start..<min(count, start + Self.readAtOnce)))
        }
        return ConflictList(context, arrangement.positions.map { keys[$0] }, at: instant)
    }

    private func row(_ conflict: KeyValueStore.Conflict) -> Row {
        var others = conflict.others.map { "\(context.oneLine($0)) \(context.name(of: $0.device))" }
        others += conflict.unread.keys.filter { $0 != conflict.winner.device }.sorted()
            .map { "(unreadable) \(context.name(of: $0))" }
        return Row(
            id: RowID(conflict.key),
            cells: [
                RowCell(conflict.key, .key),
                RowCell(
                    context.oneLine(conflict.winner), .winner, value: CellValue(conflict.winner)),
                RowCell(context.name(of: conflict.winner.device), .device),
                RowCell(
                    others.joined(separator: " | "), .loser,
                    value: CellValue(ValuesOfDevices(rows: conflict.others))),
                RowCell(
                    conflict.winner.timestamp.iso8601, .timestamp,
                    instant: conflict.winner.timestamp),
            ], device: conflict.winner.device, isConflict: true)
    }

    /// Returns the row of a key whose conflict was resolved since the list was made. The next list
    /// doesn't contain it.
    private static func row(ofEnded key: String) -> Row {
        Row(
            id: RowID(key),
            cells: [RowCell(key, .key)] + Array(repeating: RowCell("…", .dim), count: 4),
            isDimmed: true)
    }
}
