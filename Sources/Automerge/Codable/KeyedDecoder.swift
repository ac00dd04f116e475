/// A container that reads the keys of a map.
struct KeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ScopedDecoder
    private let object: ObjId
    private let keys: [String]

    var codingPath: [any CodingKey] { decoder.codingPath }
    private var source: DecodingSource { decoder.source }

    init(decoder: ScopedDecoder, object: ObjId) {
        self.decoder = decoder
        self.object = object
        keys = decoder.source.document.keys(obj: object)
    }

    var allKeys: [Key] { keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { keys.contains(key.stringValue) }

    private func place(_ key: Key) -> CodingPlace {
        CodingPlace(object: object, key: AnyCodingKey(key.stringValue))
    }

    private func value(_ key: Key) throws -> Value {
        guard let value = try place(key).value(in: source.document) else {
            throw DecodingError.keyNotFound(
                key,
                .init(
                    codingPath: codingPath,
                    debugDescription: "\(codingPath.stringPath()) has no \(key.stringValue)"))
        }
        return value
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .Scalar(.Null) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try source.decode(type, value(key), in: place(key), path: codingPath + [key])
    }

    private func nested(_ key: Key) throws -> ScopedDecoder {
        ScopedDecoder(
            source: source, subject: .value(place(key), try value(key)),
            codingPath: codingPath + [key])
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    /// Returns this decoder, because a superclass reads from the same map as its subclass.
    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}
