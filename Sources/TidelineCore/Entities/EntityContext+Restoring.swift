import EntityStore
import Replication

/// Edits that restore entities to an earlier time.
extension EntityContext {
    /// The states of entities that edits restore, read from snapshots of the past.
    struct PastStates {
        fileprivate var states: [Edit: [EntityRestoration]] = [:]
    }

    /// Reads the states of entities that edits restore.
    func pastStates(for edits: [Edit]) async throws -> PastStates {
        var past = PastStates()
        for case .restore(let rows, let field, let instant) in edits {
            guard let store = try await store(at: instant) else { continue }
            let states = try await Self.states(rows.map(\.name), field, in: store)
            past.states[.restore(rows, field: field, at: instant)] = states
        }
        return past
    }

    /// Returns the states of entities in a snapshot. If a property is in conflict, its state
    /// contains only the winner's value.
    private static func states(
        _ identifiers: [String], _ field: FieldPath?, in past: isolated EntityStore
    ) throws -> [EntityRestoration] {
        let references = identifiers.map { EntityReference.identifier($0) }
        let records = try past.records(of: references)
        let entries = try past.entries(of: references, keys: field.map { [$0.property] })
        return identifiers.indices.map { index in
            guard let record = records[index] else {
                return EntityRestoration(identifiers[index], creation: nil)
            }
            var properties: [Name: [Property]] = field.map { [Name($0.property): []] } ?? [:]
            for entry in entries[index].reversed() where !entry.isRemoved {
                let key = Name(entry.key)
                guard entry.isCurrent || !record.conflicts.contains(key) else { continue }
                let property = Property(entry.property.value, type: entry.property.type)
                properties[key, default: []].append(property)
            }
            return EntityRestoration(
                identifiers[index],
                creation: .init(type: record.type, datestamp: record.datestamp),
                properties: properties)
        }
    }

    /// Returns the plan that restores entities, or one of their properties.
    func restoring(
        _ edit: Edit, from past: PastStates, in store: isolated EntityStore
    ) throws -> Plan {
        guard case .restore(let rows, let field, let instant) = edit else {
            throw EditError(.unsupported, "the edit doesn't restore anything")
        }
        let subject = try subject(rows, field, in: store)
        let states = past.states[edit] ?? []
        let restored = Set(states.filter { $0.creation != nil }.map { Name($0.identifier) })
        var plan = Plan(
            edit: .restore([]),
            summary: "restore \(subject) as of \(instant.secondText)", changes: [],
            entities: [])
        var needed: [EntityRestoration] = []
        for state in states {
            let record = try store.records(of: [.identifier(state.identifier)])[0]
            var missing: [String] = []
            let found = try state.withoutMissingTargets(noting: &missing) { target in
                try restored.contains(target) || store.resolve([.identifier(target.text)]) != [nil]
            }
            for text in missing { plan.warnings.append(text) }
            guard
                let (state, changes) = try changes(
                    restoring: found, from: record, only: field, in: store)
            else { continue }
            needed.append(state)
            if let conflicts = record?.conflicts, !conflicts.isDisjoint(with: state.properties.keys)
            {
                plan.resolvesConflict = true
            }
            plan.changes += changes
            plan.action.entities.append(state.identifier)
        }
        guard !needed.isEmpty else {
            throw EditError(
                .unchanged,
                "nothing to restore: \(subject) "
                    + (rows.count == 1 ? "is" : "are") + " the same as at that time")
        }
        if needed.count < states.count {
            let count = states.count - needed.count
            plan.warnings.append(
                Counted.text(count, "entity is", "entities are")
                    + " already the same as at that time")
        }
        if let unread = unreadLog(in: store) {
            plan.warnings.append("the values at that time may be newer: \(unread)")
        }
        plan.action.edit = .restore(needed)
        plan.rowCount = needed.count
        return plan
    }

    /// Returns the words for the entities or the property that an edit restores.
    private func subject(
        _ rows: [RowID], _ field: FieldPath?, in store: isolated EntityStore
    ) throws -> String {
        guard rows.count == 1 else {
            return (field.map { "\($0.property) of " } ?? "")
                + Counted.text(rows.count, "entity", "entities")
        }
        let record = try store.records(of: [.identifier(rows[0].name)])[0]
        let name = record?.title ?? rows[0].name
        return field.map { "\(name) › \($0.property)" } ?? name
    }

    /// Returns the writes that restore an entity, with the changes; `nil` if the entity already has
    /// the state.
    private func changes(
        restoring state: EntityRestoration, from record: EntityRecord?, only field: FieldPath?,
        in store: isolated EntityStore
    ) throws -> (state: EntityRestoration, changes: [EditPreview.Change])? {
        var state = state
        guard let creation = state.creation else {
            guard let record else { return nil }
            try requireReadableLogs(toDelete: record.name, in: store)
            guard field == nil else {
                throw EditError(.unsupported, "\(state.identifier) didn't exist at that time")
            }
            let change = EditPreview.Change(
                subject: "\(record.type) \(state.identifier)",
                old: EditPreview.Value(
                    "\(record.name), "
                        + Counted.text(record.properties.count, "property", "properties")),
                new: nil)
            return (state, [change])
        }
        guard let record else {
            guard field == nil else {
                throw EditError(
                    .notFound, "\(state.identifier) was deleted: restore the whole entity")
            }
            let count = Counted.text(state.properties.count, "property", "properties")
            let change = EditPreview.Change(
                subject: "\(creation.type) \(state.identifier)", old: nil,
                new: EditPreview.Value(count))
            return (state, [change])
        }
        let entries = try store.entries(of: [record.reference])[0].filter { !$0.isRemoved }
        let current = Dictionary(grouping: entries.reversed()) { Name($0.key) }
        // A property that was set later is removed.
        if field == nil {
            for key in current.keys where state.properties[key] == nil {
                state.properties[key] = []
            }
        }
        var changes: [EditPreview.Change] = []
        for (key, then) in state.properties.sorted(by: { $0.key < $1.key }) {
            let now = (current[key] ?? []).map {
                Property($0.property.value, type: $0.property.type)
            }
            guard now != then || record.conflicts.contains(key) else {
                state.properties[key] = nil
                continue
            }
            if then.isEmpty {
                try requireReadableLogs(toDelete: "\(record.name) › \(key.text)", in: store)
            }
            changes.append(change(record, key.text, Self.shown(now), Self.shown(then)))
        }
        return changes.isEmpty ? nil : (state, changes)
    }

    /// Throws an error if a log can't be read. That log may contain an item that seems to have been
    /// missing at an earlier time.
    private func requireReadableLogs(
        toDelete item: String, in store: isolated EntityStore
    ) throws(EditError) {
        guard let unread = unreadLog(in: store) else { return }
        throw EditError(.unreadable, "\(item) may have existed at that time: \(unread)")
    }

    /// Returns a clause about a log that can't be read, if there is one.
    private func unreadLog(in store: isolated EntityStore) -> String? {
        for status in store.devices {
            guard let problem = status.unreadProblem else { continue }
            return "the file of \(name(of: status.device)) can't be read: \(problem)"
        }
        return nil
    }

    /// Returns the values of a property as a preview shows them, the current value first.
    private static func shown(_ values: [Property]) -> EditPreview.Value? {
        guard let current = values.last else { return nil }
        var shown = current.value.shown
        if values.count > 1 {
            shown.line = values.reversed().map(\.value.shown.line).joined(separator: ", ")
            shown.whole = nil
        }
        return shown
    }
}

extension EntityRestoration {
    /// Returns the state without relationships to missing entities, and adds a description of each
    /// to `missing`.
    fileprivate func withoutMissingTargets(
        noting missing: inout [String], where exists: (Name) throws -> Bool
    ) throws -> Self {
        var state = self
        for (key, values) in properties {
            let kept = try values.filter { property in
                guard let target = property.value.relationship?.identifier else { return true }
                if try exists(Name(target)) { return true }
                missing.append("\(key.text) of \(identifier): \(target) no longer exists")
                return false
            }
            state.properties[key] = kept
        }
        return state
    }
}

extension EntityContext {
    /// Returns the reason why a write can't be undone, with names as in lists.
    func words(
        _ obstacle: EntityUndoObstacle, in store: isolated EntityStore
    ) throws -> String {
        let record = try store.records(
            of: [.identifier(obstacle.identifier)], keys: EntityRecord.nameKeys)[0]
        let title = record?.title ?? obstacle.identifier
        switch obstacle {
        case .deleted: return "\(title) is already deleted"
        case .restored: return "\(title) exists again"
        case .changed(_, let key): return "\(title) › \(key) has changed since the edit"
        case .written(_, let key, let device, let isOwn, let instant):
            let writer = isOwn ? "this device" : name(of: device)
            let property = key.map { " › \($0)" } ?? ""
            return "\(writer) has since written \(title)\(property), at \(instant.secondText)"
        }
    }
}
