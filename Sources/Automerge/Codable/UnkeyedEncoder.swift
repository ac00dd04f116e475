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

    private mutating func put(_ value: some ScalarValueRepresentable) throws {
        let (place, path) = try next()
        try session.put(value.toScalarValue(), for: value, in: place, path: path)
        count += 1
    }

    private mutating func put(finite value: some BinaryFloatingPoint) throws {
        let (place, path) = try next()
        try session.put(finite: value, in: place, path: path)
        count += 1
    }

    mutating func encodeNil() throws { try put(ScalarValue.Null) }
    mutating func encode(_ value: Bool) throws { try put(value) }
    mutating func encode(_ value: String) throws { try put(value) }
    mutating func encode(_ value: Float) throws { try put(finite: value) }
    mutating func encode(_ value: Double) throws { try put(finite: value) }
    mutating func encode(_ value: Int) throws { try put(value) }
    mutating func encode(_ value: Int8) throws { try put(value) }
    mutating func encode(_ value: Int16) throws { try put(value) }
    mutating func encode(_ value: Int32) throws { try put(value) }
    mutating func encode(_ value: Int64) throws { try put(value) }
    mutating func encode(_ value: UInt) throws { try put(value) }
    mutating func encode(_ value: UInt8) throws { try put(value) }
    mutating func encode(_ value: UInt16) throws { try put(value) }
    mutating func encode(_ value: UInt32) throws { try put(value) }
    mutating func encode(_ value: UInt64) throws { try put(value) }

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
