public import Foundation

extension ColumnValue where Self: FixedWidthInteger {
    public static var columnType: ColumnType { .integer }
    /// The number. Unsigned numbers of 64 bits keep their bits.
    public var sqlValue: SQLValue { .integer(Int64(truncatingIfNeeded: self)) }

    /// Creates a number from an integer. Throws an error for other values, and if the type can't
    /// hold the number.
    public init(sqlValue: SQLValue) throws {
        guard case .integer(let number) = sqlValue else {
            throw InvalidValue("it holds \(sqlValue.literal.prefix(40)), which isn't an integer")
        }
        self = try Self.fitting(number)
    }
    @inlinable public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        statement.bind(Int64(truncatingIfNeeded: self), index)
    }
    @inlinable public static func _$read(
        _ statement: ColumnStatement, _ index: Int32
    ) throws -> Self {
        try fitting(statement.integer(index))
    }

    @inlinable static func fitting(_ number: Int64) throws -> Self {
        // 64-bit unsigned integers are stored by bit pattern.
        if Self.bitWidth == 64 { return Self(truncatingIfNeeded: number) }
        guard let value = Self(exactly: number) else {
            throw beyond(number)
        }
        return value
    }

    @usableFromInline static func beyond(_ number: Int64) -> any Error {
        InvalidValue("it holds \(number), which is out of the range of \(Self.self)")
    }
}

extension Int: ColumnValue {}
extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}
/// Stored as a signed integer with the same bits. In SQL, numbers beyond `Int64.max` sort before
/// all others.
extension UInt64: ColumnValue {}

extension Bool: ColumnValue {
    public static var columnType: ColumnType { .integer }
    /// `1` for true, `0` for false.
    public var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    /// Creates `true` from any integer except 0.
    public init(sqlValue: SQLValue) throws { self = try Int64(sqlValue: sqlValue) != 0 }
    public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        statement.bind(self ? 1 : 0 as Int64, index)
    }
    public static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> Bool {
        try statement.integer(index) != 0
    }
}

/// Stored as a floating-point number. NaN can't be stored, because SQLite would store NULL instead.
extension Double: ColumnValue {
    public static var columnType: ColumnType { .real }
    /// The number.
    public var sqlValue: SQLValue { .real(self) }
    /// Creates a number from a floating-point number or an integer.
    public init(sqlValue: SQLValue) throws {
        switch sqlValue {
        case .real(let number): self = number
        case .integer(let number): self = Double(number)
        default:
            throw InvalidValue("it holds \(sqlValue.literal.prefix(40)), which isn't a number")
        }
    }
    public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        try statement.bind(self, index)
    }
    public static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> Double {
        try statement.number(index)
    }
}

extension Float: ColumnValue {
    public static var columnType: ColumnType { .real }
    /// The number, as a `Double`.
    public var sqlValue: SQLValue { .real(Double(self)) }
    /// Creates a number, rounded to the precision of `Float`.
    public init(sqlValue: SQLValue) throws { self = Float(try Double(sqlValue: sqlValue)) }
}

extension String: ColumnValue {
    public static var columnType: ColumnType { .text }
    /// The text.
    public var sqlValue: SQLValue { .text(self) }
    /// Creates a text from a text. Throws an error for other values.
    public init(sqlValue: SQLValue) throws {
        guard case .text(let text) = sqlValue else {
            throw InvalidValue("it holds \(sqlValue.literal.prefix(40)), which isn't text")
        }
        self = text
    }
    public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        try statement.bind(self, index)
    }
    public static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> String {
        try statement.string(index)
    }
}

extension Data: ColumnValue {
    public static var columnType: ColumnType { .blob }
    /// The bytes.
    public var sqlValue: SQLValue { .blob(self) }
    /// Creates the bytes of a blob. Throws an error for other values.
    public init(sqlValue: SQLValue) throws {
        guard case .blob(let data) = sqlValue else {
            throw InvalidValue("it holds \(sqlValue.literal.prefix(40)), which isn't a blob")
        }
        self = data
    }
    public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        try statement.bind(self, index)
    }
    public static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> Data {
        try statement.bytes(index)
    }
}

/// Stored as seconds since 1 January 1970, as a floating-point number.
extension Date: ColumnValue {
    public static var columnType: ColumnType { .real }
    /// The seconds since 1 January 1970.
    public var sqlValue: SQLValue { .real(timeIntervalSince1970) }
    /// Creates a date from the seconds since 1 January 1970.
    public init(sqlValue: SQLValue) throws {
        self.init(timeIntervalSince1970: try Double(sqlValue: sqlValue))
    }
    public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        try statement.bind(timeIntervalSince1970, index)
    }
    public static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> Date {
        Date(timeIntervalSince1970: try statement.number(index))
    }
}

/// Stored as 16 bytes.
extension UUID: ColumnValue {
    public static var columnType: ColumnType { .blob }
    /// The 16 bytes.
    public var sqlValue: SQLValue { .blob(withUnsafeBytes(of: uuid) { Data($0) }) }
    /// Creates a UUID from 16 bytes. Throws an error for other values.
    public init(sqlValue: SQLValue) throws {
        guard case .blob(let data) = sqlValue, data.count == 16 else {
            throw InvalidValue("it holds \(sqlValue.literal.prefix(40)), which isn't a UUID")
        }
        self.init(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

/// Stored as text.
extension URL: ColumnValue {
    public static var columnType: ColumnType { .text }
    /// The text of the absolute URL.
    public var sqlValue: SQLValue { .text(absoluteString) }
    /// Creates a URL from its text. Throws an error if the text isn't a URL.
    public init(sqlValue: SQLValue) throws {
        let text = try String(sqlValue: sqlValue)
        guard let url = URL(string: text) else {
            throw InvalidValue("it holds \(sqlValue.literal.prefix(40)), which isn't a URL")
        }
        self = url
    }
}

/// Stored unchanged.
extension SQLValue: ColumnValue {
    public static var columnType: ColumnType { .blob }
    public static var isNullable: Bool { true }
    /// The value itself.
    public var sqlValue: SQLValue { self }
    /// Creates the same value.
    public init(sqlValue: SQLValue) { self = sqlValue }
}
