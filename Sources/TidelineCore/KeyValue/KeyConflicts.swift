import KeyValueStore
import Replication

/// The conflicting keys that a query lists. Their details are read on demand.
struct ConflictList: IndexedRows, Sendable {
    private let context: KeyValueContext
    /// The keys, in list order.
    private let keys: [String]
    /// The instant of the snapshot view; `nil` for now.
    private let instant: Timestamp?

    /// Creates the list of all conflicting keys, now or at an instant, in natural order.
    init(_ context: KeyValueContext, at instant: Timestamp?) throws {
        self.context = context
        self.instant = instant
        keys = try context.conflictKeys(at: instant).inNaturalOrder { $0 }
    }

    var count: Int { keys.count }

    func rows(_ range: Range<Int>) throws -> [Row] {
        let keys = Array(keys[range])
        let conflicts = try context.conflicts(ofKeys: keys, at: instant)
        return keys.map { key in
            conflicts[Name(key)].map(row)
                ?? Row(endedConflict: Self.place(of: key), name: key, kind: Self.kind)
        }
    }

    func index(of row: RowID) -> Int? {
        guard let place = ConflictPlace(listed: row) else { return nil }
        if let folder = RowID(place.row).folderPath {
            return keys.firstIndex { Name($0).hasPrefix(folder) }
        }
        let key = Name(place.row)
        return keys.firstIndex { Name($0) == key }
    }

    private func row(_ conflict: KeyValueStore.Conflict) -> Row {
        var others = conflict.others.map { "\(context.oneLine($0)) \(context.name(of: $0.device))" }
        others += conflict.unread.keys.filter { $0 != conflict.winner.device }.sorted()
            .map { "(unreadable) \(context.name(of: $0))" }
        return Row(
            conflict: Self.place(of: conflict.key), name: conflict.key, kind: Self.kind,
            winner: RowCell(
                context.oneLine(conflict.winner), .winner, value: CellValue(conflict.winner)),
            device: RowCell(context.name(of: conflict.winner.device), .device),
            others: RowCell(
                others.joined(separator: " | "), .loser,
                value: CellValue(DeviceValues(rows: conflict.others))),
            instant: conflict.winner.timestamp, writer: conflict.winner.device)
    }

    private static let kind = "key"

    private static func place(of key: String) -> ConflictPlace {
        ConflictPlace(part: PaneID.keys.part, row: RowID(key))
    }
}

final class KeyConflicts: ConflictListing {
    private let context: KeyValueContext
    let undoing: any RowSource
    private let lists = ResultCache<KeyValueContext.StoreState, ListedConflicts>()

    init(_ context: KeyValueContext, keys: KeysSource) {
        self.context = context
        undoing = keys
    }

    var part: String { PaneID.keys.part }
    var edits: [EditKind: Availability] { context.availability.of(.resolve, .set, .restore) }

    func conflicts(at instant: Timestamp?) throws -> ListedConflicts {
        try lists.answer(
            to: RowQuery(instant: instant), in: context.state,
            mark: { [context] in context.mark(at: instant) }
        ) {
            ListedConflicts(try ConflictList(context, at: instant))
        }
    }

    func forgetPast() { lists.forgetPast() }
}
