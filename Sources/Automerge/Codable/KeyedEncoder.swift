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

    private func put(_ value: some ScalarValueRepresentable, _ key: Key) throws {
        try session.put(
            value.toScalarValue(), for: value, in: place(key), path: codingPath + [key])
    }

    mutating func encodeNil(forKey key: Key) throws { try put(ScalarValue.Null, key) }
    mutating func encode(_ value: Bool, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try put(value, key) }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        try session.put(finite: value, in: place(key), path: codingPath + [key])
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        try session.put(finite: value, in: place(key), path: codingPath + [key])
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
