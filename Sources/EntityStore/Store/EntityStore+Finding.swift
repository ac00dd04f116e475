extension EntityStore {
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
}
