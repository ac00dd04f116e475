/// A type that a column can hold.
///
/// Integers, floating-point numbers, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL` and optionals
/// of these conform. Enumerations and option sets that don't conform are stored by raw value, and
/// other `Codable` types as JSON. To store your own type differently, conform the type:
///
/// ```swift
/// extension Color: ColumnValue {
///     static var columnType: ColumnType { .integer }
///     var sqlValue: SQLValue { .integer(Int64(rgb)) }
///     init(sqlValue: SQLValue) throws { self.init(rgb: try UInt32(sqlValue: sqlValue)) }
/// }
/// ```
public protocol ColumnValue: Sendable {
    /// The declared type of the column.
    static var columnType: ColumnType { get }
    /// Whether a column of this type may be `NULL`.
    static var isNullable: Bool { get }
    /// The value in the form that SQLite stores.
    var sqlValue: SQLValue { get }
    /// Creates a value from a stored value.
    ///
    /// - Throws: An error if the stored value doesn't represent a value of this type.
    init(sqlValue: SQLValue) throws

    /// Binds the value to a statement; by default, its ``sqlValue``.
    func _$bind(_ statement: ColumnStatement, _ index: Int32) throws
    /// Reads a value from a row; by default, from its ``SQLValue``.
    static func _$read(_ statement: ColumnStatement, _ index: Int32) throws -> Self
    /// The target and delete rule of a reference; `nil` for other types.
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
        // All bindings were cleared before, so an unbound parameter is NULL.
        try self?._$bind(statement, index)
    }
    @inlinable public static func _$read(
        _ statement: ColumnStatement, _ index: Int32
    ) throws -> Self {
        statement.isNull(index) ? nil : try Wrapped._$read(statement, index)
    }
}
