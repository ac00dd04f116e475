/// An SQL expression over the columns of a row.
public protocol SQLExpression<Value>: Sendable {
    associatedtype Value: Sendable
    var _$expression: RowExpression<Value> { get }
}

/// An SQL expression with its arguments.
public struct RowExpression<Value: Sendable>: SQLExpression {
    let sql: String
    let arguments: [SQLValue]
    let coder: ValueCoder<Value>
    /// Whether the value depends only on the row itself.
    let isLocal: Bool
    public var _$expression: RowExpression { self }

    init(
        _ sql: String, _ arguments: [SQLValue] = [], _ coder: ValueCoder<Value>,
        isLocal: Bool = true
    ) {
        self.sql = sql
        self.arguments = arguments
        self.coder = coder
        self.isLocal = isLocal
    }
}

extension RowExpression where Value: ColumnValue {
    /// Creates an SQL expression over the columns of the model, such as `"length(name)"`.
    ///
    /// - Parameter arguments: A value for each `?`.
    public init(sql: String, arguments: [any ColumnValue] = []) {
        self.init("(\(sql))", arguments.map(\.sqlValue), .plain(), isLocal: false)
    }

    init(_ sql: String, _ arguments: [SQLValue] = [], isLocal: Bool = true) {
        self.init(sql, arguments, .plain(), isLocal: isLocal)
    }
}

extension ValueCoder where Value: ColumnValue {
    static func plain() -> ValueCoder {
        ValueCoder(encode: { $0.sqlValue }, decode: { try Value(sqlValue: $0) })
    }
}

extension ModelColumn: SQLExpression {
    public var _$expression: RowExpression<Value> { RowExpression(sql, [], coder) }
}

// Numbers.
extension SQLExpression where Value: Numeric & ColumnValue {
    /// Returns the sum of two numbers.
    public static func + (left: Self, right: some SQLExpression<Value>) -> RowExpression<Value> {
        combined(left, "+", right)
    }
    /// Returns the difference of two numbers.
    public static func - (left: Self, right: some SQLExpression<Value>) -> RowExpression<Value> {
        combined(left, "-", right)
    }
    /// Returns the product of two numbers.
    public static func * (left: Self, right: some SQLExpression<Value>) -> RowExpression<Value> {
        combined(left, "*", right)
    }
    /// Returns the sum of two numbers.
    public static func + (left: Self, right: Value) -> RowExpression<Value> {
        combined(left, "+", RowExpression("?", [right.sqlValue]))
    }
    /// Returns the difference of two numbers.
    public static func - (left: Self, right: Value) -> RowExpression<Value> {
        combined(left, "-", RowExpression("?", [right.sqlValue]))
    }
    /// Returns the product of two numbers.
    public static func * (left: Self, right: Value) -> RowExpression<Value> {
        combined(left, "*", RowExpression("?", [right.sqlValue]))
    }

    private static func combined(
        _ left: Self, _ sign: String, _ right: some SQLExpression<Value>
    ) -> RowExpression<Value> {
        let (left, right) = (left._$expression, right._$expression)
        return RowExpression(
            "(\(left.sql) \(sign) \(right.sql))", left.arguments + right.arguments, left.coder,
            isLocal: left.isLocal && right.isLocal)
    }
}

// Text.
extension SQLExpression where Value == String {
    /// Returns the text in lowercase. Converts only ASCII letters.
    public func lowercased() -> RowExpression<String> { wrapped("lower") }
    /// The number of Unicode scalars, which SQLite counts as characters.
    public var count: RowExpression<Int> { wrapped("length") }

    private func wrapped<Result: ColumnValue>(_ function: String) -> RowExpression<Result> {
        let inner = _$expression
        return RowExpression(
            "\(function)(\(inner.sql))", inner.arguments, isLocal: inner.isLocal)
    }
}

// Aggregates over all rows of a query or group.
extension SQLExpression {
    /// Returns the number of rows with a value.
    ///
    /// - Parameter isDistinct: Whether equal values count once.
    public func count(distinct isDistinct: Bool = false) -> RowExpression<Int> {
        let inner = _$expression
        return RowExpression(
            "count(\(isDistinct ? "DISTINCT " : "")\(inner.sql))", inner.arguments, isLocal: false)
    }
}

extension SQLExpression where Value: ColumnValue {
    /// Returns the maximum; `nil` if the query has no rows.
    @_disfavoredOverload
    public func max() -> RowExpression<Value?> { aggregate("max") }
    /// Returns the minimum; `nil` if the query has no rows.
    @_disfavoredOverload
    public func min() -> RowExpression<Value?> { aggregate("min") }

    /// Returns the maximum; `nil` if no row of the query has a value.
    public func max<Wrapped: ColumnValue>() -> RowExpression<Value> where Value == Wrapped? {
        aggregate("max")
    }
    /// Returns the minimum; `nil` if no row of the query has a value.
    public func min<Wrapped: ColumnValue>() -> RowExpression<Value> where Value == Wrapped? {
        aggregate("min")
    }
    /// Returns the sum; `nil` if no row of the query has a value.
    public func sum<Wrapped: Numeric & ColumnValue>() -> RowExpression<Value>
    where Value == Wrapped? { aggregate("sum") }
    /// Returns the average; `nil` if no row of the query has a value.
    public func average<Wrapped: Numeric & ColumnValue>() -> RowExpression<Double?>
    where Value == Wrapped? { aggregate("avg") }

    fileprivate func aggregate<Result: ColumnValue>(_ function: String) -> RowExpression<Result> {
        let inner = _$expression
        return RowExpression("\(function)(\(inner.sql))", inner.arguments, isLocal: false)
    }
}

extension SQLExpression where Value: Numeric & ColumnValue {
    /// Returns the sum; `nil` if the query has no rows.
    public func sum() -> RowExpression<Value?> { aggregate("sum") }
    /// Returns the average; `nil` if the query has no rows.
    public func average() -> RowExpression<Double?> { aggregate("avg") }
}

/// One or several sort terms.
public protocol OrderingConvertible: Sendable {
    var _$orderings: [Ordering] { get }
}

extension Ordering: OrderingConvertible {
    public var _$orderings: [Ordering] { [self] }
}

extension [Ordering]: OrderingConvertible {
    public var _$orderings: [Ordering] { self }
}

/// A sort term.
public struct Ordering: Sendable {
    let sql: String
    let arguments: [SQLValue]
    let isDescending: Bool
    let isLocal: Bool
    var whole: String { isDescending ? "\(sql) DESC" : sql }
}

extension SQLExpression {
    /// Ascending order; rows without a value come first.
    public var ascending: Ordering { ordering(isDescending: false) }
    /// Descending order; rows without a value come last.
    public var descending: Ordering { ordering(isDescending: true) }

    private func ordering(isDescending: Bool) -> Ordering {
        let inner = _$expression
        return Ordering(
            sql: inner.sql, arguments: inner.arguments, isDescending: isDescending,
            isLocal: inner.isLocal)
    }
}
