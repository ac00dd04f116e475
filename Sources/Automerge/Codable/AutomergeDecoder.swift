/// A decoder that reads values of `Decodable` types from a document.
///
/// Decoded texts and counters are bound: setting the value of an ``AutomergeText`` or a ``Counter``
/// writes to the document.
public struct AutomergeDecoder {
    /// Contextual information for the types being decoded.
    public var userInfo: [CodingUserInfoKey: Any] = [:]
    /// The document to decode from.
    public let doc: Document

    /// Creates a decoder for the current content of `doc`.
    public init(doc: Document) { self.doc = doc }

    /// Decodes the content of the document as `T`.
    ///
    /// - Throws: ``CodingKeyLookupError`` if the structure of the document doesn't match;
    ///   `DecodingError` if a value has another type or is out of range; any error that `T` throws.
    public func decode<T: Decodable>(_: T.Type) throws -> T {
        if T.self is AutomergeText.Type || T.self is Counter.Type {
            return try decode(
                T.self, from: [AnyCodingKey(AutomergeEncoder.keyOfSingleReference)])
        }
        let source = DecodingSource(document: doc, userInfo: userInfo)
        return try T(
            from: ScopedDecoder(source: source, subject: .root, codingPath: []))
    }

    /// Decodes the value at `path` as `T`.
    ///
    /// ```swift
    /// let path = try AnyCodingKey.parsePath("example.[0].name")
    /// let name = try decoder.decode(String.self, from: path)
    /// ```
    ///
    /// - Throws: The errors of ``decode(_:)``.
    public func decode<T: Decodable>(_: T.Type, from path: [any CodingKey]) throws -> T {
        let keys = path.map { AnyCodingKey($0) }
        guard let place = try doc.place(at: keys, strategy: .readonly) else {
            return try decode(T.self)
        }
        let source = DecodingSource(document: doc, userInfo: userInfo)
        // Treat a missing value as null, so that optional types decode as nil.
        let value = try place.value(in: doc) ?? .Scalar(.Null)
        return try source.decode(T.self, value, in: place, path: path)
    }
}
