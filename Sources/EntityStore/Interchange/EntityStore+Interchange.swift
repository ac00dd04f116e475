public import Foundation
import Replication

extension EntityStore {
    /// The entities that a query names, in the interchange format, as UTF-8.
    ///
    /// Relationships are written whether or not their targets are among them.
    ///
    /// - Throws: As ``entities(_:)``; ``EntityStoreError``, `.invalidInterchange`, for an entity of
    ///   a foreign file with an ordinary property that has the name of a fixed one.
    /// - Complexity: O(*n*) in the size of the text, which is in memory as a whole.
    public func export(
        _ form: InterchangeForm = .normalised, _ query: EntityQuery = .all
    ) throws -> Data {
        var nodes = try select(query).dropFirst(max(0, query.offset))
        if let limit = query.limit { nodes = nodes.prefix(max(0, limit)) }
        return try InterchangeWriter.write(nodes, of: graph, form)
    }

    /// Takes in entities in the interchange format: all of them, in one transaction, or none.
    ///
    /// An entity that is there keeps its type and datestamp and gets the entries that it does not
    /// have yet: those with a datestamp take their place in the history, those without become
    /// current. Relationships may point to entities that come later in the text, or that are not
    /// there at all: those wait for them.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, saying what is wrong and
    ///   where.
    /// - Complexity: O(*n*) in the size of the text, and one transaction.
    @discardableResult
    public func importInterchange(_ data: Data) throws -> InterchangeSummary {
        let entities = try InterchangeReader.read(data)
        var draft = WriteDraft(makesMissing: false)
        var summary = InterchangeSummary()
        var changed: Set<Name> = []
        for entity in entities {
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
                        entity.identifier, type: entity.type, date: entity.date, in: graph)
                }
            }
            // The newest comes first in the text and must be written last.
            for (key, property) in entity.entries.reversed() {
                if isKnown(property, key, entity.identifier) {
                    summary.knownCount += 1
                    continue
                }
                try draft.append(
                    property, key: key, to: entity.identifier, allowsMissing: true, in: &graph)
                summary.entryCount += 1
                if graph.find(entity.identifier) != nil { changed.insert(entity.identifier) }
            }
        }
        summary.changedCount = changed.count
        try write(draft)
        return summary
    }

    /// Whether an entity has such an entry. One without a datestamp is looked for among the current
    /// ones only.
    private func isKnown(_ property: Property, _ key: String, _ identifier: String) -> Bool {
        guard let slot = slot(identifier, key) else { return false }
        let candidates =
            property.datestamp == nil
            ? [graph.slots[Int(slot)].current].filter { $0 != EntityGraph.none }
            : graph.visibleEntries(of: slot)
        return candidates.contains { number in
            let known = graph.property(of: graph.entries[Int(number)])
            return Name(known.type) == Name(property.type) && known.value.isSame(as: property.value)
                && (property.datestamp == nil || property.datestamp == known.datestamp)
        }
    }
}

extension EntityValue {
    /// Equality in which not-a-number is equal to itself.
    fileprivate func isSame(as other: EntityValue) -> Bool {
        if case (.double(let a), .double(let b)) = (self, other), a.isNaN, b.isNaN { return true }
        return self == other
    }
}
