extension EntityStore {
    /// Saves Swift values as entities. Each property gets a single value.
    ///
    /// Members become properties named by their coding keys. Nested values become arrays and
    /// dictionaries; dates, data and ``EntityReference`` become values of their kinds; `URL`,
    /// `UUID` and `Decimal` become strings. Only differences are written, as with
    /// ``update(_:keepingOthers:)``. So other devices' writes to other members are preserved, even
    /// if they haven't arrived yet. Properties that a value doesn't have (including `nil` members)
    /// stay unchanged. Members named like fixed properties aren't written.
    ///
    /// - Returns: The entities, in the order of `values`.
    /// - Throws: ``EntityStoreError`` with code `.notCodable` and the member that can't be stored,
    ///   and the errors of ``set(_:)``.
    @discardableResult
    public func save<Value: Encodable>(
        _ values: [(entity: EntityReference, value: Value)]
    ) throws -> [EntityReference] {
        try update(values.map { ($0.entity, try PropertyDictionary(encoding: $0.value)) })
    }

    /// Returns entities as Swift values, in the order of `references`; `nil` for missing entities.
    ///
    /// Members named like fixed properties get the values of the fixed properties.
    ///
    /// - Throws: `DecodingError` naming the member that an entity's properties don't match.
    public func values<Value: Decodable>(
        as type: Value.Type, of references: [EntityReference]
    ) throws -> [Value?] {
        try records(of: references).map { record in
            try record.map { try $0.decode(as: type) }
        }
    }

    /// Returns the entities that match a query as Swift values.
    ///
    /// - Throws: The errors of ``values(as:of:)`` and ``entities(_:)``.
    /// - Complexity: As ``records(_:keys:)``.
    public func values<Value: Decodable>(
        as type: Value.Type, _ query: EntityQuery
    ) throws -> [Value] {
        try records(query).map { try $0.decode(as: type) }
    }
}
