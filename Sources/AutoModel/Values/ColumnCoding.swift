import Foundation

/// A conversion between the values of a Swift type and those of a column. For code that the macro
/// generates.
public protocol ColumnCoding<Value>: Sendable {
    /// The type of the property.
    associatedtype Value: Sendable
    /// The declared type of the column.
    var type: ColumnType { get }
    /// Whether the column may be `NULL`.
    var isNullable: Bool { get }
    /// Returns the stored form of a value.
    func sqlValue(_ value: Value) throws -> SQLValue
    /// Returns the Swift value for a stored value.
    func value(_ value: SQLValue) throws -> Value
    /// Binds a value to a statement.
    func bind(_ value: Value, _ statement: ColumnStatement, _ index: Int32) throws
    /// Reads a value from a row.
    func read(_ statement: ColumnStatement, _ index: Int32) throws -> Value
    /// Returns the target and delete rule of a reference; `nil` for other types.
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

/// The coding of a type that conforms to ``ColumnValue``.
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

/// The coding of enumerations and option sets by their raw values.
public struct RawCoding<Value: RawRepresentable & Sendable>: ColumnCoding
where Value.RawValue: ColumnValue {
    @usableFromInline init() {}
    @inlinable public var type: ColumnType { Value.RawValue.columnType }
    @inlinable public func sqlValue(_ value: Value) -> SQLValue { value.rawValue.sqlValue }
    public func value(_ value: SQLValue) throws -> Value {
        let raw = try Value.RawValue(sqlValue: value)
        guard let value = Value(rawValue: raw) else {
            throw InvalidValue("it holds \(raw), which isn't a raw value of \(Value.self)")
        }
        return value
    }
}

/// The coding of other types as JSON with sorted keys.
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

/// The coding of an optional whose wrapped type isn't a ``ColumnValue``.
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
        // With sorted keys, equal values have the same text. So unchanged values aren't written.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    static let decoder = JSONDecoder()
}

// The macro generates calls of these functions. The compiler chooses a coding by the property's
// type and specializes the code in the model's module. `ColumnValue` takes precedence, then raw
// values, then JSON.

@inlinable public func _autoCoding<Owner, Value: ColumnValue>(
    _ property: (Owner) -> Value
) -> PlainCoding<Value> { PlainCoding() }

@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Sendable>(
    _ property: (Owner) -> Value
) -> RawCoding<Value> where Value.RawValue: ColumnValue { RawCoding() }

@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Codable & Sendable>(
    _ property: (Owner) -> Value
) -> RawCoding<Value> where Value.RawValue: ColumnValue { RawCoding() }

@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Sendable>(
    _ property: (Owner) -> Value?
) -> OptionalCoding<RawCoding<Value>> where Value.RawValue: ColumnValue {
    OptionalCoding(wrapped: RawCoding())
}

@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: RawRepresentable & Codable & Sendable>(
    _ property: (Owner) -> Value?
) -> OptionalCoding<RawCoding<Value>> where Value.RawValue: ColumnValue {
    OptionalCoding(wrapped: RawCoding())
}

@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: Codable & Sendable>(
    _ property: (Owner) -> Value
) -> JSONCoding<Value> { JSONCoding() }

@_disfavoredOverload
@inlinable public func _autoCoding<Owner, Value: Codable & Sendable>(
    _ property: (Owner) -> Value?
) -> OptionalCoding<JSONCoding<Value>> { OptionalCoding(wrapped: JSONCoding()) }
