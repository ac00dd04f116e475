import KeyValueStore
import Replication

/// The keys on which devices disagree, each with its winner and the others.
final class ConflictsSource: KeySource {
    private static let columns = [
        Column("key", "KEY", minimumWidth: 12, isSortable: true),
        Column("winner", "WINNER", minimumWidth: 10, isSortable: true),
        Column("device", "OF", minimumWidth: 6, width: 14, isSortable: true),
        Column("others", "OTHERS", minimumWidth: 12),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
    ]
    private static let fields = [
        FilterField("key", example: "key:note/*"),
        FilterField("winner", .value, example: "winner~/^a/i"),
        FilterField("device", .name, example: "device:ipad", aliases: ["of"]),
        FilterField("others", example: "others:*ipad*"),
        FilterField("age", .age, example: "age<10m"),
    ]
    let context: KeyValueContext
    private let lists = KeptAnswers<KeyValueContext.StoreState, RowList>()

    init(_ context: KeyValueContext) { self.context = context }

    func forgetPast() { lists.forgetPast() }

    var info: ListInfo {
        ListInfo(
            "Conflicts", columns: Self.columns, filterFields: Self.fields,
            edits: context.availability.of(.resolve, .set),
            namingColumn: "key")
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let instant = request.query.instant
        let list = try lists.answer(
            to: RowQuery(instant: instant), in: context.state,
            mark: { context.mark(at: instant) }
        ) {
            let conflicts =
                try instant.map { try context.store.conflicts(at: $0) }
                ?? context.store.conflicts()
            return RowList(conflicts.map(row))
        }
        return try await list.arranged(
            request.query, by: info,
            now: context.store.configuration.clock.now
        ).window(request)
    }

    private func row(_ conflict: KeyValueStore.Conflict) -> Row {
        var others = conflict.others.map { "\(context.oneLine($0)) \(context.name(of: $0.device))" }
        others += conflict.unread.keys.filter { $0 != conflict.winner.device }.sorted()
            .map { "(not readable) \(context.name(of: $0))" }
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
}
