import EntityStore
import Foundation
import Replication

/// Plans of edits of entities.
///
/// - `set` sets a property. Without a field, it sets the property that names the entity.
/// - `add` with a parent adds an entry to one of the parent's properties. Without a parent, it
///   creates an entity. In a list of one type, the edit's name is the identifier (empty for a
///   random identifier). In the list of all types, the edit's name is the type. The value becomes
///   the property `name`.
/// - `remove` with a field deletes the property. Without a field, it deletes entities.
/// - A field that names one of several values, or a part of a value, affects only that part.
/// - `restore` with a field restores the values that the property had. Without a field, it restores
///   all properties of entities, creates entities that were deleted, and deletes entities that were
///   created later.
/// - `resolve` sets each property in conflict to one value.
/// - `relate` adds a relationship. An edit with a relationship as its value does the same; its text
///   names the target.
extension EntityContext {
    func plan(
        _ edit: Edit, _ past: PastStates, type: String?, in store: isolated EntityStore
    ) throws -> Plan {
        switch edit {
        case .revert(let written): return try undoing(written, in: store)
        case .set(let row, let field?, let text) where field.isPart:
            let value = try value(text, in: store)
            return try changing(row, field, value.shown, in: store) {
                (old: EntityValue) throws(EditError) in
                try old.setting(field.steps, to: value)
            }
        case .add(let name, let parent?, let field?, let text):
            let value = try value(text, in: store)
            return try adding(name, value, to: parent, field, in: store)
        case .rename(let row, let field?, let name) where !field.steps.isEmpty:
            return try changing(row, field, EditPreview.Value(name), in: store) {
                (old: EntityValue) throws(EditError) in
                try old.renaming(field.steps, to: name)
            }
        case .remove(let rows, let field?) where field.isPart:
            guard let row = rows.first, rows.count == 1 else {
                throw EditError(.unsupported, "parts can be deleted from only one entity at a time")
            }
            return try removing(row, field, in: store)
        case .set(let row, let field, let text):
            let record = try record(row.name, in: store)
            let key = field?.property ?? Self.nameKey(of: record)
            let value = try value(text, in: store)
            var properties = PropertyDictionary()
            let old = record.properties[key]
            let isInConflict = record.conflicts.contains(Name(key))
            let values = try store.values(of: key, in: [record.reference])[0]
            // Setting the same value is a change if it replaces other values of the property.
            if !isInConflict, values.count == 1, old?.value == value { throw EditError.sameValue }
            let added = isInConflict ? 0 : values.count - 1
            properties[key] = Property(
                value, type: old?.value.kind == value.kind ? old?.type : nil)
            var plan = try plan(
                .set(record.reference, properties, keepsOthers: false), in: store)
            plan.warnings =
                (isInConflict ? [EditPreview.warning(ofResolving: record.title(of: key))] : [])
                + Self.warnings(ofDeleting: added)
            plan.resolvesConflict = isInConflict
            return plan
        case .add(let key, let parent?, nil, let text):
            let record = try record(parent.name, in: store)
            let value = try value(text, in: store)
            let properties = PropertyDictionary(dictionaryLiteral: (PropertyKey(key), value))
            var plan = try plan(
                .set(record.reference, properties, keepsOthers: true), in: store)
            if record.properties[key] != nil { plan.warnings = [Self.isOneMore(key)] }
            return plan
        case .add(let name, nil, _, let text):
            return try making(name, text, type: type, in: store)
        case .remove(let rows, let field?):
            guard let row = rows.first, rows.count == 1 else {
                throw EditError(
                    .unsupported, "properties can be deleted from only one entity at a time")
            }
            let record = try record(row.name, in: store)
            let key = field.property
            guard record.properties[key] != nil else {
                throw EditError(.notFound, "\(record.name) has no property \(key)")
            }
            return try plan(.remove(keys: [key], of: record.reference), in: store)
        case .remove(let rows, nil): return try deleting(rows, in: store)
        case .relate(let row, let field, let target, let kind):
            let record = try record(row.name, in: store)
            let other = try related(target.name, in: store)
            let value = EntityValue.relationship(other.reference)
            var properties = PropertyDictionary()
            properties[field] = Property(value, type: kind.isEmpty ? nil : kind)
            var shown = value.shown
            if other.name != other.identifier { shown.line += "  \(other.name)" }
            if !kind.isEmpty { shown.line += "  (\(kind))" }
            let ofKind = kind.isEmpty ? "" : " as \(kind)"
            return Plan(
                edit: .set(record.reference, properties, keepsOthers: true),
                summary: "relate \(record.title(of: field)) → \(other.title)\(ofKind)",
                changes: [change(record, field, nil, shown)],
                entities: [row.name, other.identifier],
                warnings: record.properties[field] == nil ? [] : [Self.isOneMore(field)])
        case .resolve(let row, .properties(let resolutions)):
            return try resolving(row, resolutions, in: store)
        case .resolve:
            throw EditError(
                .unsupported, "entity conflicts are resolved per property: specify which")
        case .rename: throw EditError(.unsupported, "identifiers of entities can't be changed")
        case .count:
            throw EditError(.unsupported, "properties can't be incremented: set a new value")
        case .restore: return try restoring(edit, from: past, in: store)
        case .takeOver: throw EditError.takingOverElsewhere
        case .run: throw EditError(.unsupported, "entities have no commands")
        }
    }

    /// Returns the plan of an edit of one property or of whole entities. If the entity of the
    /// property is missing, writing the plan fails.
    func plan(_ edit: EntityEdit, in store: isolated EntityStore) throws -> Plan {
        switch edit {
        case .make(let type, let identifier, let properties):
            let count = Counted.text(properties.count, "property", "properties")
            return Plan(
                edit: edit, summary: "create a \(type)",
                changes: [
                    EditPreview.Change(
                        subject: identifier.map { "\(type) \($0)" } ?? type, old: nil,
                        new: EditPreview.Value(count))
                ], entities: [])
        case .set(let reference, let properties, let keepsOthers):
            let record = try store.records(of: [reference])[0]
            let key = properties.keys.first ?? ""
            let old = keepsOthers ? nil : record?.properties[value: key]
            return plan(edit, key, of: record, old, properties[value: key]) {
                keepsOthers ? "add \(key) to \($0.title)" : "set \($0.title(of: key))"
            }
        case .remove(let keys, let reference):
            let record = try store.records(of: [reference])[0]
            let key = keys.first ?? ""
            return plan(edit, key, of: record, record?.properties[value: key], nil) {
                "delete \($0.title(of: key))"
            }
        case .removeValues(let values, let key, let reference):
            let record = try store.records(of: [reference])[0]
            let value = values.first { $0 == record?.properties[value: key] } ?? values.first
            return plan(edit, key, of: record, value, nil) {
                "delete a value of \($0.title(of: key))"
            }
        case .delete(let references):
            return try deleting(references.map { RowID($0.identifier ?? "") }, in: store)
        default: throw EditError(.unsupported, "entities don't support this edit")
        }
    }

    /// Returns the plan of an edit of one property.
    private func plan(
        _ edit: EntityEdit, _ key: String, of record: EntityRecord?, _ old: EntityValue?,
        _ new: EntityValue?, _ summary: (EntityRecord) -> String
    ) -> Plan {
        guard let record else {
            return Plan(edit: edit, summary: "", changes: [], entities: [])
        }
        return Plan(
            edit: edit, summary: summary(record),
            changes: [change(record, key, old?.shown, new?.shown)],
            entities: [record.identifier])
    }

    /// Returns the warning that the new value doesn't replace the existing value.
    private static func isOneMore(_ key: String) -> String {
        "\(key) already has a value; this adds another one"
    }

    /// Returns the warning of an edit that also deletes values that were added to a property.
    static func warnings(ofDeleting count: Int) -> [String] {
        count > 0
            ? ["\(Counted.text(count, "added value")) of this property will be deleted too"] : []
    }

    func change(
        _ record: EntityRecord, _ key: String, _ old: EditPreview.Value?,
        _ new: EditPreview.Value?
    ) -> EditPreview.Change {
        EditPreview.Change(subject: record.title(of: key), old: old, new: new)
    }

    func record(
        _ identifier: String, in store: isolated EntityStore
    ) throws -> EntityRecord {
        guard let record = try store.records(of: [.identifier(identifier)])[0] else {
            throw EditError(.notFound, "no such entity: \(identifier)")
        }
        return record
    }

    /// The maximum number of entities with the same name that an error lists.
    private static let listedNamesakes = 5

    /// Returns the entity with the given identifier or name.
    ///
    /// - Throws: ``EditError``: `.notFound`; `.invalid` if several entities have the name.
    private func related(
        _ name: String, in store: isolated EntityStore
    ) throws -> EntityRecord {
        if let record = try store.records(of: [.identifier(name)])[0] { return record }
        var found: [EntityRecord] = []
        for key in EntityRecord.nameKeys {
            let query = EntityQuery(where: [.equal(key, .string(name))])
            found += try store.records(of: try store.entities(query)).compactMap(\.self)
        }
        // An earlier value of a property is no longer the name of an entity.
        found = found.filter { $0.name == name }.uniqued { Name($0.identifier) }
        guard let record = found.first else {
            throw EditError(.notFound, "no such entity to relate to: \(name.quoted)")
        }
        guard found.count == 1 else {
            let shown = found.prefix(Self.listedNamesakes).map { "\($0.identifier) (\($0.type))" }
            throw EditError(
                .invalid,
                "\(Counted.text(found.count, "entity", "entities")) are called \(name.quoted): "
                    + shown.joined(separator: ", ") + (found.count > shown.count ? ", …" : "")
                    + "; specify one by its identifier")
        }
        return record
    }

    private func value(
        _ text: TypedText, in store: isolated EntityStore
    ) throws -> EntityValue {
        guard text.kind == .relationship else { return try text.value() }
        let name = text.text.trimmingCharacters(in: .whitespaces)
        return .relationship(try related(name, in: store).reference)
    }

    private func making(
        _ name: String, _ text: TypedText, type: String?, in store: isolated EntityStore
    ) throws -> Plan {
        let kind = type ?? name
        guard !kind.isEmpty else { throw EditError(.invalid, "the type must not be empty") }
        // A random identifier is created when the edit is written, so the preview can't show it.
        let isChosen = type != nil && !name.isEmpty
        let identifier = isChosen ? name : UUID().uuidString
        guard try store.resolve([.identifier(identifier)]) == [nil] else {
            throw EditError(.invalid, "the entity \(identifier.quoted) already exists")
        }
        var properties = PropertyDictionary()
        let value = try value(text, in: store)
        if value != "" { properties["name"] = Property(value) }
        return Plan(
            edit: .make(type: kind, identifier: identifier, properties),
            summary: "create a \(kind)",
            changes: [
                EditPreview.Change(
                    subject: isChosen ? "\(kind) \(identifier)" : kind, old: nil,
                    new: EditPreview.Value(
                        value == "" ? "no properties" : "name \(value.shortText)"))
            ], entities: isChosen ? [identifier] : [])
    }

    /// The maximum number of deleted relationships that a preview lists.
    private static let shownLosses = 200

    /// Returns the plan that deletes entities and the relationships to them.
    private func deleting(_ rows: [RowID], in store: isolated EntityStore) throws -> Plan {
        var changes: [EditPreview.Change] = []
        var losses: [EntityRelation] = []
        var names: [String] = []
        let deleted = Set(rows.map { Name($0.name) })
        for row in rows {
            let record = try record(row.name, in: store)
            names.append(record.title)
            let incoming = try store.relations(to: [record.reference])[0]
            changes.append(
                EditPreview.Change(
                    subject: "\(record.type) \(row.name)",
                    old: EditPreview.Value(
                        "\(record.name), "
                            + Counted.text(record.properties.count, "property", "properties")
                            + ", \(Counted.text(incoming.count, "incoming relationship"))"),
                    new: nil))
            // Don't list relationships between the deleted entities.
            losses += incoming.filter { relation in
                relation.source.identifier.map { !deleted.contains(Name($0)) } ?? false
            }
        }
        let (shown, left) = (losses.prefix(Self.shownLosses), losses.dropFirst(Self.shownLosses))
        let sources = try store.records(of: shown.map(\.source))
        changes += zip(shown, sources).map { relation, source in
            let name = source?.name ?? relation.source.identifier ?? ""
            return EditPreview.Change(
                subject: "\(name) › \(relation.key)",
                old: EntityValue.relationship(relation.target).shown, new: nil)
        }
        return Plan(
            edit: .delete(rows.map { .identifier($0.name) }),
            summary: rows.count == 1
                ? "delete \(names[0])" : "delete \(Counted.grouped(rows.count)) entities",
            changes: changes, entities: rows.map(\.name),
            warnings: left.isEmpty
                ? []
                : [
                    "\(Counted.text(left.count, "more relationship")) to the deleted entities "
                        + (left.count == 1 ? "is" : "are") + " deleted too"
                ])
    }

    private func undoing(
        _ written: EditRecord, in store: isolated EntityStore
    ) throws -> Plan {
        let undo: EntityUndo
        if let id = written.pending {
            guard let known = waiting.undo(of: id) else {
                throw EditError(
                    .unsupported,
                    "can't undo \(written.summary): the program ended before the write was "
                        + "confirmed, so the undo data is missing")
            }
            undo = known
        } else {
            undo = try written.token(EntityUndo.self, of: PaneID.entities.part)
        }
        if let obstacle = store.obstacle(to: undo) {
            let reason = try words(obstacle, in: store)
            throw EditError(.builtOn, "can't undo: \(reason)")
        }
        let warnings = try undo.conflicts.map { identifier, key, devices in
            let record = try store.records(of: [.identifier(identifier)])[0]
            return "\(record?.title ?? identifier) › \(key) will be in conflict again: "
                + devices.map(name(of:)).joined(separator: ", ")
        }
        return Plan(
            edit: .revert(undo), summary: written.lead, changes: written.changes,
            entities: undo.entities.map { $0.identifier ?? "" }, warnings: warnings,
            others: written.others)
    }
}

/// The write of an edit of entities.
struct PlannedEntityWrite {
    var edit: EntityEdit
    /// The affected entities. Before writing, they are checked for changes since the plan was made.
    var entities: [String]
}

extension EditPlan<PlannedEntityWrite> {
    init(
        edit: EntityEdit, summary: String, changes: [EditPreview.Change], entities: [String],
        warnings: [String] = [], others: Int = 0
    ) {
        self.init(
            summary: summary, others: others, changes: changes, warnings: warnings,
            action: PlannedEntityWrite(edit: edit, entities: entities))
    }
}
