/// A container that writes the single value of a place.
struct SingleValueEncoder: SingleValueEncodingContainer {
    private let encoder: ScopedEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    private var session: EncodingSession { encoder.session }

    init(encoder: ScopedEncoder) { self.encoder = encoder }

    private func place() throws -> CodingPlace {
        guard let place = try encoder.place.get() else {
            throw CodingKeyLookupError.NoPathForSingleValue(
                "A document is a map: a single value needs a key in it")
        }
        return place
    }

    private func put(_ value: some ScalarValueRepresentable) throws {
        try session.put(value.toScalarValue(), for: value, in: place(), path: codingPath)
    }

    private func put(finite value: some BinaryFloatingPoint) throws {
        try session.put(finite: value, in: place(), path: codingPath)
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
        guard try encoder.place.get() != nil else { return try value.encode(to: encoder) }
        try session.encode(value, in: place(), path: codingPath)
    }
}
