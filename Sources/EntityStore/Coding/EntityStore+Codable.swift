extension EntityStore {
    /// Writes Swift values as the properties of entities, each property with that one value.
    ///
    /// Members become properties by their coding keys, nested values arrays and dictionaries.
    /// Properties that a value does not have (`nil` included) stay as they are; members with the
    /// names of fixed properties are not written.
    ///
    /// - Returns: The entities, in the order of `values`.
    /// - Throws: ``EntityStoreError`` with code `.notCodable`, and as ``set(_:)``.
    @discardableResult
    public func save<Value: Encodable>(
        _ values: [(entity: EntityReference, value: Value)]
    ) throws -> [EntityReference] {
        try set(values.map { ($0.entity, try EntityEncoder.encode($0.value)) })
    }

    /// Entities as Swift values, in the order of `references`; `nil` for those that are not there.
    ///
    /// Members with the names of fixed properties get those.
    ///
    /// - Throws: `DecodingError` naming the member that an entity's properties do not fit.
    public func values<Value: Decodable>(
        as type: Value.Type, of references: [EntityReference]
    ) throws -> [Value?] {
        try records(of: references).map { record in
            try record.map { try EntityDecoder.decode(type, from: $0) }
        }
    }

    /// The entities that a query names, as Swift values.
    ///
    /// - Throws: As ``values(as:of:)`` and ``entities(_:)``.
    /// - Complexity: As ``records(_:keys:)``.
    public func values<Value: Decodable>(
        as type: Value.Type, _ query: EntityQuery
    ) throws -> [Value] {
        try records(query).map { try EntityDecoder.decode(type, from: $0) }
    }
}
