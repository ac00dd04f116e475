import Dispatch
import Replication

extension EntityStore {
    /// Resolves references, creating missing entities that their references describe.
    ///
    /// - Returns: The entity for each reference, or `nil`.
    /// - Throws: ``EntityStoreError`` with code `.readOnly` if an entity would have to be created
    ///   in a read-only store. After an error, nothing is written.
    /// - Complexity: A lookup for a reference with an identifier, a query for any other.
    public func resolve(_ references: [EntityReference]) throws -> [EntityReference?] {
        var draft = WriteDraft()
        var found: [EntityReference?] = []
        for reference in references {
            let identifier = try draft.resolve(reference, in: &graph)
            found.append(identifier.map { .identifier($0) })
        }
        // Resolving references without creating entities must work in a read-only store.
        if !draft.operations.isEmpty { try write(draft) }
        return found
    }

    /// Finds, for each of `values`, the entity of a type whose property `key` currently has this
    /// value. Creates the entity if there is none. Entities of other types are ignored.
    ///
    /// - Parameter properties: Further properties of the entities that are created.
    /// - Returns: The entities, in the order of `values`. Equal values share one entity.
    /// - Throws: The errors of ``add(_:)``; `.readOnly` only if an entity is missing.
    @discardableResult
    public func findOrCreate(
        _ type: String, where key: String, equals values: [EntityValue],
        properties: PropertyDictionary = [:]
    ) throws -> [EntityReference] {
        let references = values.map {
            EntityReference.where(key, equals: $0, type: type)
                .orCreate(type, properties: properties)
        }
        return try resolve(references).compactMap(\.self)
    }

    /// Adds entries to properties; they become the current values. Older entries stay as history or
    /// as further values.
    ///
    /// Missing entities are created if their references describe them. This includes references in
    /// values and keys. Everything is written in one transaction.
    ///
    /// - Returns: The entities, in the order of `properties`.
    /// - Throws: ``EntityStoreError``: `.noSuchEntity`, `.invalidName` for a fixed property,
    ///   `.invalidValue`, `.readOnly`, `.ownLogUnreadable`; `ReplicationError` from the file. After
    ///   an error, nothing is written.
    /// - Complexity: O(*n*) in the number of properties and the size of their values, and one
    ///   transaction.
    @discardableResult
    public func add(
        _ properties: [(entity: EntityReference, properties: PropertyDictionary)]
    ) throws -> [EntityReference] {
        try put(properties, replacing: false)
    }

    /// Sets each property to one value. Adds the value as ``add(_:)`` does, and removes the other
    /// entries that this store has seen.
    ///
    /// - Returns: The entities, in the order of `properties`.
    /// - Throws: The errors of ``add(_:)``.
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

    /// Adds relationships: one entry of `key` for each pair.
    ///
    /// - Parameter type: The kind of relationship.
    /// - Returns: The sources, in the order of `pairs`.
    /// - Throws: The errors of ``add(_:)``.
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

    /// Removes every entry of these properties that this store has seen.
    ///
    /// - Returns: A record that ``restore(_:)`` takes to undo the removal.
    /// - Throws: The errors of ``add(_:)``; `.noSuchEntity` for a missing entity.
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

    /// Removes single entries of a property with several values.
    ///
    /// Entries that are missing or already removed are ignored.
    ///
    /// - Returns: A record that ``restore(_:)`` takes to undo the removal.
    /// - Throws: The errors of ``add(_:)``; `.noSuchEntity` for a missing entity.
    /// - Complexity: O(*n*) in the number of entries in the property's history, and one
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

    /// Removes the values of a property that are among `values`; its other values stay.
    ///
    /// Integers and doubles compare as numbers. If the property has none of the values, it stays
    /// unchanged and the removal is empty.
    ///
    /// - Returns: A record that ``restore(_:)`` takes to undo the removal.
    /// - Throws: The errors of ``add(_:)``; `.noSuchEntity` for a missing entity.
    /// - Complexity: O(*n*) in the number of entries of the property.
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

    /// - Returns: Operations that restore the removed entries.
    func remove(
        _ values: [EntityValue], _ key: String, of identifier: String, _ draft: inout WriteDraft
    ) throws(EntityStoreError) -> [EntityOperation] {
        let test = try ValueTest(.isIn(values), in: graph)
        guard let slot = slot(identifier, key) else { return [] }
        let numbers = graph.visibleEntries(of: slot).filter {
            test.passes(graph.entries[Int($0)], in: graph)
        }
        draft.remove(numbers.map { graph.id(ofEntry: $0) }, key: key, of: identifier, in: graph)
        return graph.restoration(of: numbers)
    }

    /// Deletes entities with their properties and the relationships to them. References to missing
    /// entities are ignored.
    ///
    /// - Returns: A record that ``restore(_:)`` takes to undo the deletion.
    /// - Throws: The errors of ``add(_:)``, except for missing entities.
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
    /// - Returns: A record that ``restore(_:)`` takes to undo the deletion.
    /// - Throws: The errors of ``delete(_:)``.
    /// - Complexity: O(*n*) in the number of entries of the store, and one transaction.
    @discardableResult
    public func reset() throws -> EntityRemoval {
        let nodes = graph.listing()
        return try delete(nodes.map { graph.reference(to: $0) })
    }

    /// Deletes the store in the package at `path`: the entities of all devices, and the package
    /// itself if nothing else is in it. Other databases and files stay.
    ///
    /// First close the store on all devices. If a sync service carries the package, the service
    /// also deletes the files on the other devices. To delete the entities but keep the package,
    /// call ``reset()``, which can be undone.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.notAPackage`; `.busy` if a store of this
    ///   program is open there or another process is writing. After an error, nothing is deleted.
    public static func destroy(storeAt path: String) async throws {
        try await DispatchQueue.global(qos: .userInitiated).run {
            try StorePackage(opening: path).destroy(.entities)
        }
    }

    /// Restores removed content with its original datestamps.
    ///
    /// - Throws: ``EntityStoreError`` with code `.exists` if a removed entity has been created
    ///   again since the removal.
    /// - Complexity: O(*n*) in the number of restored entries, and one transaction.
    public func restore(_ removal: EntityRemoval) throws {
        for operation in removal.operations {
            if case .creation = operation.action, graph.find(operation.identifier) != nil {
                throw EntityStoreError(
                    .exists, "the entity \(operation.identifier.quoted) exists again")
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
            // The entity may be in the part that can't be read.
            if let ownDevice { try requireOwnLog(ownDevice) }
            throw EntityStoreError(.noSuchEntity, "no such entity: \(reference)")
        }
        return identifier
    }

    func slot(_ identifier: String, _ key: String) -> UInt32? {
        graph.find(identifier) == nil ? nil : graph.slot(of: identifier, key: key)
    }
}

/// Removed or deleted content, which ``EntityStore/restore(_:)`` can restore.
public struct EntityRemoval: Sendable {
    var operations: [EntityOperation] = []
    /// The number of deleted entities.
    public internal(set) var entityCount = 0

    /// Whether nothing was removed.
    public var isEmpty: Bool { operations.isEmpty }
}
