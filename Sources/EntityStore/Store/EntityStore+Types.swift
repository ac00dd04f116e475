import Replication

extension EntityStore {
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
}
