import LosslessJSON
import Replication

/// The structure of an interchange file in Swift's `Codable`: `JSONEncoder` writes text that
/// ``EntityInterchange/init(_:)`` reads, and `JSONDecoder` reads the normalized and the compact
/// form. Other encoders represent the same structure.
///
/// Coders have two limits that ``EntityInterchange/data(_:)`` and ``EntityInterchange/init(_:)``
/// don't have. If keys are canonically equal, coders keep only one of them. Decoders read the
/// number 1.0 in a file as an integer, unless its kind is given.
extension EntityInterchange: Codable {
    /// Encodes the structure of the normalized form.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, as ``data(_:)``; errors of
    ///   the encoder.
    public func encode(to encoder: any Encoder) throws {
        try CodedJSON(JSONParser.parse(Array(data())), .plainObjects).encode(to: encoder)
    }

    /// Decodes the structure of either form.
    ///
    /// - Throws: `DecodingError` for a structure that an interchange file can't have.
    /// - Complexity: O(*n*) in the size of the content. ``init(_:)`` reads a file in less time.
    public init(from decoder: any Decoder) throws {
        let json = try CodedJSON(from: decoder).json
        do {
            self.init(entities: try InterchangeReader.entities(json))
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: error.message,
                    underlyingError: error))
        }
    }
}
