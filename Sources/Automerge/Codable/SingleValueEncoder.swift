/// A container that writes the single value of a place.
struct SingleValueEncoder: SingleValueEncodingContainer {
    private let encoder: ScopedEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    private var session: EncodingSession { encoder.session }

    init(encoder: ScopedEncoder) { self.encoder = encoder }

    mutating func encodeNil() throws {
        try session.put(.Null, for: ScalarValue.Null, in: place(), path: codingPath)
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        // At the root, a primitive value would encode itself with this container again.
        if try encoder.place.get() == nil, !EncodingSession.isPrimitive(value) {
            return try value.encode(to: encoder)
        }
        try session.encode(value, in: place(), path: codingPath)
    }

    private func place() throws -> CodingPlace {
        guard let place = try encoder.place.get() else {
            throw CodingKeyLookupError.NoPathForSingleValue(
                "a document is a map: a single value needs a key in it")
        }
        return place
    }
}
