package import EntityStore
import KeyValueStore
package import Replication

/// The conflicts of concurrently written properties, and their resolution.
extension EntityContext {
    /// Returns the conflicts of each entity, by key, from the same state of the store.
    func conflicts(
        ofEntities identifiers: [String], at instant: Timestamp?
    ) async throws -> [[RowConflict]] {
        guard let store = try await store(at: instant) else { return identifiers.map { _ in [] } }
        let references = identifiers.map { EntityReference.identifier($0) }
        return try await store.conflicts(of: references).map { conflicts in
            conflicts.map { conflict in
                var shown = rowConflict(conflict)
                let others = conflicts.map(\.key).filter { Name($0) != Name(conflict.key) }
                if !others.isEmpty {
                    shown.notes.append(
                        "further properties in conflict: \(others.joined(separator: ", "))")
                }
                return shown
            }
        }
    }

    func rowConflict(_ conflict: EntityConflict) -> RowConflict {
        let dates = conflict.sides.map(\.set)
        let winner = conflict.sides.first.map { name(of: $0.author) } ?? ""
        let types = conflict.distinguishingTypes(\.shortText)
        let sides = conflict.sides.enumerated().map { index, entry in
            side(
                entry, type: types[index], isWinner: index == 0,
                reason: index == 0
                    ? RowConflict.reasonToWin(dates[0], over: Array(dates.dropFirst()))
                    : RowConflict.reasonToLose(
                        to: winner, isSameAuthor: entry.author == conflict.sides[0].author))
        }
        return RowConflict(
            part: FieldPath(conflict.key), sides: sides,
            base: conflict.base.map { side($0, isWinner: false, reason: "") },
            proposal: proposal(for: conflict))
    }

    private func side(
        _ entry: PropertyEntry, type: String? = nil, isWinner: Bool, reason: String
    ) -> RowConflict.Side {
        let value = entry.property.value
        return RowConflict.Side(
            author: .device(entry.author), value: value.shortText, role: value.role,
            instant: entry.set, isWinner: isWinner, reason: reason, typed: TypedText(value),
            type: type, entry: Self.name(of: entry.id))
    }

    /// Returns the merged value if it differs from every side's value.
    private func proposal(for conflict: EntityConflict) -> RowConflict.Proposal? {
        guard let base = conflict.base.flatMap({ PropertyList(converting: $0.property.value) })
        else { return nil }
        let sides = conflict.sides.map { PropertyList(converting: $0.property.value) }
        guard sides.allSatisfy({ $0 != nil }) else { return nil }
        let merge = PropertyListMerge(sides, base: base)
        guard let merged = merge.value, !sides.contains(merged),
            let value = EntityValue(converting: merged)
        else { return nil }
        return RowConflict.Proposal(
            TypedText(value), value: value.shortText, role: value.role, overlaps: merge.overlaps)
    }

    // MARK: Resolving

    /// Returns the plan that resolves conflicts of an entity's properties.
    func resolving(
        _ row: RowID, _ resolutions: [FieldPath: Edit.Resolution], in store: isolated EntityStore
    ) throws -> Plan {
        let record = try record(row.name, in: store)
        let conflicts = try store.conflicts(of: [record.reference])[0]
        var properties = PropertyDictionary()
        var changes: [EditPreview.Change] = []
        var warnings: [String] = []
        for (path, resolution) in resolutions.sorted(by: {
            Name($0.key.property) < Name($1.key.property)
        }) {
            let key = path.property
            guard let conflict = conflicts.first(where: { Name($0.key) == Name(key) }) else {
                let now = record.properties[key].map {
                    "the value is \(shown($0, comparedTo: nil).line)"
                }
                throw EditError(
                    .moved,
                    "\(record.title(of: key)) is no longer in conflict: \(now ?? "it is not set")")
            }
            let property = try property(for: conflict, by: resolution)
            if case .value(let text) = resolution, let proposal = proposal(for: conflict),
                proposal.typed == text,
                let warning = RowConflict.warning(ofOverlaps: proposal.overlaps)
            {
                warnings.append("\(key): \(warning)")
            }
            properties[key] = property
            let old = record.properties[key]
            changes.append(
                change(
                    record, key, old.map { shown($0, comparedTo: property) },
                    shown(property, comparedTo: old)))
            let values = try store.values(of: key, in: [record.reference])[0]
            warnings += Self.warnings(ofDeleting: values.count - conflict.sides.count)
        }
        let subject =
            changes.count == 1
            ? changes[0].subject
            : "\(Counted.text(changes.count, "property", "properties")) of \(record.title)"
        return Plan(
            edit: .set(record.reference, properties, keepsOthers: false),
            summary: "resolve \(subject)\(takenSide(of: resolutions))",
            changes: changes, entities: [row.name], warnings: warnings)
    }

    /// Returns the end of a summary, which names the device whose values all resolutions take.
    /// Returns an empty text if they take values of several devices.
    private func takenSide(of resolutions: [FieldPath: Edit.Resolution]) -> String {
        let authors = Set(
            resolutions.values.map { resolution -> Author? in
                if case .take(let side) = resolution { side.author } else { nil }
            })
        guard authors.count == 1, let author = authors.first ?? nil else { return "" }
        return " with \(author.name { name(of: $0) })'s value"
    }

    /// Returns a value, with its type if only the type distinguishes it from `other`.
    private func shown(_ property: Property, comparedTo other: Property?) -> EditPreview.Value {
        var shown = property.value.shown
        if let other, other.value.shown.line == shown.line,
            Name(other.type) != Name(property.type)
        {
            shown.line += "  (\(property.type))"
        }
        return shown
    }

    private func property(
        for conflict: EntityConflict, by resolution: Edit.Resolution
    ) throws(EditError) -> Property {
        switch resolution {
        case .take(let side):
            let found = conflict.sides.first {
                side.names(.device($0.author), at: $0.set, entry: Self.name(of: $0.id))
            }
            guard let found else {
                throw EditError(
                    .moved,
                    "\(side.author.name { name(of: $0) })'s side of \(conflict.key) has changed"
                )
            }
            return Property(found.property.value, type: found.property.type)
        case .value(let text):
            let value = try text.value(as: EntityValue.self)
            let type = conflict.sides.first.map(\.property).flatMap {
                $0.value.kind == value.kind ? $0.type : nil
            }
            return Property(value, type: type)
        case .picks, .properties:
            throw EditError(
                .unsupported, "a property can only be resolved as a whole: choose a side")
        }
    }
}

extension PropertyEntry {
    /// The time when the value was set. A value that was restored by undo keeps its time.
    package var set: Timestamp { property.datestamp ?? written }
}
