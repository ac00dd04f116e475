import Replication

extension EntityStore {
    /// The entities of one type whose current `key` is each of `values`, made where they are
    /// missing. Entities of other types with such a value are passed over.
    ///
    /// - Parameter properties: What those that are made get besides `key`.
    /// - Returns: The entities, in the order of `values`; a value that is named twice has one.
    /// - Throws: As ``add(_:)``; `.readOnly` only where something is missing.
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
