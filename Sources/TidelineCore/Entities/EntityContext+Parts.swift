import EntityStore
import Replication

/// Edits of one of several values of a property, and of parts inside structured values.
extension EntityContext {
    /// Returns the name of a property entry in a ``FieldPath``.
    static func name(of entry: PropertyEntry.ID) -> String { "\(entry.row) \(entry.device.name)" }

    /// Returns the entry that a field names or, if it names none, the current entry.
    func entry(
        of row: RowID, _ field: FieldPath, in store: isolated EntityStore
    ) throws -> PropertyEntry {
        let record = try record(row.name, in: store)
        let entries = try store.entries(of: [.identifier(row.name)])[0]
        let found = entries.first { entry in
            Name(entry.key) == Name(field.property) && !entry.isRemoved
                && (field.entry.map { Self.name(of: entry.id) == $0 } ?? entry.isCurrent)
        }
        guard let found else {
            throw EditError(
                field.entry == nil ? .notFound : .moved,
                "this value of \(record.title(of: field.property)) no longer exists")
        }
        return found
    }

    /// Replaces an entry with the result of `change`. Other values of the property stay.
    func changing(
        _ row: RowID, _ field: FieldPath, _ shown: EditPreview.Value?,
        in store: isolated EntityStore,
        by change: (EntityValue) throws(EditError) -> EntityValue
    ) throws -> Plan {
        let entry = try entry(of: row, field, in: store)
        let record = try record(row.name, in: store)
        let isInConflict = record.conflicts.contains(Name(field.property))
        let old = entry.property
        let value = try change(old.value)
        guard value != old.value else { throw EditError.sameValue }
        let property = Property(value, type: old.value.kind == value.kind ? old.type : nil)
        return Plan(
            edit: .replace(
                [entry.id], key: field.property, with: property, of: .identifier(row.name)),
            summary: "set \(record.title(of: field.description))",
            changes: [
                self.change(
                    record, field.description, old.value.part(at: field.steps)?.shown, shown)
            ], entities: [row.name],
            warnings: isInConflict
                ? ["the other values of \(field.property) stay, so it is still in conflict"]
                : [])
    }

    func adding(
        _ name: String, _ value: EntityValue, to row: RowID, _ field: FieldPath,
        in store: isolated EntityStore
    ) throws -> Plan {
        var plan = try changing(row, field, nil, in: store) {
            (old: EntityValue) throws(EditError) in
            try old.adding(name, value, at: field.steps)
        }
        let record = try record(row.name, in: store)
        let place = name.isEmpty ? "the end" : name
        plan.summary = try entry(of: row, field, in: store).property.value.summary(
            ofAdding: name, at: field.steps, to: record.title(of: field.description))
        plan.changes = [
            change(record, field.inside(place).description, nil, value.shown)
        ]
        return plan
    }

    func removing(
        _ row: RowID, _ field: FieldPath, in store: isolated EntityStore
    ) throws -> Plan {
        let record = try record(row.name, in: store)
        let title = record.title(of: field.description)
        guard field.steps.isEmpty else {
            var plan = try changing(row, field, nil, in: store) {
                (old: EntityValue) throws(EditError) in
                try old.removing(field.steps)
            }
            plan.summary = "delete \(title)"
            return plan
        }
        let entry = try entry(of: row, field, in: store)
        return Plan(
            edit: .replace([entry.id], key: field.property, with: nil, of: .identifier(row.name)),
            summary: "delete one value of \(title)",
            changes: [change(record, field.property, entry.property.value.shown, nil)],
            entities: [row.name])
    }
}

extension FieldPath {
    /// Whether the path leads to less than a whole property.
    var isPart: Bool { entry != nil || !steps.isEmpty }
}
