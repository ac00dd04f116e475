/// An encoder that writes values of `Encodable` types into a document.
///
/// A structure becomes a map, an array a list, ``AutomergeText`` a text and ``Counter`` a counter.
/// `Date`, `Data` and `URL` become a timestamp, bytes and a string. Encoding again writes only
/// differences: the encoder deletes keys and elements that the value no longer has, and doesn't
/// change equal ones.
public struct AutomergeEncoder {
    /// Contextual information for the types being encoded.
    public var userInfo: [CodingUserInfoKey: Any] = [:]

    private let doc: Document
    private let strategy: SchemaStrategy
    private let cautiousWrite: Bool

    /// Creates an encoder that writes to a document.
    ///
    /// - Parameters:
    ///   - strategy: How to handle objects that are missing or have another type.
    ///   - cautiousWrite: Whether a scalar may only replace one of the same type.
    ///   - reportingLoglevel: Unused: this module does not log.
    public init(
        doc: Document, strategy: SchemaStrategy = .createWhenNeeded, cautiousWrite: Bool = false,
        reportingLoglevel: LogVerbosity = .errorOnly
    ) {
        self.doc = doc
        self.strategy = strategy
        self.cautiousWrite = cautiousWrite
    }

    /// Encodes `value` as the content of the document. Does nothing if `value` is `nil`.
    ///
    /// - Throws: The errors of the overload for values that aren't optional.
    public func encode<T: Encodable>(_ value: T?) throws {
        if let value { try encode(value) }
    }

    /// Encodes `value` as the content of the document.
    ///
    /// - Throws: ``CodingKeyLookupError`` if the structure of the document doesn't match, or if
    ///   `value` is not a map at its top level; `EncodingError` for values that can't be encoded;
    ///   any error that `value` throws. Writes made before the error are kept.
    public func encode<T: Encodable>(_ value: T) throws {
        let session = session()
        switch value {
        case is AutomergeText, is Counter:
            // A text or counter has no keys, so neither can be encoded as the content of the root
            // map.
            session.begin(.ROOT, .Map)
            let key = AnyCodingKey(Self.keyOfSingleReference)
            try session.encode(value, in: CodingPlace(object: .ROOT, key: key), path: [key])
        default:
            try value.encode(
                to: ScopedEncoder(session: session, place: .success(nil), codingPath: []))
        }
        try session.deleteUnwritten()
    }

    /// Encodes `value` at `path`.
    ///
    /// - Throws: The errors of the overload without a path.
    public func encode<T: Encodable>(_ value: T, at path: [any CodingKey]) throws {
        let keys = path.map { AnyCodingKey($0) }
        guard let place = try doc.place(at: keys, strategy: strategy) else {
            return try encode(value)
        }
        let session = session()
        try session.encode(value, in: place, path: path)
        try session.deleteUnwritten()
    }

    /// The key in the root that holds a text or counter encoded at the top level.
    static let keyOfSingleReference = "value"

    private func session() -> EncodingSession {
        EncodingSession(
            document: doc, strategy: strategy, isCautious: cautiousWrite, userInfo: userInfo)
    }
}
