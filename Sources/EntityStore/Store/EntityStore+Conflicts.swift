public import Replication

extension EntityStore {
    /// How many properties devices set without knowing of each other.
    public var conflictCount: Int { graph.conflicts.count }

    /// The types of entities that have such properties.
    ///
    /// - Complexity: O(*n*) in the number of conflicts.
    public var conflictedTypes: Set<Name> {
        Set(
            Set(graph.conflicts.map { graph.nodes[Int(graph.slots[Int($0)].node)].type })
                .map { Name(graph.names[$0]) })
    }

    /// The properties that devices set without knowing of each other, by entity and key. Setting one
    /// anew ends its conflict, here and on every device.
    ///
    /// - Parameter types: Of entities of these types; `nil`: of all.
    /// - Complexity: O(*n* log *n*) in the number of conflicts, and the entries of their properties.
    public func conflicts(types: Set<Name>? = nil) -> [EntityConflict] {
        graph.conflicts.filter { slot in
            guard let types else { return true }
            return types.contains(
                Name(graph.names[graph.nodes[Int(graph.slots[Int(slot)].node)].type]))
        }.map { graph.conflict(about: $0) }
            .sorted { (Name($0.identifier), Name($0.key)) < (Name($1.identifier), Name($1.key)) }
    }

    /// The same of single entities, in the order of `references`, each by key.
    ///
    /// - Throws: As ``records(of:keys:)``.
    /// - Complexity: O(*n*) in the number of their properties and in the entries of those in conflict.
    public func conflicts(of references: [EntityReference]) throws -> [[EntityConflict]] {
        try references.map { reference in
            guard let node = try node(reference) else { return [] }
            return graph.sortedSlots(of: node).filter(graph.conflicts.contains)
                .map { graph.conflict(about: $0) }
        }
    }
}
