public import Replication

extension EntityStore {
    /// The entities that a query names, in its order.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for a test that no value can pass
    ///   or fail, such as a range of booleans.
    /// - Complexity: O(*n*) in the number of entities that an index gives for the text or for a
    ///   condition of equality; of all entities where there is neither. O(*n* log *n*) with an
    ///   order. The answer to the last query is kept until something is written.
    public func entities(_ query: EntityQuery = .all) throws -> [EntityReference] {
        try slice(query).map { graph.reference(to: $0) }
    }

    /// The same with what the entities hold.
    ///
    /// - Parameter keys: The properties to give; `nil`: all.
    /// - Throws: As ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``, and the properties of the entities that are given.
    public func records(
        _ query: EntityQuery = .all, keys: [String]? = nil
    ) throws -> [EntityRecord] {
        let keys = keys.map { graph.sorted(keys: $0) }
        return try slice(query).map { graph.record(of: $0, keys: keys) }
    }

    /// How many entities a query names, its offset and limit left aside.
    ///
    /// - Throws: As ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``.
    public func count(_ query: EntityQuery = .all) throws -> Int { try select(query).count }

    /// A window into what a query names, its own offset and limit left aside. Windows into one
    /// query cost what they hold as long as nothing is written.
    ///
    /// - Parameter withFurther: Whether to give all values of properties that have several
    ///   (``EntityRecord/further``).
    /// - Throws: As ``entities(_:)``.
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

    /// Where an entity stands in what a query names.
    ///
    /// - Returns: `nil` for an entity that the query does not name.
    /// - Throws: As ``entities(_:)``.
    /// - Complexity: As ``entities(_:)``, and O(*n*) in the length of the list.
    public func position(of reference: EntityReference, in query: EntityQuery) throws -> Int? {
        guard let node = try node(reference) else { return nil }
        return try select(query).firstIndex(of: node)
    }

    /// What entities hold, in the order of `references`; `nil` for those that are not there.
    ///
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of properties that are given.
    public func records(
        of references: [EntityReference], keys: [String]? = nil
    ) throws -> [EntityRecord?] {
        let keys = keys.map { graph.sorted(keys: $0) }
        return try references.map { reference in
            try node(reference).map { graph.record(of: $0, keys: keys) }
        }
    }

    /// The current properties of entities, in the order of `references`; `nil` for those that are
    /// not there.
    ///
    /// - Parameter keys: Which; fixed properties are given only when they are among them. `nil`:
    ///   all but the fixed ones.
    /// - Throws: ``EntityStoreError``, `.invalidValue`, for a reference that asks for what no value
    ///   can be compared with.
    /// - Complexity: O(*n*) in the number of properties that are given; a reference without an
    ///   identifier is a query each.
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

    /// All the values that a property has, newest first, for properties that have many: by entity
    /// in the order of `references`; empty for those that are not there.
    ///
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries that the property has or had.
    public func values(of key: String, in references: [EntityReference]) throws -> [[Property]] {
        try entries(of: references, keys: [key]).map { entries in
            entries.filter { !$0.isRemoved }.map(\.property)
        }
    }

    /// Every entry that properties have or had, by key, the newest of each first; by entity in the
    /// order of `references`, empty for those that are not there.
    ///
    /// - Parameter keys: Which; `nil`: all.
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries that the properties have or had.
    public func entries(
        of references: [EntityReference], keys: [String]? = nil
    ) throws -> [[PropertyEntry]] {
        let keys = keys.map { graph.sorted(keys: $0) }
        return try references.map { reference in
            guard let node = try node(reference) else { return [] }
            let slots =
                keys?.compactMap { graph.slot(of: node, key: $0) } ?? graph.sortedSlots(of: node)
            return slots.flatMap { graph.history(of: $0) }
        }
    }

    /// What entities point to, by entity in the order of `references`.
    ///
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries of the entities.
    public func relations(from references: [EntityReference]) throws -> [[EntityRelation]] {
        try references.map { try node($0).map { graph.outgoing(from: $0) } ?? [] }
    }

    /// What points to entities, by entity in the order of `references`. An entity that has not
    /// arrived may be pointed to as well.
    ///
    /// - Throws: As ``properties(_:of:)``.
    /// - Complexity: O(*n*) in the number of entries that point, or pointed, to the entities.
    public func relations(to references: [EntityReference]) throws -> [[EntityRelation]] {
        try references.map { reference in
            let known = reference.identifier.flatMap { graph.known($0) }
            return try (node(reference) ?? known).map { graph.incoming(to: $0) } ?? []
        }
    }

    /// The types in use, with how many entities each has. The empty type is that of entities whose
    /// making has not arrived.
    ///
    /// - Complexity: O(*n*) in the number of entities.
    public func typeCounts() -> [Name: Int] { graph.typeCounts() }

    /// The properties in use among entities of a type, with how many have each.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func keyCounts(ofType type: String) -> [Name: Int] {
        graph.keyCounts(ofType: type)
    }

    /// The same for every type at once.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func keyCounts() -> [Name: [Name: Int]] { graph.keyCounts() }

    /// Counts up with every write that arrives; equal revisions give equal answers.
    public var revision: UInt64 { graph.version }

    /// How many properties have a value.
    public func propertyCount() -> Int { graph.propertyCount }

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
    /// The number of the first of `records` in the whole list.
    public var start: Int
    /// The length of the whole list.
    public var total: Int
}
