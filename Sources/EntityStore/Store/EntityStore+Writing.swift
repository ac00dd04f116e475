import Replication

extension EntityStore {
    /// Finds the entities that references name, making those that are missing and say how.
    ///
    /// - Returns: For each reference the entity, or `nil`.
    /// - Throws: ``EntityStoreError`` with code `.readOnly` when something would have to be made in
    ///   a store that is only read; nothing is written then.
    /// - Complexity: A look-up for a reference with an identifier, a query for any other.
    public func resolve(_ references: [EntityReference]) throws -> [EntityReference?] {
        var draft = WriteDraft()
        var found: [EntityReference?] = []
        for reference in references {
            let identifier = try draft.resolve(reference, in: &graph)
            found.append(identifier.map { .identifier($0) })
        }
        // Looking alone must work in a store that is only read.
        if !draft.operations.isEmpty { try write(draft) }
        return found
    }

    /// Gives properties further entries, which become their current values. The older entries stay:
    /// as history, or as further values.
    ///
    /// Entities that are missing are made if their references say how, also those that values and
    /// keys refer to. All of it is one transaction.
    ///
    /// - Returns: The entities, in the order of `properties`.
    /// - Throws: ``EntityStoreError``: `.noSuchEntity`, `.invalidName` for a fixed property,
    ///   `.invalidValue`, `.readOnly`, `.ownLogUnreadable`; `ReplicationError` from the file.
    ///   Nothing is written then.
    /// - Complexity: O(*n*) in the number of properties and the size of their values, and one
    ///   transaction.
    @discardableResult
    public func add(
        _ properties: [(entity: EntityReference, properties: PropertyDictionary)]
    ) throws -> [EntityReference] {
        try put(properties, replacing: false)
    }

    /// Gives properties one value: as ``add(_:)``, and takes back the other entries, as far as this
    /// store has seen them.
    ///
    /// - Returns: The entities, in the order of `properties`.
    /// - Throws: As ``add(_:)``.
    /// - Complexity: As ``add(_:)``, and O(*n*) in the number of entries that the properties had.
    @discardableResult
    public func set(
        _ properties: [(entity: EntityReference, properties: PropertyDictionary)]
    ) throws -> [EntityReference] {
        try put(properties, replacing: true)
    }

    private func put(
        _ properties: [(entity: EntityReference, properties: PropertyDictionary)],
        replacing: Bool
    ) throws -> [EntityReference] {
        var draft = WriteDraft()
        var entities: [EntityReference] = []
        entities.reserveCapacity(properties.count)
        for (reference, properties) in properties {
            let identifier = try existing(reference, &draft)
            try draft.add(properties, to: identifier, replacing: replacing, in: &graph)
            entities.append(.identifier(identifier))
        }
        try write(draft)
        return entities
    }

    /// Points from entities to others: for each, one more entry of `key`.
    ///
    /// - Parameter type: The kind of relationship.
    /// - Returns: The sources, in the order of `pairs`.
    /// - Throws: As ``add(_:)``.
    /// - Complexity: As ``add(_:)``.
    @discardableResult
    public func relate(
        _ pairs: [(source: EntityReference, target: EntityReference)], key: String,
        type: String? = nil
    ) throws -> [EntityReference] {
        try add(
            pairs.map { source, target in
                var properties = PropertyDictionary()
                properties[key] = Property(.relationship(target), type: type)
                return (source, properties)
            })
    }

    /// Takes back every entry of these properties, as far as this store has seen them.
    ///
    /// - Returns: What ``restore(_:)`` needs to take it back.
    /// - Throws: As ``add(_:)``; `.noSuchEntity` for an entity that is not there.
    /// - Complexity: O(*n*) in the number of entries that the properties had, and one transaction.
    @discardableResult
    public func remove(
        _ keys: [String], of references: [EntityReference]
    ) throws -> EntityRemoval {
        var draft = WriteDraft(makesMissing: false)
        var removal = EntityRemoval()
        for reference in references {
            let identifier = try existing(reference, &draft)
            for key in Set(keys).sorted() {
                guard let slot = slot(identifier, key) else { continue }
                removal.operations += graph.restoration(of: graph.visibleEntries(of: slot))
                draft.removeAll(key, of: identifier, in: graph)
            }
        }
        try write(draft)
        return removal
    }

    /// Takes back single entries of a property: values of one that has many.
    ///
    /// Entries that are not there or do not count are passed over.
    ///
    /// - Returns: What ``restore(_:)`` needs to take it back.
    /// - Throws: As ``add(_:)``; `.noSuchEntity` for an entity that is not there.
    /// - Complexity: O(*n*) in the number of entries that the property has or had, and one
    ///   transaction.
    @discardableResult
    public func remove(
        _ entries: [PropertyEntry.ID], key: String, of reference: EntityReference
    ) throws -> EntityRemoval {
        var draft = WriteDraft(makesMissing: false)
        let identifier = try existing(reference, &draft)
        let visible = visible(entries, of: identifier, key)
        draft.remove(visible.entries, key: key, of: identifier, in: graph)
        try write(draft)
        return EntityRemoval(operations: graph.restoration(of: visible.numbers))
    }

    /// Takes back those values of a property that are among `values`: one of several that it has.
    ///
    /// Integers and doubles are compared as numbers. What has no such value is left as it is, and
    /// the removal is empty.
    ///
    /// - Returns: What ``restore(_:)`` needs to take it back.
    /// - Throws: As ``add(_:)``; `.noSuchEntity` for an entity that is not there.
    /// - Complexity: O(the entries of the property).
    @discardableResult
    public func remove(
        values: [EntityValue], key: String, of reference: EntityReference
    ) throws -> EntityRemoval {
        var draft = WriteDraft(makesMissing: false)
        let identifier = try existing(reference, &draft)
        let taken = try remove(values, key, of: identifier, &draft)
        try write(draft)
        return EntityRemoval(operations: taken)
    }

    /// - Returns: What writes anew what is taken back.
    func remove(
        _ values: [EntityValue], _ key: String, of identifier: String, _ draft: inout WriteDraft
    ) throws(EntityStoreError) -> [EntityOperation] {
        let test = try ValueTest(.isIn(values), in: graph)
        guard let slot = slot(identifier, key) else { return [] }
        let numbers = graph.visibleEntries(of: slot).filter {
            test.passes(graph.entries[Int($0)], in: graph)
        }
        draft.remove(
            numbers.map { graph.id(of: graph.entries[Int($0)]) }, key: key, of: identifier,
            in: graph)
        return graph.restoration(of: numbers)
    }

    /// Deletes entities with their properties and the relationships to them. References that name
    /// nothing are passed over.
    ///
    /// - Returns: What ``restore(_:)`` needs to take it back.
    /// - Throws: As ``add(_:)``, but for entities that are not there.
    /// - Complexity: O(*n*) in the number of the entities' entries and of relationships to them,
    ///   and one transaction.
    @discardableResult
    public func delete(_ references: [EntityReference]) throws -> EntityRemoval {
        var draft = WriteDraft(makesMissing: false)
        var identifiers: Set<Name> = []
        var nodes: [UInt32] = []
        for reference in references {
            guard let identifier = try draft.resolve(reference, in: &graph),
                identifiers.insert(identifier), let node = graph.find(identifier)
            else { continue }
            nodes.append(node)
            draft.delete(identifier, in: graph)
        }
        let removal = EntityRemoval(
            operations: graph.restoration(ofEntities: nodes), entityCount: nodes.count)
        try write(draft)
        return removal
    }

    /// Deletes every entity.
    ///
    /// - Returns: What ``restore(_:)`` needs to take it back.
    /// - Throws: As ``delete(_:)``.
    /// - Complexity: O(*n*) in the number of entries of the store, and one transaction.
    @discardableResult
    public func reset() throws -> EntityRemoval {
        let nodes = graph.listing()
        return try delete(nodes.map { graph.reference(to: $0) })
    }

    /// Writes anew what was removed, with the datestamps that it had.
    ///
    /// - Throws: ``EntityStoreError`` with code `.exists` when one of its entities has been made
    ///   again meanwhile.
    /// - Complexity: O(*n*) in the number of entries that are written anew, and one transaction.
    public func restore(_ removal: EntityRemoval) throws {
        for operation in removal.operations {
            if case .creation = operation.action, graph.find(operation.identifier) != nil {
                throw EntityStoreError(
                    .exists, "there is an entity \(operation.identifier.quoted) again")
            }
        }
        var draft = WriteDraft()
        draft.append(removal.operations, in: graph)
        try write(draft)
    }

    // MARK: Parts

    func write(_ draft: WriteDraft) throws {
        try write(draft.operations, after: draft.seen)
    }

    func existing(
        _ reference: EntityReference, _ draft: inout WriteDraft
    ) throws -> String {
        guard let identifier = try draft.resolve(reference, in: &graph) else {
            // What cannot be read may say otherwise.
            if let ownDevice { try requireOwnLog(ownDevice) }
            throw EntityStoreError(.noSuchEntity, "there is no entity \(reference)")
        }
        return identifier
    }

    func slot(_ identifier: String, _ key: String) -> UInt32? {
        guard let node = graph.find(identifier), let name = graph.names.find(key) else {
            return nil
        }
        return graph.slot(of: node, key: name)
    }
}

/// What a removal or deletion took away, to be written anew if it was a mistake.
public struct EntityRemoval: Sendable {
    var operations: [EntityOperation] = []
    /// How many entities were deleted.
    public internal(set) var entityCount = 0

    /// Whether nothing was taken away.
    public var isEmpty: Bool { operations.isEmpty }
}
