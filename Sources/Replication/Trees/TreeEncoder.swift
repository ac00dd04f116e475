extension TreeValue {
    /// Encodes a Swift value as a value of this type.
    ///
    /// `Date` and `Data` have their own kinds of values; `URL`, `UUID`, and `Decimal` become
    /// strings. A `nil` member is left out if values of this type have no null.
    ///
    /// - Returns: `nil` if the value encodes itself as null, but this type has no null.
    /// - Throws: `EncodingError` with the place: for unsupported content (`nil` inside an array, a
    ///   number that is too large), for values nested deeper than ``treeDepthLimit``, and for
    ///   values that request containers of two kinds; errors of the value.
    package static func encoding(_ value: some Encodable) throws -> Self? {
        let node = TreeNode<Self>(.root, depth: 0)
        try node.encode(value)
        return try node.finished()
    }
}

/// An encoder of one value of a tree.
struct TreeEncoder<Value: TreeValue>: Encoder {
    let node: TreeNode<Value>

    var codingPath: [any CodingKey] { node.path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedTreeEncoder<Value, Key>(node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedTreeEncoder(node) }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension TreeEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.encodeNil() }
    func encode(_ value: some Encodable) throws { try node.encode(value) }
}

/// A container that encodes the members of a dictionary.
private struct KeyedTreeEncoder<Value: TreeValue, Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let node: TreeNode<Value>

    init(_ node: TreeNode<Value>) {
        self.node = node
        node.beginMembers()
    }

    var codingPath: [any CodingKey] { node.path.keys }

    func encodeNil(forKey key: Key) { node.newMember(key).encodeNil() }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try node.newMember(key).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(KeyedTreeEncoder<Value, Nested>(node.member(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedTreeEncoder(node.member(key))
    }

    func superEncoder() -> any Encoder { TreeEncoder(node: node.member(TreeKey.superclass)) }
    func superEncoder(forKey key: Key) -> any Encoder { TreeEncoder(node: node.member(key)) }
}

/// A container that encodes the elements of an array in order.
private struct UnkeyedTreeEncoder<Value: TreeValue>: UnkeyedEncodingContainer {
    private let node: TreeNode<Value>

    init(_ node: TreeNode<Value>) {
        self.node = node
        node.beginElements()
    }

    var codingPath: [any CodingKey] { node.path.keys }
    var count: Int { node.elementCount }

    func encodeNil() { node.nextElement().encodeNil() }
    func encode(_ value: some Encodable) throws { try node.nextElement().encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(KeyedTreeEncoder<Value, Nested>(node.nextElement()))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedTreeEncoder(node.nextElement())
    }

    func superEncoder() -> any Encoder { TreeEncoder(node: node.nextElement()) }
}
