public import Foundation
import Replication

extension EntityStore {
    /// Exports the entities that match a query in the interchange format, as UTF-8. The bytes are
    /// the same as from ``interchange(_:_:)``, but are produced one entity at a time.
    ///
    /// Relationships are exported whether or not their targets are included.
    ///
    /// - Throws: The errors of ``entities(_:)``; ``EntityStoreError``, `.invalidInterchange`, for
    ///   an entity of a foreign file with an ordinary property named like a fixed one.
    /// - Complexity: O(*n*) in the size of the text, which is held in memory.
    public func export(
        _ form: InterchangeForm = .normalized, _ query: EntityQuery = .all
    ) throws -> Data {
        var writer = InterchangeWriter(form)
        for node in try slice(query) { try writer.append(graph.interchange(of: node, form)) }
        return writer.finish()
    }

    /// Exports the entities that match a query as a value.
    ///
    /// - Parameter form: Whether each property has all its entries with their datestamps, or only
    ///   the newest entry without a datestamp.
    /// - Throws: The errors of ``entities(_:)``.
    /// - Complexity: O(*n*) in the size of the content.
    public func interchange(
        _ form: InterchangeForm = .normalized, _ query: EntityQuery = .all
    ) throws -> EntityInterchange {
        EntityInterchange(entities: try slice(query).map { graph.interchange(of: $0, form) })
    }

    /// Imports an interchange file, as ``importInterchange(_:)-(EntityInterchange)`` does.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, with the problem and its
    ///   position; the errors of ``add(_:)``.
    /// - Complexity: O(*n*) in the size of the text, and one transaction.
    @discardableResult
    public func importInterchange(_ data: Data) throws -> InterchangeSummary {
        try importInterchange(EntityInterchange(data))
    }

    /// Imports entities in one transaction: all or none.
    ///
    /// An existing entity keeps its type and datestamp and gets the entries that it doesn't have
    /// yet. Entries with a datestamp take their place in the history; entries without become
    /// current. Entries that were removed stay removed, even if the imported file is a copy of the
    /// store or of a device's log that still has them. Relationships may point to entities that
    /// come later or that don't exist. Such a relationship takes effect once its target exists.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, also for content that
    ///   ``EntityInterchange/data(_:)`` can't write; the errors of ``add(_:)``.
    @discardableResult
    public func importInterchange(_ interchange: EntityInterchange) throws -> InterchangeSummary {
        var draft = WriteDraft(makesMissing: false)
        let summary = try add(interchange, to: &draft)
        try write(draft)
        return summary
    }

    /// Sets the properties of imported entities, in one transaction: all or none.
    ///
    /// Missing entities are created. As with ``update(_:keepingOthers:)``, a property that already
    /// has the value isn't written, and a written property loses its other entries. A property
    /// without entries is removed. Other properties stay.
    ///
    /// - Throws: As ``importInterchange(_:)-(EntityInterchange)``.
    @discardableResult
    public func setProperties(of interchange: EntityInterchange) throws -> InterchangeSummary {
        var draft = WriteDraft(makesMissing: false)
        let summary = try add(interchange, to: &draft, others: .replaced)
        try write(draft)
        return summary
    }

    /// Makes the store's content equal to `interchange` in one transaction.
    ///
    /// Entities and entries that are only in the store are deleted, and those that are only in
    /// `interchange` are added. Those in both stay unchanged, with their type and creation date. As
    /// with every deletion, other devices also delete the deleted entities and entries.
    ///
    /// - Throws: As ``importInterchange(_:)-(EntityInterchange)``. In that case, nothing changes.
    /// - Complexity: O(*n*) in the number of entries of the store and of `interchange`, and one
    ///   transaction.
    @discardableResult
    public func replace(with interchange: EntityInterchange) throws -> InterchangeSummary {
        var draft = WriteDraft(makesMissing: false)
        let kept = Set(interchange.entities.map { Name($0.identifier) })
        let unwanted = graph.listing().map { graph.identifier(of: $0) }
            .filter { !kept.contains(Name($0)) }
        for identifier in unwanted { draft.delete(identifier, in: graph) }
        var summary = try add(interchange, to: &draft, others: .removed)
        summary.deletedCount = unwanted.count
        try write(draft)
        return summary
    }

    /// Makes the store's content equal to another store's content, as ``replace(with:)`` does.
    ///
    /// - Parameter path: The path of a package, or of the Core Data file of the original Datastore.
    /// - Throws: `ReplicationError`, `.incomplete`, if a part of the other store can't be read; the
    ///   errors of opening it and of ``replace(with:)``. In that case, nothing changes.
    /// - Complexity: As opening the other store, and as ``replace(with:)``.
    @discardableResult
    public func replace(withStoreAt path: String) async throws -> InterchangeSummary {
        let other: EntityStore =
            Self.isCoreData(path)
            ? try await .open(coreData: path) : try await .open(package: path)
        let problem = await other.devices.first { ![.ok, .absent].contains($0.state) }
        let content = try await other.interchange()
        await other.close()
        if let problem {
            throw ReplicationError(
                .incomplete,
                "\(path.quoted) can't replace a store: the file of \(problem.device) can't be read "
                    + "completely")
        }
        return try replace(with: content)
    }

    /// The effect of an import on entries that aren't imported.
    private enum Others {
        case kept
        /// The other entries of written properties are removed. If an imported property has no
        /// values, all entries of the property are removed.
        case replaced
        /// All other entries of an existing entity are removed. Imported entries that were removed
        /// earlier are written again.
        case removed
    }

    /// Adds the operations that import entities.
    private func add(
        _ interchange: EntityInterchange, to draft: inout WriteDraft, others: Others = .kept
    ) throws -> InterchangeSummary {
        var summary = InterchangeSummary()
        var changed: Set<Name> = []
        var madeTypes: [Name: String] = [:]
        for entity in interchange.entities {
            try InterchangeWriter.check(entity)
            let isMade = draft.made.contains(entity.identifier)
            let node = graph.find(entity.identifier)
            let type =
                node.map { graph.names[graph.nodes[Int($0)].type] }
                ?? madeTypes[Name(entity.identifier)]
            if let type, Name(type) != Name(entity.type) {
                summary.notes.append(
                    "\(entity.identifier) keeps the type \(type); the imported type "
                        + "\(entity.type) is ignored")
            }
            if let node {
                if others == .removed, removeEntries(of: node, notIn: entity, &draft) {
                    changed.insert(Name(entity.identifier))
                }
            } else if !isMade {
                summary.madeCount += 1
                if !entity.type.isEmpty {
                    madeTypes[Name(entity.identifier)] = entity.type
                    try draft.create(
                        entity.identifier, type: entity.type, date: entity.datestamp, in: graph)
                }
            }
            let sorted = entity.properties.sorted { $0.key < $1.key }
            for (key, imported) in sorted {
                var properties = imported
                if others == .replaced,
                    replace(key, of: entity.identifier, with: &properties, &draft)
                {
                    summary.removedCount += 1
                    changed.insert(Name(entity.identifier))
                }
                // The newest comes first and must be written last.
                for property in properties.reversed() {
                    if isKnown(
                        property, key.text, entity.identifier, visibleOnly: others == .removed)
                    {
                        summary.knownCount += 1
                        continue
                    }
                    try draft.append(
                        property, key: key.text, to: entity.identifier, allowsMissing: true,
                        in: &graph)
                    summary.entryCount += 1
                    if graph.find(entity.identifier) != nil { changed.insert(entity.identifier) }
                }
            }
        }
        summary.changedCount = changed.count
        return summary
    }

    /// Removes the entries of a property, unless its current value is the imported one.
    ///
    /// - Parameter properties: The imported entries. An entry without a semantic type gets that of
    ///   the current value.
    /// - Returns: Whether all entries of the property are removed and none is added.
    private func replace(
        _ key: Name, of identifier: String, with properties: inout [Property],
        _ draft: inout WriteDraft
    ) -> Bool {
        guard let slot = slot(identifier, key.text), let number = graph.currentEntry(of: slot)
        else { return false }
        let current = graph.property(of: graph.entries[Int(number)])
        for index in properties.indices
        where properties[index].hasDefaultType && properties[index].value.kind == current.value.kind
        {
            properties[index].type = current.type
        }
        if let property = properties.first, current.holds(property) { return false }
        draft.replaceAll(key.text, of: identifier, in: graph)
        return properties.isEmpty
    }

    /// Removes the visible entries that an imported entity doesn't have.
    ///
    /// - Returns: Whether any entry was removed.
    private func removeEntries(
        of node: UInt32, notIn entity: EntityInterchange.Entity, _ draft: inout WriteDraft
    ) -> Bool {
        var removesAny = false
        for slot in graph.sortedSlots(of: node) {
            let key = graph.names[graph.slots[Int(slot)].key]
            let kept = entity.properties[Name(key)] ?? []
            let others = graph.visibleEntries(of: slot).filter { number in
                let property = graph.property(of: graph.entries[Int(number)])
                return !kept.contains { property.holds($0) }
            }
            guard !others.isEmpty else { continue }
            removesAny = true
            draft.remove(
                others.map { graph.id(ofEntry: $0) }, key: key, of: entity.identifier, in: graph)
        }
        return removesAny
    }

    /// Returns whether an entity has or had an entry equal to `property`. Without a datestamp,
    /// `property` is compared only with the current entry.
    ///
    /// - Parameter visibleOnly: Whether to ignore removed entries. If so, `property` is compared
    ///   with all entries that aren't removed, even without a datestamp.
    private func isKnown(
        _ property: Property, _ key: String, _ identifier: String, visibleOnly: Bool
    ) -> Bool {
        guard let slot = slot(identifier, key) else { return false }
        if visibleOnly {
            return graph.visibleEntries(of: slot).contains {
                graph.property(of: graph.entries[Int($0)]).holds(property)
            }
        }
        guard property.datestamp == nil else {
            return graph.hasEntry(of: slot) { graph.property(of: $0).holds(property) }
        }
        guard let current = graph.currentEntry(of: slot) else { return false }
        return graph.property(of: graph.entries[Int(current)]).holds(property)
    }
}
