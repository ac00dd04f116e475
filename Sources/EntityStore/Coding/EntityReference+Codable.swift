extension EntityReference: Codable {
    /// Outside of a store a reference is its identifier. In a store it is a relationship.
    ///
    /// - Throws: `EncodingError` for a reference that names no identifier.
    public func encode(to encoder: any Encoder) throws {
        guard let identifier else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "\(self) has no identifier to be encoded"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }

    public init(from decoder: any Decoder) throws {
        self = .identifier(try decoder.singleValueContainer().decode(String.self))
    }
}
