import Foundation
import Replication

/// Makes properties of an `Encodable` value.
///
/// Members become properties by their coding keys; nested values become arrays and dictionaries.
/// `Date` and `Timestamp` become dates, `Data` data, ``EntityReference`` a relationship, `URL` a
/// string. What is `nil` is left out, and so are the names of the fixed properties.
enum EntityEncoder {
    /// - Throws: ``EntityStoreError`` with code `.notCodable`, or what the value throws.
    static func encode(_ value: some Encodable) throws -> PropertyDictionary {
        guard case .dictionary(let members)? = try boxed(value, []) else {
            throw EntityStoreError(
                .notCodable, "\(type(of: value)) has no members to become properties")
        }
        var properties = PropertyDictionary()
        for (key, value) in members where FixedProperty(rawValue: key.text) == nil {
            properties[key.text] = Property(value)
        }
        return properties
    }

    /// `nil` for a value that encodes itself as null.
    fileprivate static func boxed(
        _ value: some Encodable, _ path: [any CodingKey]
    ) throws -> EntityValue? {
        switch value {
        case let date as Date: return .date(Timestamp(date))
        case let date as Timestamp: return .date(date)
        case let data as Data: return .data(data)
        case let reference as EntityReference: return .relationship(reference)
        case let url as URL: return .string(url.absoluteString)
        default:
            let node = Node()
            try value.encode(to: ValueEncoder(node: node, codingPath: path))
            return try node.value(path)
        }
    }

    fileprivate static func failure(_ path: [any CodingKey], _ what: String) -> EntityStoreError {
        let place = path.map(\.stringValue).joined(separator: ".")
        return EntityStoreError(.notCodable, place.isEmpty ? what : "\(place): \(what)")
    }

    /// A place that is being filled.
    fileprivate final class Node {
        enum Content {
            case nothing
            case value(EntityValue)
            case keyed([Name: Node])
            case unkeyed([Node])
        }

        var content = Content.nothing

        func value(_ path: [any CodingKey]) throws -> EntityValue? {
            switch content {
            case .nothing: return nil
            case .value(let value): return value
            case .keyed(let members):
                return .dictionary(try members.compactMapValues { try $0.value(path) })
            case .unkeyed(let elements):
                return .array(
                    try elements.map { element in
                        guard let value = try element.value(path) else {
                            throw EntityEncoder.failure(path, "an array cannot hold null")
                        }
                        return value
                    })
            }
        }
    }

    fileprivate struct ValueEncoder: Encoder {
        let node: Node
        let codingPath: [any CodingKey]
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            KeyedEncodingContainer(KeyedContainer<Key>(node: node, codingPath: codingPath))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer {
            UnkeyedContainer(node: node, codingPath: codingPath)
        }

        func singleValueContainer() -> any SingleValueEncodingContainer {
            SingleContainer(node: node, codingPath: codingPath)
        }
    }

    private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: Node
        let codingPath: [any CodingKey]

        init(node: Node, codingPath: [any CodingKey]) {
            self.node = node
            self.codingPath = codingPath
            if case .keyed = node.content { return }
            node.content = .keyed([:])
        }

        private func member(_ name: String) -> Node {
            guard case .keyed(var members) = node.content else { return Node() }
            let member = members[name] ?? Node()
            members[name] = member
            node.content = .keyed(members)
            return member
        }

        func encodeNil(forKey key: Key) {}

        func encode(_ value: some Encodable, forKey key: Key) throws {
            try SingleContainer(node: member(key.stringValue), codingPath: codingPath + [key])
                .encode(value)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            KeyedEncodingContainer(
                KeyedContainer<Nested>(
                    node: member(key.stringValue), codingPath: codingPath + [key]))
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            UnkeyedContainer(node: member(key.stringValue), codingPath: codingPath + [key])
        }

        func superEncoder() -> any Encoder {
            ValueEncoder(node: member("super"), codingPath: codingPath)
        }

        func superEncoder(forKey key: Key) -> any Encoder {
            ValueEncoder(node: member(key.stringValue), codingPath: codingPath + [key])
        }
    }

    private struct UnkeyedContainer: UnkeyedEncodingContainer {
        let node: Node
        let codingPath: [any CodingKey]

        init(node: Node, codingPath: [any CodingKey]) {
            self.node = node
            self.codingPath = codingPath
            if case .unkeyed = node.content { return }
            node.content = .unkeyed([])
        }

        var count: Int {
            if case .unkeyed(let elements) = node.content { elements.count } else { 0 }
        }

        private func element() -> Node {
            let element = Node()
            if case .unkeyed(let elements) = node.content {
                node.content = .unkeyed(elements + [element])
            }
            return element
        }

        func encodeNil() throws { throw failure(codingPath, "an array cannot hold null") }

        func encode(_ value: some Encodable) throws {
            try SingleContainer(node: element(), codingPath: codingPath).encode(value)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            KeyedEncodingContainer(
                KeyedContainer<Nested>(node: element(), codingPath: codingPath))
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            UnkeyedContainer(node: element(), codingPath: codingPath)
        }

        func superEncoder() -> any Encoder {
            ValueEncoder(node: element(), codingPath: codingPath)
        }
    }

    private struct SingleContainer: SingleValueEncodingContainer {
        let node: Node
        let codingPath: [any CodingKey]

        func encodeNil() {}

        func encode(_ value: Bool) { node.content = .value(.boolean(value)) }
        func encode(_ value: String) { node.content = .value(.string(value)) }
        func encode(_ value: Double) { node.content = .value(.double(value)) }
        func encode(_ value: Float) { node.content = .value(.double(Double(value))) }
        func encode(_ value: Int) throws { try encode(integer: value) }
        func encode(_ value: Int8) throws { try encode(integer: value) }
        func encode(_ value: Int16) throws { try encode(integer: value) }
        func encode(_ value: Int32) throws { try encode(integer: value) }
        func encode(_ value: Int64) throws { try encode(integer: value) }
        func encode(_ value: UInt) throws { try encode(integer: value) }
        func encode(_ value: UInt8) throws { try encode(integer: value) }
        func encode(_ value: UInt16) throws { try encode(integer: value) }
        func encode(_ value: UInt32) throws { try encode(integer: value) }
        func encode(_ value: UInt64) throws { try encode(integer: value) }

        private func encode(integer value: some BinaryInteger) throws {
            guard let whole = Int64(exactly: value) else {
                throw failure(codingPath, "\(value) is too large for an integer")
            }
            node.content = .value(.integer(whole))
        }

        func encode(_ value: some Encodable) throws {
            switch value {
            case let value as Bool: encode(value)
            case let value as String: encode(value)
            case let value as Double: encode(value)
            case let value as Float: encode(value)
            case let value as any BinaryInteger: try encode(integer: value)
            default:
                if let boxed = try boxed(value, codingPath) { node.content = .value(boxed) }
            }
        }
    }
}
