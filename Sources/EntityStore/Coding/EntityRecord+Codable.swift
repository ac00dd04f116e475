import Replication

extension PropertyDictionary {
    /// Creates properties from the members of an `Encodable` value, except those named like fixed
    /// properties.
    ///
    /// - Throws: ``EntityStoreError`` with code `.notCodable`, or an error of the value.
    init(encoding value: some Encodable) throws {
        let encoded: EntityValue?
        do {
            encoded = try EntityValue.encoding(value)
        } catch let error as EncodingError {
            throw EntityStoreError(.notCodable, error.explanation, cause: error)
        }
        guard case .dictionary(let members) = encoded else {
            throw EntityStoreError(
                .notCodable, "\(type(of: value)) has no members to store as properties")
        }
        self.init()
        for (key, value) in members where FixedProperty(rawValue: key.text) == nil {
            self[key.text] = Property(value)
        }
    }
}

extension EntityRecord {
    /// Returns a Swift value with the properties as its members. Members named like fixed
    /// properties get the values of the fixed properties.
    ///
    /// - Throws: `DecodingError` naming the member that doesn't match.
    func decode<Value: Decodable>(as type: Value.Type) throws -> Value {
        var members: [Name: EntityValue] = [
            Name(FixedProperty.identifier.rawValue): .string(identifier),
            Name(FixedProperty.type.rawValue): .string(self.type),
            Name(FixedProperty.datestamp.rawValue): .date(datestamp),
            Name(FixedProperty.modified.rawValue): .date(modified),
        ]
        for element in properties { members[element.key] = element.property.value }
        return try EntityValue.dictionary(members).decode(as: type)
    }
}
