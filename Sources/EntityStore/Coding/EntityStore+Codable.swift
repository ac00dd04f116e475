extension EntityStore {
    /// Writes Swift values as the properties of entities, each property with that one value.
    ///
    /// Members become properties by their coding keys, nested values arrays and dictionaries; dates,
    /// data and ``EntityReference`` become values of their kinds, `URL`, `UUID` and `Decimal`
    /// strings. Only what differs is written, as by ``update(_:keepingOthers:)``, so that what
    /// another device wrote to the other members, and what has not arrived yet, stays. Properties
    /// that a value does not have (`nil` included) stay as they are; members with the names of fixed
    /// properties are not written.
    ///
    /// - Returns: The entities, in the order of `values`.
    /// - Throws: ``EntityStoreError`` with code `.notCodable` and the member that no property can
    ///   hold, and as ``set(_:)``.
    @discardableResult
    public func save<Value: Encodable>(
        _ values: [(entity: EntityReference, value: Value)]
    ) throws -> [EntityReference] {
        try update(values.map { ($0.entity, try PropertyDictionary(encoding: $0.value)) })
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
            try record.map { try $0.decode(as: type) }
        }
    }

    /// The entities that a query names, as Swift values.
    ///
    /// - Throws: As ``values(as:of:)`` and ``entities(_:)``.
    /// - Complexity: As ``records(_:keys:)``.
    public func values<Value: Decodable>(
        as type: Value.Type, _ query: EntityQuery
    ) throws -> [Value] {
        try records(query).map { try $0.decode(as: type) }
    }
}
