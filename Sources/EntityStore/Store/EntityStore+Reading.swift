public import Replication

extension EntityStore {
    /// Returns the entities that match a query, in its order.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for a test that doesn't apply to
    ///   any value, such as a range of booleans.
    /// - Complexity: O(*n*) in the number of entities that an index returns for the text or for an
    ///   equality condition. A query without these reads all entities. O(*n* log *n*) with an
    ///   order. The result of the last query is cached until the next write.
    public func entities(_ query: EntityQuery = .all) throws -> [EntityReference] {
        try slice(query).map { graph.reference(to: $0) }
    }

    /// Returns the entities that match a query with their properties.
    ///
    /// - Parameter keys: The properties to return; `nil` returns all.
    /// - Throws: The errors of ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``, plus the number of returned properties.
    public func records(
        _ query: EntityQuery = .all, keys: [String]? = nil
    ) throws -> [EntityRecord] {
        let keys = keys.map { graph.sorted(keys: $0) }
        return try slice(query).map { graph.record(of: $0, keys: keys) }
    }

    /// Returns the number of entities that match a query, ignoring its offset and limit.
    ///
    /// - Throws: The errors of ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``.
    public func count(_ query: EntityQuery = .all) throws -> Int { try select(query).count }

    /// Returns a range of the entities that match a query, ignoring the query's offset and limit.
    /// Until the next write, another range of the same query costs only as much as its rows.
    ///
    /// - Parameter withFurther: Whether to include all values of properties with several values
    ///   (``EntityRecord/further``).
    /// - Throws: The errors of ``entities(_:)``.
    public func window(
        _ query: EntityQuery, from start: Int, count: Int, keys: [String]? = nil,
        withFurther: Bool = false
    ) throws -> EntityWindow {
        let nodes = try select(query)
        let first = min(max(0, start), nodes.count)
        let last = first + min(max(0, count), nodes.count - first)
        let keys = keys.map { graph.sorted(keys: $0) }
        return EntityWindow(
            records: nodes[first..<last].map {
                graph.record(of: $0, keys: keys, withFurther: withFurther)
            }, start: first, total: nodes.count)
    }

    /// Returns the position of an entity among those that match a query.
    ///
    /// - Returns: `nil` if the entity doesn't match.
    /// - Throws: The errors of ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``, and O(*n*) in the length of the list.
    public func position(of reference: EntityReference, in query: EntityQuery) throws -> Int? {
        guard let node = try node(reference) else { return nil }
        return try select(query).firstIndex(of: node)
    }

    /// Returns the properties of entities, in the order of `references`; `nil` for missing
    /// entities.
    ///
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of returned properties.
    public func records(
        of references: [EntityReference], keys: [String]? = nil
    ) throws -> [EntityRecord?] {
        let keys = keys.map { graph.sorted(keys: $0) }
        return try references.map { reference in
            try node(reference).map { graph.record(of: $0, keys: keys) }
        }
    }

    /// Returns the current properties of entities, in the order of `references`; `nil` for missing
    /// entities.
    ///
    /// - Parameter keys: The properties to return, which can include fixed ones. `nil` returns all
    ///   except the fixed ones.
    /// - Throws: ``EntityStoreError``, `.invalidValue`, for a reference whose value can't be
    ///   compared.
    /// - Complexity: O(*n*) in the number of returned properties. Each reference without an
    ///   identifier costs a query.
    public func properties(
        _ keys: [String]? = nil, of references: [EntityReference]
    ) throws -> [PropertyDictionary?] {
        let fixed = (keys ?? []).compactMap { FixedProperty(rawValue: $0) }
        let names = keys.map { graph.sorted(keys: $0) }
        return try references.map { reference in
            guard let node = try node(reference) else { return nil }
            var properties = graph.properties(of: node, keys: names)
            for property in fixed {
                if let value = graph.fixed(property, of: node) {
                    properties[property.rawValue] = value
                }
            }
            return properties
        }
    }

    /// Returns all values of a property, newest first, by entity in the order of `references`;
    /// empty for missing entities.
    ///
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries in the property's history.
    public func values(of key: String, in references: [EntityReference]) throws -> [[Property]] {
        try entries(of: references, keys: [key]).map { entries in
            entries.filter { !$0.isRemoved }.map(\.property)
        }
    }

    /// Returns the property history of each entity, in the order of `references`. Each is sorted by
    /// key, newest entry first. It is empty if the entity doesn't exist.
    ///
    /// - Parameter keys: The properties to return; `nil` returns all.
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries in the properties' history.
    public func entries(
        of references: [EntityReference], keys: [String]? = nil
    ) throws -> [[PropertyEntry]] {
        let keys = keys.map { graph.sorted(keys: $0) }
        return try references.map { reference in
            guard let node = try node(reference) else { return [] }
            return graph.sortedSlots(of: node, keys: keys).flatMap { graph.history(of: $0) }
        }
    }

    /// Returns the outgoing relations of entities, in the order of `references`.
    ///
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries of the entities.
    public func relations(from references: [EntityReference]) throws -> [[EntityRelation]] {
        try references.map { try node($0).map { graph.outgoing(from: $0) } ?? [] }
    }

    /// Returns the incoming relations of entities, in the order of `references`. An entity can have
    /// incoming relations before it arrives.
    ///
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries that point, or pointed, to the entities.
    public func relations(to references: [EntityReference]) throws -> [[EntityRelation]] {
        try references.map { reference in
            let known = reference.identifier.flatMap { graph.known($0) }
            return try (node(reference) ?? known).map { graph.incoming(to: $0) } ?? []
        }
    }

    /// Returns the types in use, with the number of entities of each. Entities whose creation
    /// hasn't arrived yet have the empty type.
    ///
    /// - Complexity: O(*n*) in the number of entities.
    public func typeCounts() -> [Name: Int] { graph.typeCounts() }

    /// Returns the properties in use among the entities of each type, with the number of entities
    /// that have each.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func keyCounts() -> [Name: [Name: Int]] { graph.keyCounts() }

    /// A number that increases with every write that arrives. At equal revisions, reads have equal
    /// results.
    public var revision: UInt64 { graph.version }

    // MARK: Swift types

    /// Registers a Swift type for the entities of its ``EntityReferencing/entityType``. The last
    /// registration counts.
    public func register(_ type: any EntityReferencing.Type) {
        types[type.entityType] = type
    }

    /// Returns references as values of the registered types; `nil` for missing entities and for
    /// types that aren't registered.
    ///
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of references. Each reference without an identifier costs
    ///   a query.
    public func typed(_ references: [EntityReference]) throws -> [(any EntityReferencing)?] {
        try references.map { reference in
            guard let node = try node(reference) else { return nil }
            let type = graph.names[graph.nodes[Int(node)].type]
            return types[type]?.init(reference: graph.reference(to: node))
        }
    }

    /// Returns the entities of a Swift type that match a query.
    ///
    /// - Throws: The errors of ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``.
    public func entities<Reference: EntityReferencing>(
        as type: Reference.Type, _ query: EntityQuery = .all
    ) throws -> [Reference] {
        var query = query
        query.types = [Name(type.entityType)]
        return try entities(query).map { Reference(reference: $0) }
    }

    // MARK: Parts

    func select(_ query: EntityQuery) throws -> ContiguousArray<UInt32> {
        var whole = query
        whole.offset = 0
        whole.limit = nil
        if let last = lastSelection, last.version == graph.version, last.query == whole {
            return last.nodes
        }
        let nodes = try graph.select(whole)
        lastSelection = Selection(query: whole, version: graph.version, nodes: nodes)
        return nodes
    }

    func slice(_ query: EntityQuery) throws -> ArraySlice<UInt32> {
        let nodes = try select(query)
        let rest = nodes.dropFirst(max(0, query.offset))
        return query.limit.map { rest.prefix(max(0, $0)) } ?? rest
    }

    func node(_ reference: EntityReference) throws -> UInt32? {
        if case .identifier(let identifier) = reference.form { return graph.find(identifier.text) }
        var draft = WriteDraft(makesMissing: false)
        return try draft.resolve(reference, in: &graph).flatMap { graph.find($0) }
    }
}

/// A part of a list of entities.
public struct EntityWindow: Hashable, Sendable {
    /// The entities of the window, in the list's order.
    public var records: [EntityRecord]
    /// The index of the first of `records` in the whole list.
    public var start: Int
    /// The length of the whole list.
    public var total: Int
}
