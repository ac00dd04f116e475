import Replication

extension PropertyList: Codable {
    /// Encodes the value like the JSON of ``json(_:)``, with any encoder.
    ///
    /// Encoders don't distinguish kinds of numbers, so a real without a fraction is `{"$real": 3}`.
    /// Most encoders treat canonically equivalent names as equal, so a dictionary with two such
    /// names is `{"$dictionary": [NAME, VALUE, NAME, VALUE, …]}`. Every kind and every name
    /// therefore survives `JSONEncoder`, and ``init(json:)-(ContiguousBytes)`` reads its text as
    /// well.
    ///
    /// - Throws: `EncodingError` for a value deeper than ``depthLimit``; errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try encodeJSON(to: encoder)
    }

    /// Decodes the format of ``encode(to:)``, and dates and data from decoders that support them.
    ///
    /// - Throws: `DecodingError` for null, and for values nested deeper than ``depthLimit``; errors
    ///   of the decoder.
    public init(from decoder: any Decoder) throws {
        try self.init(decoded: CodedJSON(from: decoder), from: decoder)
    }
}
