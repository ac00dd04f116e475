public import Replication

extension EntityStore {
    /// The number of properties in conflict.
    public var conflictCount: Int { graph.conflicts.count }

    /// The types of the entities that have conflicts.
    ///
    /// - Complexity: O(*n*) in the number of conflicts.
    public var conflictedTypes: Set<Name> {
        Set(
            Set(graph.conflicts.map { graph.nodes[Int(graph.slots[Int($0)].node)].type })
                .map { Name(graph.names[$0]) })
    }

    /// Returns the conflicts by entity and key. Setting the property resolves its conflict on every
    /// device.
    ///
    /// - Parameter types: The entity types to search; `nil` searches all.
    /// - Complexity: O(*n* log *n*) in the number of conflicts and the entries of their properties.
    public func conflicts(types: Set<Name>? = nil) -> [EntityConflict] {
        graph.conflicts.filter { slot in
            guard let types else { return true }
            return types.contains(
                Name(graph.names[graph.nodes[Int(graph.slots[Int(slot)].node)].type]))
        }.map { graph.conflict(about: $0) }
            .sorted { (Name($0.identifier), Name($0.key)) < (Name($1.identifier), Name($1.key)) }
    }

    /// Returns the conflicts of single entities, in the order of `references`, each by key.
    ///
    /// - Throws: The errors of ``records(of:keys:)``.
    /// - Complexity: O(*n*) in the number of the entities' properties and in the entries of those
    ///   in conflict.
    public func conflicts(of references: [EntityReference]) throws -> [[EntityConflict]] {
        try references.map { reference in
            guard let node = try node(reference) else { return [] }
            return graph.sortedSlots(of: node).filter(graph.conflicts.contains)
                .map { graph.conflict(about: $0) }
        }
    }
}
