public import Foundation
import Replication

extension EntityStore {
    /// The entities that a query names, in the interchange format, as UTF-8: the bytes of
    /// ``interchange(_:_:)``, made an entity at a time.
    ///
    /// Relationships are written whether or not their targets are among them.
    ///
    /// - Throws: As ``entities(_:)``; ``EntityStoreError``, `.invalidInterchange`, for an entity of
    ///   a foreign file with an ordinary property that has the name of a fixed one.
    /// - Complexity: O(*n*) in the size of the text, which is in memory as a whole.
    public func export(
        _ form: InterchangeForm = .normalised, _ query: EntityQuery = .all
    ) throws -> Data {
        var writer = InterchangeWriter(form)
        for node in try slice(query) { try writer.append(graph.interchange(of: node, form)) }
        return writer.finish()
    }

    /// The entities that a query names, as a value.
    ///
    /// - Parameter form: Whether each property has all its entries, with datestamps, or the newest
    ///   one without.
    public func interchange(
        _ form: InterchangeForm = .normalised, _ query: EntityQuery = .all
    ) throws -> EntityInterchange {
        EntityInterchange(entities: try slice(query).map { graph.interchange(of: $0, form) })
    }

    /// Takes in an interchange file as ``importInterchange(_:)-(EntityInterchange)`` does.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, saying what is wrong and
    ///   where.
    /// - Complexity: O(*n*) in the size of the text, and one transaction.
    @discardableResult
    public func importInterchange(_ data: Data) throws -> InterchangeSummary {
        try importInterchange(EntityInterchange(data))
    }

    /// Takes in entities: all of them, in one transaction, or none.
    ///
    /// An entity that is there keeps its type and datestamp and gets the entries that it does not
    /// have yet: those with a datestamp take their place in the history, those without become
    /// current. What it had until it was removed stays removed, so that another copy of the store,
    /// or of a device's file, can be taken in. Relationships may point to entities that come later,
    /// or that are not there at all: those wait for them.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, also for what
    ///   ``EntityInterchange/data(_:)`` would not write; as ``add(_:)``.
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

    /// Whether an entity has such an entry, or had it until it was removed. One without a datestamp is
    /// looked for among the current ones only.
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
