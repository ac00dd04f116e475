import EntityStore
import Replication

/// The conflicts of entities' properties.
final class EntityConflicts: ConflictListing {
    private let context: EntityContext
    let undoing: any RowSource
    private let lists = ResultCache<UInt64, ListedConflicts>()

    init(_ context: EntityContext, entities: EntitiesSource) {
        self.context = context
        undoing = entities
    }

    var part: String { PaneID.entities.part }
    var edits: [EditKind: Availability] { context.availability.of(.resolve, .set, .restore) }

    func conflicts(at instant: Timestamp?) async throws -> ListedConflicts {
        guard let current = context.store, let store = try await context.store(at: instant) else {
            return ListedConflicts(RowList([]))
        }
        let query = RowQuery(instant: instant)
        return await lists.answer(to: query, in: await current.revision) {
            ListedConflicts(
                EntityConflictList(
                    context: context, store: store, conflicts: await store.conflicts()))
        }
    }

    func forgetPast() { lists.forgetPast() }
}

/// The properties in conflict in one state of a store. The names of entities are read on demand.
private struct EntityConflictList: IndexedRows, Sendable {
    let context: EntityContext
    let store: EntityStore
    let conflicts: [EntityConflict]

    var count: Int { conflicts.count }

    func rows(_ range: Range<Int>) async throws -> [Row] {
        let conflicts = Array(conflicts[range])
        let records = try await store.records(
            of: conflicts.map(\.reference), keys: EntityRecord.nameKeys)
        return zip(conflicts, records).map { conflict, record in
            row(conflict, record?.title ?? conflict.identifier)
        }
    }

    func index(of row: RowID) -> Int? {
        guard let place = ConflictPlace(listed: row) else { return nil }
        let (entity, property) = (Name(place.row), place.property.map { Name($0) })
        let found = conflicts.firstIndex {
            Name($0.identifier) == entity && (property == nil || Name($0.key) == property)
        }
        // A row of the pane Types is a type.
        return found ?? (property == nil ? conflicts.firstIndex { Name($0.type) == entity } : nil)
    }

    private static func place(of conflict: EntityConflict) -> ConflictPlace {
        ConflictPlace(
            part: PaneID.entities.part, row: RowID(conflict.identifier),
            property: FieldPath(conflict.key))
    }

    private func row(_ conflict: EntityConflict, _ name: String) -> Row {
        let sides = conflict.sides
        let others = sides.dropFirst().map {
            "\($0.property.value.shortText) \(context.name(of: $0.author))"
        }
        return Row(
            conflict: Self.place(of: conflict), name: "\(name) › \(conflict.key)",
            kind: "property",
            winner: sides.first.map {
                RowCell(
                    $0.property.value.shortText, .winner, value: CellValue($0.property.value))
            } ?? RowCell(""),
            device: RowCell(sides.first.map { context.name(of: $0.author) } ?? "", .device),
            others: RowCell(others.joined(separator: " | "), .loser),
            instant: sides.first?.set, writer: sides.first?.author)
    }
}
