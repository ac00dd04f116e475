/// Reads values of `Decodable` types from a document.
///
/// Texts and counters that it reads are bound: setting the value of an ``AutomergeText`` or a
/// ``Counter`` writes into the document.
public struct AutomergeDecoder {
    /// What the types being decoded are given.
    public var userInfo: [CodingUserInfoKey: Any] = [:]
    /// The document to read.
    public let doc: Document

    /// A decoder of the present content of `doc`.
    public init(doc: Document) { self.doc = doc }

    /// Reads the content of the document as `T`.
    ///
    /// - Throws: ``CodingKeyLookupError`` where the document has another shape; `DecodingError`
    ///   where a value has another type, or is out of range; what `T` throws.
    public func decode<T: Decodable>(_: T.Type) throws -> T {
        if T.self is AutomergeText.Type || T.self is Counter.Type {
            return try decode(
                T.self, from: [AnyCodingKey(AutomergeEncoder.keyOfSingleReference)])
        }
        let source = DecodingSource(document: doc, userInfo: userInfo)
        return try T(
            from: ScopedDecoder(source: source, subject: .root, codingPath: []))
    }

    /// Reads what is at `path` as `T`.
    ///
    /// ```swift
    /// let path = try AnyCodingKey.parsePath("example.[0].name")
    /// let name = try decoder.decode(String.self, from: path)
    /// ```
    ///
    /// - Throws: As ``decode(_:)``.
    public func decode<T: Decodable>(_: T.Type, from path: [any CodingKey]) throws -> T {
        let keys = path.map { AnyCodingKey($0) }
        guard let place = try doc.place(at: keys, strategy: .readonly) else {
            return try decode(T.self)
        }
        let source = DecodingSource(document: doc, userInfo: userInfo)
        // A missing value reads as null, so that an optional type reads as nil.
        let value = try place.value(in: doc) ?? .Scalar(.Null)
        return try source.decode(T.self, value, in: place, path: path)
    }
}
