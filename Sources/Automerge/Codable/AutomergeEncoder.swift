/// Writes values of `Encodable` types into a document.
///
/// A structure becomes a map, an array a list, ``AutomergeText`` a text and ``Counter`` a counter.
/// `Date`, `Data` and `URL` become a timestamp, bytes and a string. Encoding again changes what is
/// different: keys and elements that the value no longer has are deleted, equal ones are left alone.
public struct AutomergeEncoder {
    /// What the types being encoded are given.
    public var userInfo: [CodingUserInfoKey: Any] = [:]

    private let doc: Document
    private let strategy: SchemaStrategy
    private let cautiousWrite: Bool

    /// - Parameters:
    ///   - doc: The document to write into.
    ///   - strategy: What to do where objects are missing or others are in their place.
    ///   - cautiousWrite: Whether a scalar is only written over one of its own kind.
    ///   - reportingLoglevel: Unused: this module does not log.
    public init(
        doc: Document, strategy: SchemaStrategy = .createWhenNeeded, cautiousWrite: Bool = false,
        reportingLoglevel: LogVerbosity = .errorOnly
    ) {
        self.doc = doc
        self.strategy = strategy
        self.cautiousWrite = cautiousWrite
    }

    /// Writes `value` as the content of the document, or nothing where it is `nil`.
    ///
    /// - Throws: As ``encode(_:)``, which takes no optional.
    public func encode<T: Encodable>(_ value: T?) throws {
        if let value { try encode(value) }
    }

    /// Writes `value` as the content of the document.
    ///
    /// - Throws: ``CodingKeyLookupError`` where the document has another shape, or where `value` is
    ///   not a map at its top; `EncodingError` for what cannot be written; what `value` throws.
    ///   What was written before the error stays written.
    public func encode<T: Encodable>(_ value: T) throws {
        let session = session()
        switch value {
        case is AutomergeText, is Counter:
            // Either has no keys of its own to be the content of a map.
            session.begin(.ROOT, .Map)
            let key = AnyCodingKey(Self.keyOfSingleReference)
            try session.encode(value, in: CodingPlace(object: .ROOT, key: key), path: [key])
        default:
            try value.encode(
                to: ScopedEncoder(session: session, place: .success(nil), codingPath: []))
        }
        try session.deleteWhatWasNotWritten()
    }

    /// Writes `value` at `path`.
    ///
    /// - Throws: As the other form.
    public func encode<T: Encodable>(_ value: T, at path: [any CodingKey]) throws {
        let keys = path.map { AnyCodingKey($0) }
        guard let place = try doc.place(at: keys, strategy: strategy) else {
            return try encode(value)
        }
        let session = session()
        try session.encode(value, in: place, path: path)
        try session.deleteWhatWasNotWritten()
    }

    /// The key under which a lone text or counter is kept in the root.
    static let keyOfSingleReference = "value"

    private func session() -> EncodingSession {
        EncodingSession(
            document: doc, strategy: strategy, isCautious: cautiousWrite, userInfo: userInfo)
    }
}
