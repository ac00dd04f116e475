import GRDBSQLite

/// A type that a column can hold.
///
/// Integers, floating-point numbers, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL` and optionals
/// of these conform. Enumerations and option sets are kept by their raw values and any other
/// `Codable` type as JSON without conforming. A type of your own conforms to be kept otherwise:
///
/// ```swift
/// extension Colour: ColumnValue {
///     static var columnType: ColumnType { .integer }
///     var sqlValue: SQLValue { .integer(Int64(rgb)) }
///     init(sqlValue: SQLValue) throws { self.init(rgb: try UInt32(sqlValue: sqlValue)) }
/// }
/// ```
public protocol ColumnValue: Sendable {
    /// The type that its column is declared with.
    static var columnType: ColumnType { get }
    /// Whether its column may be `NULL`.
    static var isNullable: Bool { get }
    /// The value as SQLite keeps it.
    var sqlValue: SQLValue { get }
    /// The value that is kept so.
    /// - Throws: Where it is the value of another type.
    init(sqlValue: SQLValue) throws

    /// Puts it into a statement; what there is does it by way of ``sqlValue``.
    func _$bind(_ statement: ColumnStatement, _ index: Int32) throws
    /// Takes it out of a row; what there is does it by way of ``sqlValue``.
    static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> Self
    /// The model and rule of a reference; `nil` for everything else.
    var _$reference: ReferenceTarget? { get }
}

extension ColumnValue {
    public static var isNullable: Bool { false }
    public var _$reference: ReferenceTarget? { nil }
    public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        try statement.bind(sqlValue, index)
    }
    public static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> Self {
        try Self(sqlValue: statement.value(index))
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    public static var columnType: ColumnType { Wrapped.columnType }
    public static var isNullable: Bool { true }
    public var sqlValue: SQLValue { self?.sqlValue ?? .null }
    public var _$reference: ReferenceTarget? { self?._$reference }

    public init(sqlValue: SQLValue) throws {
        self = sqlValue.isNull ? nil : try Wrapped(sqlValue: sqlValue)
    }
    @inlinable public func _$bind(_ statement: ColumnStatement, _ index: Int32) throws {
        // A statement's values are cleared before: what is not bound is NULL.
        try self?._$bind(statement, index)
    }
    @inlinable public static func _$read(
        _ statement: ColumnStatement, _ index: Int32
    ) throws -> Self {
        statement.isNull(index) ? nil : try Wrapped._$read(statement, index)
    }
}
