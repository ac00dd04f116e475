/// A container that decodes the members of a dictionary.
struct KeyedTreeDecoder<Value: TreeValue, Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [Name: Value]
    let path: TreePath
    let depth: Int

    var codingPath: [any CodingKey] { path.keys }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0.text) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
        // If values of this type have no null, encoding leaves out members that are `nil`.
        if members[key.stringValue] == nil, type is any ExpressibleByNilLiteral.Type {
            return try TreeDecoder<Value>(value: nil, path: .member(path, key), depth: depth)
                .decode(type)
        }
        return try decoder(key).decode(type)
    }

    private func decoder(_ key: Key) throws -> TreeDecoder<Value> {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "there is no \(key.stringValue.quoted)"))
        }
        return TreeDecoder(value: value, path: .member(path, key), depth: depth)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder {
        let key = TreeKey.superclass
        return TreeDecoder(
            value: members[key.stringValue], path: .member(path, key), depth: depth)
    }

    func superDecoder(forKey key: Key) -> any Decoder {
        TreeDecoder(
            value: members[key.stringValue], path: .member(path, key), depth: depth)
    }
}

/// A container that decodes the elements of an array in order.
struct UnkeyedTreeDecoder<Value: TreeValue>: UnkeyedDecodingContainer {
    private let elements: [Value]
    private let path: TreePath
    private let depth: Int
    private(set) var currentIndex = 0

    init(elements: [Value], path: TreePath, depth: Int) {
        self.elements = elements
        self.path = path
        self.depth = depth
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func decoder(_ type: Any.Type) throws -> TreeDecoder<Value> {
        let place = TreePath.element(path, currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: place.keys,
                    debugDescription: "there are only \(elements.count) elements"))
        }
        return TreeDecoder(value: elements[currentIndex], path: place, depth: depth)
    }

    /// Advances only if the element had the requested type.
    private mutating func take<Result>(
        _ type: Any.Type, _ read: (TreeDecoder<Value>) throws -> Result
    ) throws -> Result {
        let result = try read(decoder(type))
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try decoder(Value.self).decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        try take(type) { try $0.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try take([Name: Value].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take([Value].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take(Value.self) { $0 } }
}
