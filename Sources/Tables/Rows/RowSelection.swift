import Foundation
public import GRDB
import Replication

/// Which rows of a table, in which order.
public struct RowSelection: Hashable, Sendable {
    /// An order by one column.
    public struct Sort: Hashable, Sendable {
        public var column: String
        public var isDescending: Bool

        /// The order by a column, smallest first unless it is to be descending.
        public init(_ column: String, isDescending: Bool = false) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    /// What must hold of a row.
    public var condition: RowCondition?
    /// `nil`: the order of the table's own key.
    public var sort: Sort?

    /// Every row by its key, unless something else is said.
    public init(condition: RowCondition? = nil, sort: Sort? = nil) {
        self.condition = condition
        self.sort = sort
    }
}

/// An SQL expression over the columns of a table, with its arguments.
public struct RowCondition: Hashable, Sendable {
    public var sql: String
    public var arguments: [TableValue]

    /// A condition; `?` stands for each argument.
    public init(_ sql: String, _ arguments: [TableValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    /// An expression that a person wrote over the columns of a table.
    ///
    /// - Throws: ``TablesError``, `.usage`, with what SQLite says of what is none.
    public init(expression: String, of table: String, _ db: Database) throws {
        guard expression.contains(where: { !$0.isWhitespace }) else {
            throw TablesError(.usage, "there is no expression")
        }
        // So that a comment at its end ends.
        self.init(expression + "\n")
        let behind = ") FROM \(SQLName.quoted(table))"
        do {
            let whole = "SELECT (\(sql)\(behind)"
            try db.requireColumns(quotedIn: expression, of: whole)
            try db.acceptingQuotedText {
                try db.makeStatement(sql: whole).requireNoParameters()
            }
        } catch let error as DatabaseError {
            guard let error = TablesError(error) else { throw error }
            // What stands behind the expression is no part of it.
            let ends = error.message.hasPrefix("near \")\"") && !expression.contains(")")
            throw TablesError(
                error.code,
                ends
                    ? "incomplete input"
                    : error.message.replacingOccurrences(of: "\n\(behind)", with: ""))
        }
    }

    /// Functions that ``sql`` calls besides SQLite's own.
    public var functions: [RowTest] = []

    /// Both.
    public static func && (lhs: Self, rhs: Self) -> Self {
        var both = Self("(\(lhs.sql)) AND (\(rhs.sql))", lhs.arguments + rhs.arguments)
        both.functions = lhs.functions + rhs.functions
        return both
    }

    /// That columns hold values, none of which is `NULL`.
    public static func columns(_ names: [String], equal values: [TableValue]) -> Self {
        let terms = names.map { "\(SQLName.quoted($0)) = ?" }
        return Self(terms.joined(separator: " AND "), values)
    }

}

/// A row of a table.
public struct TableRow: Hashable, Sendable {
    /// What names it for good.
    public let key: RowKey
    /// Where it stands in the order that it was read in.
    public let position: RowPosition
    /// One per column that was asked for.
    public var values: [TableValue]

    /// Checks that every value was loaded.
    ///
    /// - Parameter columns: What the columns are called.
    /// - Throws: ``TablesError``, `.unreadable`, with the first column whose value wasn't.
    public func requireLoaded(_ columns: some Sequence<String>) throws(TablesError) {
        for (column, value) in zip(columns, values) where !value.isLoaded {
            throw TablesError(
                .unreadable, "\(column) of row \(key.text) holds a value too long to export")
        }
    }
}

/// A place in an order of rows: what the row there is ordered by.
public struct RowPosition: Hashable, Sendable {
    let values: [TableValue]
}

/// A test of one value that a condition calls by its name, with the value as its only argument.
public struct RowTest: Hashable, Sendable {
    /// Says what is tested: tests of one name are one test.
    public let name: String
    private let test: @Sendable (TableValue) -> Bool

    /// A test under a name, which is to be spelled in quotation marks.
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
    /// Makes its functions known to a connection.
    func prepare(_ db: Database) {
        for function in functions { db.add(function: function.function) }
    }
}
