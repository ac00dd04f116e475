import Replication

extension EntityStore {
    /// Makes a Swift type stand for the entities of its ``EntityReferencing/entityType``. The one
    /// registered last counts.
    public func register(_ type: any EntityReferencing.Type) {
        types[type.entityType] = type
    }

    /// References as values of the registered types; `nil` for entities that are not there and for
    /// types without one.
    ///
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of references; one without an identifier is a query.
    public func typed(_ references: [EntityReference]) throws -> [(any EntityReferencing)?] {
        try references.map { reference in
            guard let node = try node(reference) else { return nil }
            let type = graph.names[graph.nodes[Int(node)].type]
            return types[type]?.init(reference: graph.reference(to: node))
        }
    }

    /// The entities that a query names among those of a Swift type's own type.
    ///
    /// - Throws: As ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``.
    public func entities<Reference: EntityReferencing>(
        as type: Reference.Type, _ query: EntityQuery = .all
    ) throws -> [Reference] {
        var query = query
        query.types = [Name(type.entityType)]
        return try entities(query).map { Reference(reference: $0) }
    }
}
