import Foundation

/// A node of a tree that is being built.
final class TreeNode<Value: TreeValue> {
    private enum Content {
        case nothing
        case null
        case value(Value)
        case members
        case elements
    }

    let path: TreePath
    /// The number of enclosing arrays and dictionaries.
    private let depth: Int
    private var content = Content.nothing
    /// The members and elements are separate from `content`, so that they can grow in place.
    private var members: [Name: TreeNode] = [:]
    private var elements: [TreeNode] = []
    /// The error of a request for a container. It is thrown later, because such a request can't
    /// throw.
    private var problem: String?

    init(_ path: TreePath, depth: Int) {
        self.path = path
        self.depth = depth
    }

    var elementCount: Int { elements.count }

    func failure(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(
            value, EncodingError.Context(codingPath: path.keys, debugDescription: reason))
    }

    // MARK: Filling

    func beginMembers() {
        switch content {
        case .nothing: content = .members
        case .members: break
        default: noteSecond()
        }
        noteDepth()
    }

    func beginElements() {
        switch content {
        case .nothing: content = .elements
        case .elements: break
        default: noteSecond()
        }
        noteDepth()
    }

    private func noteSecond() { problem = problem ?? "it was encoded as two kinds of value" }

    private func noteDepth() {
        guard depth >= Value.treeDepthLimit else { return }
        problem = problem ?? Self.tooDeep
    }

    private static var tooDeep: String { "nested deeper than \(Value.treeDepthLimit) levels" }

    /// Returns a new node for a key, replacing an existing one.
    func newMember(_ key: any CodingKey) -> TreeNode {
        let node = TreeNode(.member(path, key), depth: depth + 1)
        members[Name(key.stringValue)] = node
        return node
    }

    /// Returns the node for a key, and creates it if there is none. The key has a node already if
    /// its container was requested before.
    func member(_ key: any CodingKey) -> TreeNode { members[key.stringValue] ?? newMember(key) }

    func nextElement() -> TreeNode {
        let node = TreeNode(.element(path, elements.count), depth: depth + 1)
        elements.append(node)
        return node
    }

    func encodeNil() {
        if let null = Value(tree: .null) { return put(null) }
        guard case .nothing = content else { return noteSecond() }
        content = .null
    }

    private func put(_ value: Value) {
        guard case .nothing = content else { return noteSecond() }
        content = .value(value)
    }

    func encode<Encoded: Encodable>(_ value: Encoded) throws {
        guard depth <= Value.treeDepthLimit else { throw failure(value, Self.tooDeep) }
        if let known = try known(value) { return put(known) }
        try value.encode(to: TreeEncoder(node: self))
        if let problem { throw failure(value, problem) }
    }

    /// Returns the value for a Swift type that has built-in encoding, or `nil` for other types.
    private func known<Encoded: Encodable>(_ value: Encoded) throws -> Value? {
        switch value {
        case let text as String: try held(.string(text), value)
        case let truth as Bool: try held(.boolean(truth), value)
        case let number as Int: try held(.integer(Int64(number)), value)
        case let number as Double: try held(.double(number), value)
        case let number as Float: try held(.double(Double(number)), value)
        case let number as any FixedWidthInteger: try integer(number)
        case let tree as Value: tree
        case _ where Value.hasOwnKind(Encoded.self): try required(Value(ownKind: value), value)
        case let date as Date: try held(.date(date), value)
        case let data as Data: try held(.data(data), value)
        case let url as URL: try held(.string(url.absoluteString), value)
        case let uuid as UUID: try held(.string(uuid.uuidString), value)
        case let number as Decimal: try held(.string(DecimalText.write(number)), value)
        default: nil
        }
    }

    private func integer(_ number: any FixedWidthInteger) throws -> Value {
        if let number = Int64(exactly: number) { return try held(.integer(number), number) }
        if let number = UInt64(exactly: number) { return try held(.unsigned(number), number) }
        throw failure(number, "\(number) is too large for an integer")
    }

    private func held(_ content: TreeContent<Value>, _ value: Any) throws -> Value {
        try required(Value(tree: content), value)
    }

    private func required(_ held: Value?, _ value: Any) throws -> Value {
        guard let held else {
            if let number = value as? any FixedWidthInteger {
                throw failure(number, "\(number) is too large for an integer")
            }
            // Names only the type, because Foundation traps when describing an invalid date.
            let type = type(of: value)
            throw failure(type, "this \(type) can't be stored")
        }
        return held
    }

    // MARK: The result

    /// Returns the finished value.
    ///
    /// - Returns: `nil` for null, if values have no null.
    func finished() throws -> Value? {
        if let problem { throw failure(self, problem) }
        switch content {
        case .null: return nil
        // As in Swift's own encoders, a value that encodes nothing is an empty dictionary.
        case .nothing: return try held(.dictionary([:]), self)
        case .value(let value): return value
        case .members:
            return try held(.dictionary(try members.compactMapValues { try $0.finished() }), self)
        case .elements:
            let values = try elements.map { element in
                guard let value = try element.finished() else {
                    throw element.failure(self, "an array element encodes no value")
                }
                return value
            }
            return try held(.array(values), self)
        }
    }
}
