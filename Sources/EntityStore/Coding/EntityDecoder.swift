import Foundation
import Replication

/// Makes a `Decodable` value of an entity: the other way round of ``EntityEncoder``.
///
/// Members named like fixed properties get those. A member that is an integer is also read as a
/// floating-point number.
enum EntityDecoder {
    /// - Throws: `DecodingError` naming the member that does not fit.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from record: EntityRecord
    ) throws -> Value {
        var members: [Name: EntityValue] = [
            Name(FixedProperty.identifier.rawValue): .string(record.identifier),
            Name(FixedProperty.type.rawValue): .string(record.type),
            Name(FixedProperty.datestamp.rawValue): .date(record.datestamp),
            Name(FixedProperty.modified.rawValue): .date(record.modified),
        ]
        for element in record.properties { members[element.key] = element.property.value }
        return try decode(type, from: .dictionary(members), [])
    }

    fileprivate static func decode<Value: Decodable>(
        _ type: Value.Type, from value: EntityValue, _ path: [any CodingKey]
    ) throws -> Value {
        let special: Any? =
            switch type {
            case is Date.Type: value.date?.date
            case is Timestamp.Type: value.date
            case is Data.Type: value.data
            case is EntityReference.Type: value.relationship
            case is URL.Type: value.string.flatMap { URL(string: $0) }
            default: nil
            }
        if let special = special as? Value { return special }
        if type is Date.Type || type is Timestamp.Type || type is Data.Type
            || type is EntityReference.Type || type is URL.Type
        {
            throw mismatch(type, value, path)
        }
        return try Value(from: ValueDecoder(value: value, codingPath: path))
    }

    fileprivate static func mismatch(
        _ type: Any.Type, _ value: EntityValue, _ path: [any CodingKey]
    ) -> DecodingError {
        .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: path, debugDescription: "it is a \(value.kind.name) there"))
    }

    fileprivate struct ValueDecoder: Decoder {
        let value: EntityValue
        let codingPath: [any CodingKey]
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(
            keyedBy type: Key.Type
        ) throws -> KeyedDecodingContainer<Key> {
            guard case .dictionary(let members) = value else {
                throw mismatch([String: Any].self, value, codingPath)
            }
            return KeyedDecodingContainer(
                KeyedContainer<Key>(members: members, codingPath: codingPath))
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
            guard case .array(let elements) = value else {
                throw mismatch([Any].self, value, codingPath)
            }
            return UnkeyedContainer(elements: elements, codingPath: codingPath)
        }

        func singleValueContainer() -> any SingleValueDecodingContainer {
            SingleContainer(value: value, codingPath: codingPath)
        }
    }

    private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: [Name: EntityValue]
        let codingPath: [any CodingKey]

        var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0.text) } }

        func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

        private func value(_ key: Key) throws -> EntityValue {
            guard let value = members[key.stringValue] else {
                throw DecodingError.keyNotFound(
                    key,
                    DecodingError.Context(
                        codingPath: codingPath, debugDescription: "there is no such property"))
            }
            return value
        }

        func decodeNil(forKey key: Key) -> Bool { members[key.stringValue] == nil }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try EntityDecoder.decode(type, from: value(key), codingPath + [key])
        }

        private func decoder(_ key: Key) throws -> ValueDecoder {
            ValueDecoder(value: try value(key), codingPath: codingPath + [key])
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
            ValueDecoder(value: members["super"] ?? .dictionary([:]), codingPath: codingPath)
        }

        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
    }

    private struct UnkeyedContainer: UnkeyedDecodingContainer {
        let elements: [EntityValue]
        let codingPath: [any CodingKey]
        var currentIndex = 0

        init(elements: [EntityValue], codingPath: [any CodingKey]) {
            self.elements = elements
            self.codingPath = codingPath
        }

        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        private mutating func next() throws -> EntityValue {
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    EntityValue.self,
                    DecodingError.Context(
                        codingPath: codingPath, debugDescription: "the array ends before"))
            }
            currentIndex += 1
            return elements[currentIndex - 1]
        }

        func decodeNil() -> Bool { false }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try EntityDecoder.decode(type, from: next(), codingPath)
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            try ValueDecoder(value: next(), codingPath: codingPath).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try ValueDecoder(value: next(), codingPath: codingPath).unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder {
            ValueDecoder(value: try next(), codingPath: codingPath)
        }
    }

    private struct SingleContainer: SingleValueDecodingContainer {
        let value: EntityValue
        let codingPath: [any CodingKey]

        func decodeNil() -> Bool { false }

        private func found<Value>(_ found: Value?) throws -> Value {
            guard let found else { throw mismatch(Value.self, value, codingPath) }
            return found
        }

        func decode(_ type: Bool.Type) throws -> Bool { try found(value.boolean) }
        func decode(_ type: String.Type) throws -> String { try found(value.string) }
        func decode(_ type: Double.Type) throws -> Double { try found(value.double) }
        func decode(_ type: Float.Type) throws -> Float { Float(try found(value.double)) }
        func decode(_ type: Int.Type) throws -> Int { try integer() }
        func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
        func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
        func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
        func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
        func decode(_ type: UInt.Type) throws -> UInt { try integer() }
        func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
        func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
        func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
        func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

        private func integer<Whole: BinaryInteger>() throws -> Whole {
            try found(value.integer.flatMap { Whole(exactly: $0) })
        }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try EntityDecoder.decode(type, from: value, codingPath)
        }
    }
}
