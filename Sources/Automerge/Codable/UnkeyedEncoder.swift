/// A container that writes the elements of a list in order.
struct UnkeyedEncoder: UnkeyedEncodingContainer {
    private let encoder: ScopedEncoder
    private let object: Result<ObjId, CodingKeyLookupError>
    private(set) var count = 0

    var codingPath: [any CodingKey] { encoder.codingPath }
    private var session: EncodingSession { encoder.session }

    init(encoder: ScopedEncoder) {
        self.encoder = encoder
        object = encoder.object(.List)
    }

    /// Returns the place of the next element, with its path.
    private func next() throws -> (place: CodingPlace, path: [any CodingKey]) {
        let key = AnyCodingKey(UInt64(count))
        return (CodingPlace(object: try object.get(), key: key), codingPath + [key])
    }

    mutating func encodeNil() throws {
        let (place, path) = try next()
        try session.put(.Null, for: ScalarValue.Null, in: place, path: path)
        count += 1
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        let (place, path) = try next()
        try session.encode(value, in: place, path: path)
        count += 1
    }

    private mutating func nested() -> ScopedEncoder {
        defer { count += 1 }
        let key = AnyCodingKey(UInt64(count))
        let place = object.map { CodingPlace(object: $0, key: key) as CodingPlace? }
        return ScopedEncoder(session: session, place: place, codingPath: codingPath + [key])
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nested().unkeyedContainer()
    }

    /// Returns an encoder for the next element, which belongs to the superclass.
    mutating func superEncoder() -> any Encoder { nested() }
}
