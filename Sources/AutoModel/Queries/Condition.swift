/// A condition on rows.
///
/// ```swift
/// Artist.where { $0.formed == nil && !$0.name.hasPrefix("The ") }
/// ```
public struct Condition: Sendable {
    let sql: String
    let arguments: [SQLValue]
    /// The reason that the condition can't be tested, which the query reports when it runs.
    let problem: String?
    /// Whether the condition depends only on the row itself.
    let isLocal: Bool

    init(_ sql: String, _ arguments: [SQLValue], problem: String? = nil, isLocal: Bool = true) {
        self.sql = sql
        self.arguments = arguments
        self.problem = problem
        self.isLocal = isLocal
    }

    /// Creates a condition in SQL over the columns of the model.
    ///
    /// - Parameter arguments: A value for each `?`.
    public init(sql: String, arguments: [any ColumnValue] = []) {
        self.init("(\(sql))", arguments.map(\.sqlValue), isLocal: false)
    }

    fileprivate static func joined(
        _ left: Condition, _ word: String, _ right: Condition
    ) -> Condition {
        Condition(
            "(\(left.sql) \(word) \(right.sql))", left.arguments + right.arguments,
            problem: left.problem ?? right.problem, isLocal: left.isLocal && right.isLocal)
    }
}

/// A condition, or an expression that can be used as a condition, such as a column of type `Bool`.
///
/// ```swift
/// Article.where { !$0.isRead && $0.date > yesterday }
/// ```
public protocol ConditionConvertible: Sendable {
    var _$condition: Condition { get }
    /// The condition that holds if this one doesn't.
    var _$negated: Condition { get }
}

extension ConditionConvertible {
    public var _$negated: Condition {
        let condition = _$condition
        // In SQL, a comparison with NULL is neither true nor false, so `NOT` would exclude rows
        // with NULL.
        return Condition(
            "(\(condition.sql)) IS NOT TRUE", condition.arguments, problem: condition.problem,
            isLocal: condition.isLocal)
    }

    /// Returns a condition that holds if both conditions hold.
    public static func && (left: Self, right: some ConditionConvertible) -> Condition {
        .joined(left._$condition, "AND", right._$condition)
    }
    /// Returns a condition that holds if at least one of the conditions holds.
    public static func || (left: Self, right: some ConditionConvertible) -> Condition {
        .joined(left._$condition, "OR", right._$condition)
    }
    /// Returns a condition that holds if `condition` doesn't, including comparisons with `NULL`.
    public static prefix func ! (condition: Self) -> Condition { condition._$negated }
}

extension Condition: ConditionConvertible {
    public var _$condition: Condition { self }
}

extension ModelColumn: ConditionConvertible where Value == Bool {
    public var _$condition: Condition { self == true }
    public var _$negated: Condition { self == false }
}

extension RowExpression: ConditionConvertible where Value == Bool {
    public var _$condition: Condition { Condition(sql, arguments, isLocal: isLocal) }
}

extension SQLExpression {
    /// Tests whether the values are equal; `nil` equals `nil`.
    public static func == (left: Self, right: Value) -> Condition { compared(left, "IS", right) }
    /// Tests whether the values differ; `nil` equals `nil`.
    public static func != (left: Self, right: Value) -> Condition {
        compared(left, "IS NOT", right)
    }
    /// Tests whether the left value is less than the right one.
    public static func < (left: Self, right: Value) -> Condition { compared(left, "<", right) }
    /// Tests whether the left value is less than or equal to the right one.
    public static func <= (left: Self, right: Value) -> Condition { compared(left, "<=", right) }
    /// Tests whether the left value is greater than the right one.
    public static func > (left: Self, right: Value) -> Condition { compared(left, ">", right) }
    /// Tests whether the left value is greater than or equal to the right one.
    public static func >= (left: Self, right: Value) -> Condition { compared(left, ">=", right) }

    /// Tests whether two expressions are equal; `nil` equals `nil`.
    public static func == <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, "IS", right)
    }
    /// Tests whether two expressions differ; `nil` equals `nil`.
    public static func != <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, "IS NOT", right)
    }
    /// Tests whether the left expression is less than the right one.
    public static func < <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, "<", right)
    }
    /// Tests whether the left expression is greater than the right one.
    public static func > <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, ">", right)
    }

    /// Tests whether the column refers to the object, or to no object if the argument is `nil`. No
    /// row refers to an object that was never saved.
    public static func == <Target: AutoObject>(
        left: Self, right: Target?
    ) -> Condition where Value == Reference<Target> { compared(left, "IS", right) }
    /// Tests whether the column doesn't refer to the object. If the argument is `nil`, tests
    /// whether the column refers to any object.
    public static func != <Target: AutoObject>(
        left: Self, right: Target?
    ) -> Condition where Value == Reference<Target> { compared(left, "IS NOT", right) }

    private static func compared<Target: AutoObject>(
        _ left: Self, _ sign: String, _ right: Target?
    ) -> Condition where Value == Reference<Target> {
        let inner = left._$expression
        let id = right.map { SQLValue.integer($0.id) } ?? .null
        return Condition(
            "\(inner.sql) \(sign) ?", inner.arguments + [id], isLocal: inner.isLocal)
    }

    /// Tests whether the value is one of the given values.
    public func isIn(_ values: some Sequence<Value>) -> Condition {
        let inner = _$expression
        do {
            let encoded = try values.map(inner.coder.encode)
            let marks = repeatElement("?", count: encoded.count).joined(separator: ",")
            return Condition(
                "\(inner.sql) IN (\(marks))", inner.arguments + encoded, isLocal: inner.isLocal)
        } catch {
            return Condition("0", [], problem: "a value can't be stored: \(error)")
        }
    }

    private static func compared(_ left: Self, _ sign: String, _ right: Value) -> Condition {
        let inner = left._$expression
        do {
            let value = try inner.coder.encode(right)
            return Condition(
                "\(inner.sql) \(sign) ?", inner.arguments + [value], isLocal: inner.isLocal)
        } catch {
            return Condition("0", [], problem: "a value can't be stored: \(error)")
        }
    }

    private static func compared(
        _ left: Self, _ sign: String, _ right: some SQLExpression<Value>
    ) -> Condition {
        let (left, right) = (left._$expression, right._$expression)
        return Condition(
            "\(left.sql) \(sign) \(right.sql)", left.arguments + right.arguments,
            isLocal: left.isLocal && right.isLocal)
    }
}

extension Sequence where Element: Sendable {
    /// Tests whether the value of an expression is one of these values.
    ///
    /// ```swift
    /// Album.where { [1965, 1966].contains($0.year) }
    /// ```
    public func contains(_ expression: some SQLExpression<Element>) -> Condition {
        expression.isIn(self)
    }
}

/// Text, optional or not.
public protocol TextValue: Sendable {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped == String {}

extension SQLExpression where Value: TextValue {
    /// Tests whether the text starts with a prefix. Case-sensitive. Uses an index on the column.
    public func hasPrefix(_ prefix: String) -> Condition {
        let inner = _$expression
        let text = SQLValue.text(prefix)
        return Condition(
            "(\(inner.sql) >= ? AND substr(\(inner.sql), 1, length(?)) = ?)",
            inner.arguments + [text] + inner.arguments + [text, text], isLocal: inner.isLocal)
    }

    /// Tests whether the text ends with a suffix. Case-sensitive.
    public func hasSuffix(_ suffix: String) -> Condition {
        let inner = _$expression
        let text = SQLValue.text(suffix)
        return Condition(
            "(? = '' OR substr(\(inner.sql), -length(?)) = ?)",
            [text] + inner.arguments + [text, text], isLocal: inner.isLocal)
    }

    /// Tests whether the text contains a part. Case-sensitive.
    public func contains(_ part: String) -> Condition {
        let inner = _$expression
        return Condition(
            "instr(\(inner.sql), ?) > 0", inner.arguments + [.text(part)], isLocal: inner.isLocal)
    }
}

extension SQLExpression where Value: OptionSet & Sendable, Value.RawValue: FixedWidthInteger {
    /// Tests whether all of the given options are set.
    public func contains(_ options: Value) -> Condition {
        let inner = _$expression
        let bits = SQLValue.integer(Int64(truncatingIfNeeded: options.rawValue))
        return Condition(
            "(\(inner.sql) & ?) = ?", inner.arguments + [bits, bits], isLocal: inner.isLocal)
    }
}
