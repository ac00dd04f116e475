extension EntityReference: Codable {
    /// Encodes the identifier. In a store, the reference becomes a relationship.
    ///
    /// - Throws: `EncodingError` for a reference that has no identifier.
    public func encode(to encoder: any Encoder) throws {
        guard let identifier else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "\(self) has no identifier to encode"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }

    public init(from decoder: any Decoder) throws {
        self = .identifier(try decoder.singleValueContainer().decode(String.self))
    }
}
