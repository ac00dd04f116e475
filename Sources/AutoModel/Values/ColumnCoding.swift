import Foundation

/// How the values of one type become those of a column. Made by what the macro makes.
public protocol ColumnCoding<Value>: Sendable {
    associatedtype Value: Sendable
    var type: ColumnType { get }
    var isNullable: Bool { get }
    func sqlValue(_ value: Value) throws -> SQLValue
    func value(_ value: SQLValue) throws -> Value
    func bind(_ value: Value, _ statement: ColumnStatement, _ index: Int32) throws
    func read(_ statement: ColumnStatement, _ index: Int32) throws -> Value
    func reference(_ value: Value) -> ReferenceTarget?
}

extension ColumnCoding {
    @inlinable public var isNullable: Bool { false }
    @inlinable public func bind(_ value: Value, _ statement: ColumnStatement, _ index: Int32) throws
    {
        try statement.bind(sqlValue(value), index)
    }
    @inlinable public func read(_ statement: ColumnStatement, _ index: Int32) throws -> Value {
        try value(statement.value(index))
    }
    @inlinable public func reference(_ value: Value) -> ReferenceTarget? { nil }
}

/// A type that says itself how it is kept.
public struct PlainCoding<Value: ColumnValue>: ColumnCoding {
    @usableFromInline init() {}
    @inlinable public var type: ColumnType { Value.columnType }
    @inlinable public var isNullable: Bool { Value.isNullable }
    @inlinable public func sqlValue(_ value: Value) -> SQLValue { value.sqlValue }
    @inlinable public func value(_ value: SQLValue) throws -> Value { try Value(sqlValue: value) }
    @inlinable public func bind(_ value: Value, _ statement: ColumnStatement, _ index: Int32) throws
    {
        try value._$bind(statement, index)
    }
    @inlinable public func read(_ statement: ColumnStatement, _ index: Int32) throws -> Value {
        try Value._$read(statement, index)
    }
    @inlinable public func reference(_ value: Value) -> ReferenceTarget? { value._$reference }
}

/// Enumerations and option sets, by their raw values.
public struct RawCoding<Value: RawRepresentable & Sendable>: ColumnCoding
where Value.RawValue: ColumnValue {
    @usableFromInline init() {}
    @inlinable public var type: ColumnType { Value.RawValue.columnType }
    @inlinable public func sqlValue(_ value: Value) -> SQLValue { value.rawValue.sqlValue }
    public func value(_ value: SQLValue) throws -> Value {
        let raw = try Value.RawValue(sqlValue: value)
        guard let value = Value(rawValue: raw) else {
            throw UnfitValue("it holds \(raw), which no \(Value.self) has as its raw value")
        }
        return value
    }
}

/// Any other type, as JSON with sorted keys.
public struct JSONCoding<Value: Codable & Sendable>: ColumnCoding {
    @usableFromInline init() {}
    public var type: ColumnType { .text }
    public func sqlValue(_ value: Value) throws -> SQLValue {
        .text(String(decoding: try JSONCoders.encoder.encode(value), as: UTF8.self))
    }
    public func value(_ value: SQLValue) throws -> Value {
        let text = try String(sqlValue: value)
        return try JSONCoders.decoder.decode(Value.self, from: Data(text.utf8))
    }
}

/// An optional of what is not itself a column's value.
public struct OptionalCoding<Wrapped: ColumnCoding>: ColumnCoding {
    public typealias Value = Wrapped.Value?
    @usableFromInline let wrapped: Wrapped
    @usableFromInline init(wrapped: Wrapped) { self.wrapped = wrapped }
    public var type: ColumnType { wrapped.type }
    public var isNullable: Bool { true }
    public func sqlValue(_ value: Value) throws -> SQLValue {
        try value.map { try wrapped.sqlValue($0) } ?? .null
    }
    public func value(_ value: SQLValue) throws -> Value {
        value.isNull ? nil : .some(try wrapped.value(value))
    }
}

private enum JSONCoders {
    static let encoder = {
        let encoder = JSONEncoder()
        // One value has one text: what has not changed is not written.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    static let decoder = JSONDecoder()
}

// The compiler chooses by the type of the property, and makes its code where the property is declared. What says itself how it is kept goes first, raw
// values next, JSON last.

/// How a property is kept; used by what the macro makes.
@inlinable public func _autoCoding<Owner, Value: ColumnValue>(_ property: (Owner) -> Value)
    -> PlainCoding<
        Value
    >
{
    PlainCoding()
}

/// How a property is kept; used by what the macro makes.
@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Sendable>(
    _ property: (Owner) -> Value
) -> RawCoding<Value> where Value.RawValue: ColumnValue { RawCoding() }

/// How a property is kept; used by what the macro makes.
@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Codable & Sendable>(
    _ property: (Owner) -> Value
) -> RawCoding<Value> where Value.RawValue: ColumnValue { RawCoding() }

/// How a property is kept; used by what the macro makes.
@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Sendable>(
    _ property: (Owner) -> Value?
) -> OptionalCoding<RawCoding<Value>> where Value.RawValue: ColumnValue {
    OptionalCoding(wrapped: RawCoding())
}

/// How a property is kept; used by what the macro makes.
@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Codable & Sendable>(
    _ property: (Owner) -> Value?
) -> OptionalCoding<RawCoding<Value>> where Value.RawValue: ColumnValue {
    OptionalCoding(wrapped: RawCoding())
}

/// How a property is kept; used by what the macro makes.
@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: Codable & Sendable>(
    _ property: (Owner) -> Value
) -> JSONCoding<Value> { JSONCoding() }

/// How a property is kept; used by what the macro makes.
@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: Codable & Sendable>(
    _ property: (Owner) -> Value?
) -> OptionalCoding<JSONCoding<Value>> { OptionalCoding(wrapped: JSONCoding()) }
