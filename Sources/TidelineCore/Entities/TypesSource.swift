import EntityStore
import Replication

/// The list of types in use. Each contains a table of its entities.
final class TypesSource: RowSource {
    private typealias Listed = (type: String, count: Int, keys: [String], isConflict: Bool)

    static let columns = schema.columns
    private static let schema = ListSchema<Listed>(
        [
            ListColumn("type", "TYPE", minimumWidth: 10, example: "type:b*") {
                RowCell($0.type.isEmpty ? "(unknown)" : $0.type, .key)
            },
            ListColumn(
                "entities", "ENTITIES", minimumWidth: 8, width: 10, alignment: .trailing, .number,
                example: "entities>100"
            ) { RowCell(grouped: $0.count) },
            ListColumn(
                "properties", "PROPERTIES", minimumWidth: 12, isSortable: false,
                example: "properties:*author*"
            ) {
                RowCell(
                    $0.keys.joined(separator: ", "),
                    value: .json(.array($0.keys.map(JSONValue.string))))
            },
        ], id: { RowID($0.type) },
        mark: { row, type in
            row.isConflict = type.isConflict
            row.opensList = true
        })
    let info = ListInfo(
        "Types", columns: TypesSource.columns,
        filterFields: TypesSource.schema.filterFields, conflictsHoldLists: true,
        whyNoAlert: "devices write entities, not types")
    let context: EntityContext

    init(_ context: EntityContext) { self.context = context }

    func forgetPast() { context.forgetPast() }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let store = try await context.store(at: request.query.instant) else {
            return RowWindow(rows: [], start: 0, total: 0, isTotalExact: false)
        }
        let counts = await store.typeCounts()
        let keys = await store.keyCounts()
        let inConflict = await store.conflictedTypes
        let types = counts.keys.sorted().texts.map { type in
            (
                type: type, count: counts[type] ?? 0, keys: Self.ordered(keys[type] ?? [:]),
                isConflict: inConflict.contains(Name(type))
            )
        }
        return try await ItemList(types, Self.schema).arrangedWindow(request)
    }

    /// Sorts properties by the number of entities that have them.
    static func ordered(_ counts: [Name: Int]) -> [String] {
        counts.sorted { a, b in
            a.value == b.value ? a.key < b.key : a.value > b.value
        }.map(\.key.text)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let store = try await context.store(at: instant),
            let count = await store.typeCounts()[row.name]
        else { return nil }
        let keys = await store.keyCounts()[row.name] ?? [:]
        return Detail(
            title: row.name.isEmpty ? "(unknown)" : row.name,
            sections: [
                Detail.Section("Type", [Detail.Line("entities", Counted.grouped(count), .number)]),
                Detail.Section(
                    "Properties in use",
                    Self.ordered(keys).map { key in
                        Detail.Line(
                            key, "\(Counted.grouped(keys[key] ?? 0)) of \(Counted.grouped(count))",
                            .number)
                    }),
            ])
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let store = try await context.store(at: instant) else { return nil }
        let keys = await store.keyCounts()[row.name] ?? [:]
        return try await EntitiesSource.table(
            of: row.name, keys: Self.ordered(keys), at: instant, in: context)
    }
}
