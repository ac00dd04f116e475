import Replication

extension PropertyDictionary {
    /// The members of an `Encodable` value as properties, but for those with the names of fixed
    /// properties.
    ///
    /// - Throws: ``EntityStoreError`` with code `.notCodable`, or what the value throws.
    init(encoding value: some Encodable) throws {
        let encoded: EntityValue?
        do {
            encoded = try EntityValue.encoding(value)
        } catch let error as EncodingError {
            throw EntityStoreError(.notCodable, error.explanation, cause: error)
        }
        guard case .dictionary(let members) = encoded else {
            throw EntityStoreError(
                .notCodable, "\(type(of: value)) has no members to become properties")
        }
        self.init()
        for (key, value) in members where FixedProperty(rawValue: key.text) == nil {
            self[key.text] = Property(value)
        }
    }
}

extension EntityRecord {
    /// A Swift value with the properties as its members; those named like fixed properties get
    /// these.
    ///
    /// - Throws: `DecodingError` naming the member that does not fit.
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
