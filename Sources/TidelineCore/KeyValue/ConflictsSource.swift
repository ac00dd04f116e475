import KeyValueStore
import Replication

/// The list of keys in conflict, each with its winner and the other sides.
final class ConflictsSource: KeySource {
    private static let columns = [
        Column("key", "KEY", minimumWidth: 12, isSortable: true),
        Column("winner", "WINNER", minimumWidth: 10, isSortable: true),
        Column("device", "DEVICE", minimumWidth: 6, width: 14, isSortable: true),
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
    private let lists = KeptAnswers<KeyValueContext.StoreState, ConflictList>()

    init(_ context: KeyValueContext) { self.context = context }

    func forgetPast() { lists.forgetPast() }

    var info: ListInfo {
        ListInfo(
            "Conflicts", columns: Self.columns, filterFields: Self.fields,
            edits: context.availability.of(.resolve, .set),
            namingColumn: "key")
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let query = request.query
        let (state, mark) = (context.state, { [context] in context.mark(at: query.instant) })
        let all = try lists.answer(to: RowQuery(instant: query.instant), in: state, mark: mark) {
            try ConflictList(context, at: query.instant)
        }
        return try await arranged(all, query, in: state, mark: mark).window(request)
    }

    private func arranged(
        _ all: ConflictList, _ query: RowQuery, in state: KeyValueContext.StoreState,
        mark: () -> Int?
    ) throws -> ConflictList {
        if query.filter.isEmpty {
            guard let sort = query.sort else { return all }
            if sort.column == "key" { return sort.isDescending ? all.reversed() : all }
        }
        return try lists.answer(to: query, in: state, mark: mark) {
            try all.arranged(
                RowArrangement(query, by: info, now: context.store.configuration.clock.now))
        }
    }

    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord] {
        let info = info
        // Conflicts that were resolved since the list was made have no record.
        return rows.filter(\.isConflict).map { RowRecord($0, in: info) }
    }
}
