import Foundation
public import GRDB
import Replication

/// A filter and an order for the rows of a table.
public struct RowSelection: Hashable, Sendable {
    /// A sort order by one column, or by an expression.
    public struct Sort: Hashable, Sendable {
        /// The name of the column.
        public var column: String
        /// Whether the order is descending.
        public var isDescending: Bool
        /// The SQL expression to order the rows by, instead of a column.
        private(set) var expression: String?

        /// Creates an order by a column, ascending by default.
        public init(_ column: String, isDescending: Bool = false) {
            self.column = column
            self.isDescending = isDescending
        }

        /// Creates an order by an SQL expression over the columns of the table.
        init(expression: String) {
            self.init("")
            self.expression = expression
        }
    }

    /// The condition that rows must meet.
    public var condition: RowCondition?
    /// The order; `nil` for the order of the table's key.
    public var sort: Sort?

    /// Creates a selection. By default, it contains all rows, ordered by key.
    public init(condition: RowCondition? = nil, sort: Sort? = nil) {
        self.condition = condition
        self.sort = sort
    }
}

/// An SQL expression over the columns of a table, with its arguments.
public struct RowCondition: Hashable, Sendable {
    /// The expression, with `?` for each argument.
    public var sql: String
    /// The arguments, in order.
    public var arguments: [TableValue]

    /// Creates a condition, with `?` for each argument.
    public init(_ sql: String, _ arguments: [TableValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    /// Checks a user's expression over the columns of a table.
    ///
    /// - Throws: ``TablesError``, `.usage`, with SQLite's message if the expression is invalid.
    public init(expression: String, of table: String, _ db: Database) throws {
        guard expression.contains(where: { !$0.isWhitespace }) else {
            throw TablesError(.usage, "the expression is empty")
        }
        // The line break ends a comment at the end of the expression.
        self.init(expression + "\n")
        let behind = ") FROM \(SQLName.quoted(table))"
        do {
            let whole = "SELECT (\(sql)\(behind)"
            try db.requireNames(in: expression, of: whole)
            try db.acceptingQuotedText {
                try db.makeStatement(sql: whole).requireNoParameters()
            }
        } catch let error as DatabaseError {
            guard let error = TablesError(error) else { throw error }
            // Error messages must not show the text that was added after the expression.
            let ends = error.message.hasPrefix("near \")\"") && !expression.contains(")")
            throw TablesError(
                error.code,
                ends
                    ? "incomplete input"
                    : error.message.replacingOccurrences(of: "\n\(behind)", with: ""))
        }
    }

    /// Custom functions that ``sql`` calls.
    public var functions: [RowTest] = []

    /// Returns the conjunction of two conditions.
    public static func && (lhs: Self, rhs: Self) -> Self {
        var both = Self("(\(lhs.sql)) AND (\(rhs.sql))", lhs.arguments + rhs.arguments)
        both.functions = lhs.functions + rhs.functions
        return both
    }

    /// Returns the condition that columns equal the given values. They must not be `NULL`.
    public static func columns(_ names: [String], equal values: [TableValue]) -> Self {
        let terms = names.map { "\(SQLName.quoted($0)) = ?" }
        return Self(terms.joined(separator: " AND "), values)
    }

}

/// A row of a table.
public struct TableRow: Hashable, Sendable {
    /// The permanent key of the row.
    public let key: RowKey
    /// The position in the order that the row was read in.
    public let position: RowPosition
    /// One value per requested column.
    public var values: [TableValue]

    /// Checks that every value was loaded.
    ///
    /// - Parameter columns: The names of the columns.
    /// - Throws: ``TablesError``, `.unreadable`, if a value wasn't loaded.
    public func requireLoaded(_ columns: some Sequence<String>) throws(TablesError) {
        for (column, value) in zip(columns, values) where !value.isLoaded {
            throw TablesError(
                .unreadable, "\(column) of row \(key.text) holds a value too long to export")
        }
    }
}

/// A position in an order of rows: the values that the row is ordered by.
public struct RowPosition: Hashable, Sendable {
    let values: [TableValue]
}

/// A named test of one value, which a condition calls as an SQL function with the value as its only
/// argument.
public struct RowTest: Hashable, Sendable {
    /// The function name, which identifies the test: tests with the same name are equal.
    public let name: String
    private let test: @Sendable (TableValue) -> Bool

    /// Creates a test. Quote its name in SQL.
    public init(_ name: String, _ test: @escaping @Sendable (TableValue) -> Bool) {
        self.name = name
        self.test = test
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    fileprivate var function: DatabaseFunction {
        DatabaseFunction(name, argumentCount: 1, pure: true) { [test] values in
            guard let value = values.first else { return false }
            return switch value.storage {
            case .null: test(.null)
            case .int64(let number): test(.integer(number))
            case .double(let number): test(.real(number))
            case .string(let text): test(.text(text))
            case .blob(let data): test(.blob(data))
            }
        }
    }
}

extension RowCondition {
    /// Registers the condition's functions on a connection.
    func prepare(_ db: Database) {
        for function in functions { db.add(function: function.function) }
    }
}
