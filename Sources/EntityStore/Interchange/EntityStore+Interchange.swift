public import Foundation
import Replication

extension EntityStore {
    /// Exports the entities that match a query in the interchange format, as UTF-8. The bytes equal
    /// those of ``interchange(_:_:)``, but are produced one entity at a time.
    ///
    /// Relationships are exported whether or not their targets are included.
    ///
    /// - Throws: The errors of ``entities(_:)``; ``EntityStoreError``, `.invalidInterchange`, for
    ///   an entity of a foreign file with an ordinary property named like a fixed one.
    /// - Complexity: O(*n*) in the size of the text, which is held in memory.
    public func export(
        _ form: InterchangeForm = .normalised, _ query: EntityQuery = .all
    ) throws -> Data {
        var writer = InterchangeWriter(form)
        for node in try slice(query) { try writer.append(graph.interchange(of: node, form)) }
        return writer.finish()
    }

    /// Exports the entities that match a query as a value.
    ///
    /// - Parameter form: Whether each property has all its entries with datestamps, or only the
    ///   newest without.
    public func interchange(
        _ form: InterchangeForm = .normalised, _ query: EntityQuery = .all
    ) throws -> EntityInterchange {
        EntityInterchange(entities: try slice(query).map { graph.interchange(of: $0, form) })
    }

    /// Imports an interchange file, as ``importInterchange(_:)-(EntityInterchange)`` does.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, with the problem and its
    ///   position.
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
    /// come later or that don't exist; those take effect once the target exists.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, also for content that
    ///   ``EntityInterchange/data(_:)`` can't write; the errors of ``add(_:)``.
    @discardableResult
    public func importInterchange(_ interchange: EntityInterchange) throws -> InterchangeSummary {
        var draft = WriteDraft(makesMissing: false)
        var summary = InterchangeSummary()
        var changed: Set<Name> = []
        for entity in interchange.entities {
            try InterchangeWriter.check(entity)
            let isMade = draft.made.contains(entity.identifier)
            if let node = graph.find(entity.identifier) {
                let type = graph.names[graph.nodes[Int(node)].type]
                if Name(type) != Name(entity.type) {
                    summary.notes.append(
                        "\(entity.identifier) stays a \(type), though the text has it as a "
                            + entity.type)
                }
            } else if !isMade {
                summary.madeCount += 1
                if !entity.type.isEmpty {
                    try draft.create(
                        entity.identifier, type: entity.type, date: entity.datestamp, in: graph)
                }
            }
            let sorted = entity.properties.sorted { $0.key < $1.key }
            for (key, properties) in sorted {
                // The newest comes first and must be written last.
                for property in properties.reversed() {
                    if isKnown(property, key.text, entity.identifier) {
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
        try write(draft)
        return summary
    }

    /// Returns whether an entity has or had such an entry. An entry without a datestamp is compared
    /// only with the current entries.
    private func isKnown(_ property: Property, _ key: String, _ identifier: String) -> Bool {
        guard let slot = slot(identifier, key) else { return false }
        guard property.datestamp == nil else {
            return graph.hasEntry(of: slot) { graph.property(of: $0).holds(property) }
        }
        let current = graph.slots[Int(slot)].current
        return current != EntityGraph.none
            && graph.property(of: graph.entries[Int(current)]).holds(property)
    }
}
