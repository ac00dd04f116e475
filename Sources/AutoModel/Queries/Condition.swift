import Foundation

/// What rows a query wants.
public struct Condition: Sendable {
    let sql: String
    let arguments: [SQLValue]
    /// A value that could not be kept, told when the query runs.
    let problem: String?
    /// Whether whether a row is wanted depends on that row alone.
    let isLocal: Bool

    init(_ sql: String, _ arguments: [SQLValue], problem: String? = nil, isLocal: Bool = true) {
        self.sql = sql
        self.arguments = arguments
        self.problem = problem
        self.isLocal = isLocal
    }

    /// A condition in SQL over the columns of the model.
    ///
    /// - Parameter arguments: One for each `?`.
    public init(sql: String, arguments: [any ColumnValue] = []) {
        self.init("(\(sql))", arguments.map(\.sqlValue), isLocal: false)
    }

    public static func && (left: Condition, right: Condition) -> Condition {
        joined(left, "AND", right)
    }
    public static func || (left: Condition, right: Condition) -> Condition {
        joined(left, "OR", right)
    }
    public static prefix func ! (predicate: Condition) -> Condition {
        // A comparison with NULL is neither: the rows that the predicate does not want include it.
        Condition(
            "(\(predicate.sql)) IS NOT TRUE", predicate.arguments, problem: predicate.problem,
            isLocal: predicate.isLocal)
    }

    private static func joined(_ left: Condition, _ word: String, _ right: Condition) -> Condition {
        Condition(
            "(\(left.sql) \(word) \(right.sql))", left.arguments + right.arguments,
            problem: left.problem ?? right.problem, isLocal: left.isLocal && right.isLocal)
    }
}

extension SQLExpression {
    public static func == (left: Self, right: Value) -> Condition { compared(left, "IS", right) }
    public static func != (left: Self, right: Value) -> Condition {
        compared(left, "IS NOT", right)
    }
    public static func < (left: Self, right: Value) -> Condition { compared(left, "<", right) }
    public static func <= (left: Self, right: Value) -> Condition { compared(left, "<=", right) }
    public static func > (left: Self, right: Value) -> Condition { compared(left, ">", right) }
    public static func >= (left: Self, right: Value) -> Condition { compared(left, ">=", right) }

    public static func == <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, "IS", right)
    }
    public static func != <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, "IS NOT", right)
    }
    public static func < <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, "<", right)
    }
    public static func > <Other: SQLExpression<Value>>(left: Self, right: Other) -> Condition {
        compared(left, ">", right)
    }

    /// Whether it is one of them.
    public func isIn(_ values: some Sequence<Value>) -> Condition {
        let inner = _$expression
        do {
            let encoded = try values.map(inner.coder.encode)
            let marks = repeatElement("?", count: encoded.count).joined(separator: ",")
            return Condition(
                "\(inner.sql) IN (\(marks))", inner.arguments + encoded, isLocal: inner.isLocal)
        } catch {
            return Condition("0", [], problem: "\(error)")
        }
    }

    private static func compared(_ left: Self, _ sign: String, _ right: Value) -> Condition {
        let inner = left._$expression
        do {
            let value = try inner.coder.encode(right)
            return Condition(
                "\(inner.sql) \(sign) ?", inner.arguments + [value], isLocal: inner.isLocal)
        } catch {
            return Condition("0", [], problem: "\(error)")
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

/// Text and text that may be missing.
public protocol TextValue: Sendable {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped == String {}

extension SQLExpression where Value: TextValue {
    /// Capitals and small letters are different. An index on the column serves it.
    public func hasPrefix(_ prefix: String) -> Condition {
        let inner = _$expression
        let text = SQLValue.text(prefix)
        return Condition(
            "(\(inner.sql) >= ? AND substr(\(inner.sql), 1, length(?)) = ?)",
            inner.arguments + [text] + inner.arguments + [text, text], isLocal: inner.isLocal)
    }

    /// Capitals and small letters are different.
    public func hasSuffix(_ suffix: String) -> Condition {
        let inner = _$expression
        let text = SQLValue.text(suffix)
        return Condition(
            "(? = '' OR substr(\(inner.sql), -length(?)) = ?)",
            [text] + inner.arguments + [text, text], isLocal: inner.isLocal)
    }

    /// Capitals and small letters are different.
    public func contains(_ part: String) -> Condition {
        let inner = _$expression
        return Condition(
            "instr(\(inner.sql), ?) > 0", inner.arguments + [.text(part)], isLocal: inner.isLocal)
    }
}

extension SQLExpression where Value == Bool {
    /// A column of Bool is a condition itself.
    public var isTrue: Condition {
        let inner = _$expression
        return Condition("\(inner.sql)", inner.arguments, isLocal: inner.isLocal)
    }
}

extension SQLExpression where Value: OptionSet & Sendable, Value.RawValue: FixedWidthInteger {
    /// Whether all of the options are set.
    public func contains(_ options: Value) -> Condition {
        let inner = _$expression
        let bits = SQLValue.integer(Int64(truncatingIfNeeded: options.rawValue))
        return Condition(
            "(\(inner.sql) & ?) = ?", inner.arguments + [bits, bits], isLocal: inner.isLocal)
    }
}
