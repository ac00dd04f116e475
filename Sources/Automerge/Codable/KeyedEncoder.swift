/// A container that writes the keys of a map.
struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: ScopedEncoder
    private let object: Result<ObjId, CodingKeyLookupError>

    var codingPath: [any CodingKey] { encoder.codingPath }
    private var session: EncodingSession { encoder.session }

    init(encoder: ScopedEncoder) {
        self.encoder = encoder
        object = encoder.object(.Map)
    }

    /// Returns the place of a key. Ignores the integer value, which dictionary keys have if they
    /// look like numbers.
    private func place(_ key: Key) throws -> CodingPlace {
        CodingPlace(object: try object.get(), key: AnyCodingKey(key.stringValue))
    }

    mutating func encodeNil(forKey key: Key) throws {
        let null = ScalarValue.Null
        try session.put(null, for: null, in: place(key), path: codingPath + [key])
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try session.encode(value, in: place(key), path: codingPath + [key])
    }

    private func nested(_ key: Key) -> ScopedEncoder {
        let place = object.map {
            CodingPlace(object: $0, key: AnyCodingKey(key.stringValue)) as CodingPlace?
        }
        return ScopedEncoder(session: session, place: place, codingPath: codingPath + [key])
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    /// Returns this encoder, because a superclass writes into the same map as its subclass.
    mutating func superEncoder() -> any Encoder { encoder }

    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
