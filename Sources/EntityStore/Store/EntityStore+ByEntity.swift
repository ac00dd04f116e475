/// Calls that take or return dictionaries by entity instead of lists.
///
/// The keys of a result are the references that were passed. References that don't name an
/// identifier, such as `.named("Anna")`, can also be keys.
extension EntityStore {
    /// Adds entries to properties, as ``add(_:)`` does.
    ///
    /// ```swift
    /// try await store.addProperties([anna: ["age": 21], ben: ["age": 35]])
    /// ```
    ///
    /// Equal references are one key, so give new entities an identifier:
    /// `.new("person", identifier: "anna")`.
    ///
    /// - Returns: The entity for each reference.
    /// - Throws: The errors of ``add(_:)``.
    /// - Complexity: As ``add(_:)``.
    @discardableResult
    public func addProperties(
        _ properties: [EntityReference: PropertyDictionary]
    ) throws -> [EntityReference: EntityReference] {
        try keyed(properties) { try add($0) }
    }

    /// Sets properties to one value, as ``set(_:)`` does.
    ///
    /// - Returns: The entity for each reference.
    /// - Throws: The errors of ``add(_:)``.
    /// - Complexity: As ``set(_:)``.
    @discardableResult
    public func setProperties(
        _ properties: [EntityReference: PropertyDictionary]
    ) throws -> [EntityReference: EntityReference] {
        try keyed(properties) { try set($0) }
    }

    /// Sets properties to one value, but writes only differences, as ``update(_:keepingOthers:)``
    /// does.
    ///
    /// - Parameter others: Whether older entries stay, as history or further values.
    /// - Returns: The entity for each reference.
    /// - Throws: The errors of ``add(_:)``.
    @discardableResult
    public func updateProperties(
        _ properties: [EntityReference: PropertyDictionary], keepingOthers others: Bool = false
    ) throws -> [EntityReference: EntityReference] {
        try keyed(properties) { try update($0, keepingOthers: others) }
    }

    /// Returns entities with their properties, by reference, without missing entities.
    ///
    /// - Parameter keys: The properties to return; `nil` returns all.
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: As ``records(of:keys:)``.
    public func records(
        byEntity references: [EntityReference], keys: [String]? = nil
    ) throws -> [EntityReference: EntityRecord] {
        Self.keyed(references, try records(of: references, keys: keys)).compactMapValues(\.self)
    }

    /// Returns the current properties of entities, by reference, without missing entities.
    ///
    /// - Parameter keys: The properties to return, which can include fixed ones. `nil` returns all
    ///   except the fixed ones.
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: As ``properties(_:of:)``.
    public func properties(
        _ keys: [String]? = nil, byEntity references: [EntityReference]
    ) throws -> [EntityReference: PropertyDictionary] {
        Self.keyed(references, try properties(keys, of: references)).compactMapValues(\.self)
    }

    /// Returns all values of a property, newest first, by reference. The list of a missing entity
    /// is empty.
    ///
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: As ``values(of:in:)``.
    public func values(
        of key: String, byEntity references: [EntityReference]
    ) throws -> [EntityReference: [Property]] {
        Self.keyed(references, try values(of: key, in: references))
    }

    /// Returns the property history of entities, by reference. The history of a missing entity is
    /// empty.
    ///
    /// - Parameter keys: The properties to return; `nil` returns all.
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: As ``entries(of:keys:)``.
    public func entries(
        byEntity references: [EntityReference], keys: [String]? = nil
    ) throws -> [EntityReference: [PropertyEntry]] {
        Self.keyed(references, try entries(of: references, keys: keys))
    }

    /// Returns the relationships of entities to other entities, by reference. The list of a missing
    /// entity is empty.
    ///
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: As ``relations(from:)``.
    public func relations(
        bySource references: [EntityReference]
    ) throws -> [EntityReference: [EntityRelation]] {
        Self.keyed(references, try relations(from: references))
    }

    /// Returns the relationships that refer to entities, by reference. An entity can have such
    /// relationships before it arrives.
    ///
    /// - Throws: The errors of ``properties(_:of:)``.
    /// - Complexity: As ``relations(to:)``.
    public func relations(
        byTarget references: [EntityReference]
    ) throws -> [EntityReference: [EntityRelation]] {
        Self.keyed(references, try relations(to: references))
    }

    private func keyed(
        _ properties: [EntityReference: PropertyDictionary],
        _ write: ([(entity: EntityReference, properties: PropertyDictionary)]) throws ->
            [EntityReference]
    ) throws -> [EntityReference: EntityReference] {
        let list = properties.map { (entity: $0.key, properties: $0.value) }
        return Self.keyed(list.map(\.entity), try write(list))
    }

    private static func keyed<Result>(
        _ references: [EntityReference], _ results: [Result]
    ) -> [EntityReference: Result] {
        Dictionary(zip(references, results)) { first, _ in first }
    }
}
