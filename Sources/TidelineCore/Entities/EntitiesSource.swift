import EntityStore
import Foundation
import Replication

/// The list of entities: all types in one list, or one type as a table of its properties.
final class EntitiesSource: RowSource {
    private let title: String
    private let schema: ListSchema<EntityRow>
    let context: EntityContext
    /// The type of the listed entities; `nil` for every type.
    let type: String?
    /// Cached lists, because filtering requires reading every entity.
    private let lists: ResultCache<UInt64, EntityList>

    /// Creates the list of all entities.
    init(_ context: EntityContext) {
        self.context = context
        type = nil
        lists = ResultCache()
        title = "Entities"
        schema = EntityRow.flat { context.name(of: $0) }
    }

    /// Creates the table of one type.
    ///
    /// - Parameters:
    ///   - keys: The type's properties, most common first.
    ///   - sample: Some rows, for choosing the column widths.
    private init(
        _ context: EntityContext, type: String, keys: [String], sample: [Row] = [],
        lists: ResultCache<UInt64, EntityList> = ResultCache()
    ) {
        self.lists = lists
        self.context = context
        self.type = type
        title = type.isEmpty ? "(unknown)" : type
        schema = EntityRow.table(keys: keys, sample: sample) { context.name(of: $0) }
    }

    /// Returns the table of one type at an instant.
    ///
    /// - Parameter keys: The type's properties, most common first.
    static func table(
        of type: String, keys: [String], at instant: Timestamp?, in context: EntityContext
    ) async throws -> EntitiesSource {
        let request = WindowRequest(query: RowQuery(instant: instant), count: sampleSize)
        let plain = EntitiesSource(context, type: type, keys: keys)
        return EntitiesSource(
            context, type: type, keys: keys, sample: try await plain.window(request).rows,
            lists: plain.lists)
    }

    private static let sampleSize = 100

    /// Returns the schema with the fields that a filter may name. In the list of all types, a
    /// filter may name any property.
    private func schema(for filter: String, _ store: EntityStore) async -> ListSchema<EntityRow> {
        guard type == nil, !filter.isEmpty else { return schema }
        let keys = Set(await store.keyCounts().values.flatMap(\.keys)).sorted().texts
        return EntityRow.flat(keys: keys) { [context] in context.name(of: $0) }
    }

    var info: ListInfo {
        var edits = context.availability.of(.set, .add, .remove, .relate, .restore)
        if context.conflictCount > 0 { edits[.resolve] = context.availability }
        var info = ListInfo(
            title, columns: schema.columns, filterFields: schema.filterFields, edits: edits,
            valueKinds: [
                .string, .integer, .real, .boolean, .date, .data, .json, .relationship,
            ],
            addForm: AddForm(name: type == nil ? "type" : "identifier", value: "name"))
        info.whyNoPrefix = "only keys can be restored by prefix"
        info.hasAuthors = context.hasAuthors
        return info
    }

    func forgetPast() {
        lists.forgetPast()
        context.forgetPast()
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let store = try await context.store(at: request.query.instant) else {
            return RowWindow(rows: [], start: 0, total: 0, isTotalExact: false)
        }
        let now = request.query.instant ?? Timestamp(Date())
        return try await list(request.query, store, now: now).window(request)
    }

    func values(of field: FilterField, in query: RowQuery) async throws -> [String] {
        if field.name == "type", type == nil, query.filter.isEmpty {
            return try await context.store(at: query.instant)?.typeCounts().keys.sorted().texts
                ?? []
        }
        let name = field.name == "id" ? "identifier" : field.name
        let column = info.columns.firstIndex { $0.id == name || $0.id == "p:" + name }
        guard let column else { return [] }
        let window = try await window(WindowRequest(query: query, count: 1_000))
        return FilterField.values(in: column, of: window.rows)
    }

    /// Returns a function that creates rows. It doesn't capture this source, because the source
    /// caches lists that contain the function.
    private func rows(
        in store: EntityStore
    ) -> @Sendable ([EntityRecord]) async throws -> [Row] {
        { [schema] records in
            let targets = try await Self.targets(of: records, in: store)
            return records.map { schema.row(EntityRow(record: $0, targets: targets)) }
        }
    }

    /// Returns the names of the entities to which `records` are related, by identifier.
    private static func targets(
        of records: [EntityRecord], in store: EntityStore
    ) async throws -> [Name: String] {
        let wanted = Set(records.flatMap(\.targets))
        guard !wanted.isEmpty else { return [:] }
        let found = try await store.records(of: Array(wanted), keys: EntityRecord.nameKeys)
        return Dictionary(
            keepingFirst: found.compactMap { $0 }.map { (Name($0.identifier), $0.name) })
    }

    private func list(
        _ query: RowQuery, _ store: EntityStore, now: Timestamp
    ) async throws -> EntityList {
        let revision = await store.revision
        if let known = lists.known(query, in: revision) { return known }
        let schema = await schema(for: query.filter, store)
        let filter = try Filter(query.filter, fields: schema.filterFields)
        // A filter on a relationship also matches the name of its target.
        let asksForTargets = schema.filterFields.contains {
            ($0.kind == .value || $0 == EntityRow.propertiesField) && filter.asks(for: $0.name)
        }
        var wanted = EntityQuery(types: type.map { [Name($0)] })
        if let sort = query.sort { wanted.order = [Self.order(sort)] }
        let list = try await EntityList(
            store, wanted,
            filter: filter.isEmpty
                ? nil
                : { records in
                    let targets =
                        asksForTargets ? try await Self.targets(of: records, in: store) : [:]
                    return records.map { record in
                        let entity = EntityRow(record: record, targets: targets)
                        return filter.passes(schema.subject(entity, now: now))
                    }
                },
            rows: rows(in: store))
        lists.keep(list, for: query, in: revision)
        return list
    }

    private static func order(_ sort: RowQuery.Sort) -> EntityOrder {
        switch sort.column {
        // The newest date has the lowest age.
        case "age": EntityOrder("modified", descending: !sort.isDescending)
        case let column where column.hasPrefix("p:"):
            EntityOrder(String(column.dropFirst(2)), descending: sort.isDescending)
        default: EntityOrder(sort.column, descending: sort.isDescending)
        }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try await context.detail(ofEntity: row.name, at: instant)
    }

    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? {
        let reference = EntityReference.identifier(row.name)
        guard let key = version.property?.property, let store = context.store,
            let record = try await store.records(of: [reference])[0]
        else { return nil }
        let entry = try await store.entries(of: [reference], keys: [key])[0].first {
            $0.written == version.instant && $0.id.device == version.writer
        }
        guard let entry else { return nil }
        let value = entry.property.value
        var written = [
            Detail.Line("property", entry.key, .key),
            Detail.Line("device", context.name(of: entry.author), .device),
            Detail.Line("time", entry.set.fullText, .timestamp),
        ]
        if !entry.property.hasDefaultType {
            written.append(Detail.Line("type", entry.property.type, .dim))
        }
        if entry.author != entry.id.device || entry.authored != entry.written {
            let writer = context.name(of: entry.id.device)
            written.append(
                Detail.Line("restored", "\(entry.written.fullText)  \(writer)", .timestamp))
        }
        return Detail(
            versionOf: record.title(of: entry.key), written: written, value: value.lines(),
            differences: Detail.Line.differences(from: value, to: record.properties[value: key]))
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        try await context.writtenTexts(ofEntity: row.name, key: part?.property, at: instant)
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        try await conflicts(of: row, at: instant).first
    }

    func conflicts(of row: RowID, at instant: Timestamp?) async throws -> [RowConflict] {
        try await context.conflicts(ofEntities: [row.name], at: instant)[0]
    }

    /// The maximum number of values to show.
    private static let shownWrites = 60

    /// The part is the property. If it is `nil`, the first property in conflict is shown.
    func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail? {
        guard let store = try await context.store(at: instant),
            let conflict = try await store.conflicts(of: [.identifier(row.name)])[0]
                .first(where: { part == nil || Name($0.key) == part.map { Name($0.property) } })
        else { return nil }
        let lineage = try await store.lineage(of: conflict, limit: Self.shownWrites)
        return ConflictDetail(
            sides: context.rowConflict(conflict).sides.map(\.id),
            writes: lineage.writes.map { write in
                let value = write.entry.property.value
                return ConflictDetail.Write(
                    author: .device(write.entry.author), instant: write.entry.set,
                    value: value.shortText, role: value.role, parents: write.parents,
                    side: write.side, isBase: write.entry.id == conflict.base?.id)
            }, hasMoreWrites: lineage.hasMore)
    }

    /// Without a field, the value is that of the property that names the entity.
    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard let store = context.store,
            let record = try await store.records(of: [.identifier(row.name)])[0]
        else { return nil }
        var value: EntityValue?
        if let field, field.isPart {
            value = try await context.entry(of: row, field, in: store).property.value
                .part(at: field.steps)
        } else {
            let nameKey = EntityContext.nameKey(of: record)
            let key = field?.property ?? nameKey
            value = record.properties[value: key]
            if value == nil, Name(key) == Name(nameKey) { return TypedText(.string, "") }
        }
        return value.map { TypedText($0) }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let store = try await context.store(at: instant),
            let record = try await store.records(of: [.identifier(row.name)])[0]
        else { return [] }
        let text = try await store.export(
            .normalized, EntityQuery(where: [.equal("identifier", .string(row.name))]))
        return [
            CopyForm("value", record.name), CopyForm("key", row.name),
            CopyForm("JSON", String(decoding: text, as: UTF8.self)),
        ]
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        try await context.preview(edit, type: type)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview, type: type)
    }
}
