import Foundation
import Replication
public import Tables

/// A filter as typed by the user, converted to a condition on the rows of a table.
///
/// Every column is a field; a word without a field is searched in every column. `null:name` finds
/// rows in which the column `name` is `NULL`. `name:null` finds these rows, too, and also rows that
/// contain the text `null`. Comparisons run as SQL if possible, so that indexes are used. Regular
/// expressions and the texts of dates are compared row by row. Texts that aren't ASCII are also
/// compared row by row, because SQL can't ignore their accents and case.
public struct TableFilter: Sendable {
    /// The condition; `nil` if every row matches.
    public let condition: RowCondition?
    let table: NamedTable
    /// The comparisons of dates with columns of numbers that aren't known to be dates.
    let dateComparisons: [DateComparison]

    struct DateComparison {
        var column: NamedTable.Column
        /// The date in the filter's text.
        var range: Range<Int>
    }

    /// Converts a filter.
    ///
    /// - Parameter epochs: The epochs of the columns' numbers, if known.
    /// - Throws: ``FilterError`` for a filter that can't be parsed or names an unknown field.
    public init(
        _ text: String, _ table: NamedTable, epochs: [String: Epoch] = [:]
    ) throws(FilterError) {
        let fields = Self.fields(of: table)
        var parser = FilterParser(text, fields: fields)
        let syntax = try parser.parse()
        let filter = try Filter(syntax, fields: fields)
        self.table = table
        guard !filter.isEmpty else {
            condition = nil
            dateComparisons = []
            return
        }
        dateComparisons = try Self.dateComparisons(in: syntax, fields, table, epochs)
        var builder = ConditionBuilder(table: table, epochs: epochs)
        let sql = builder.sql(filter.expression)
        var condition = RowCondition(sql, builder.arguments)
        condition.functions = builder.functions
        self.condition = condition
    }

    private static func dateComparisons(
        in syntax: FilterSyntax, _ fields: [FilterField], _ table: NamedTable,
        _ epochs: [String: Epoch]
    ) throws(FilterError) -> [DateComparison] {
        var comparisons: [DateComparison] = []
        for term in syntax.terms {
            let field = try Filter.field(of: term, in: fields)
            guard case .instant = try field.test(term), let column = table.column(field.name),
                !column.isCoreDataDate, epochs[column.name] == nil,
                [.integer, .real, .numeric].contains(column.schema.affinity)
            else { continue }
            comparisons.append(DateComparison(column: column, range: term.valueRange))
        }
        return comparisons
    }

    /// Returns the fields that a filter may name.
    public static func fields(of table: NamedTable) -> [FilterField] {
        let columns = table.columns.map { column in
            FilterField(column.name, .value, example: Self.example(column))
        }
        let null = FilterField(
            "null", .name, example: "null:\(table.columns.last?.name ?? "name")",
            aliases: [])
        return columns + (table.column("null") == nil ? [null] : [])
    }

    private static func example(_ column: NamedTable.Column) -> String {
        if column.isCoreDataDate { return "\(column.name)>2026-01-01" }
        return switch column.schema.affinity {
        case .integer, .real: "\(column.name)>100"
        default: "\(column.name):a*"
        }
    }
}

private struct ConditionBuilder {
    let table: NamedTable
    let epochs: [String: Epoch]
    var arguments: [TableValue] = []
    var functions: [RowTest] = []
    private var functionNames: [PatternKey: String] = [:]

    /// The key of a registered function: its pattern, and whether it matches the whole text or a
    /// part.
    private struct PatternKey: Hashable {
        var pattern: Pattern
        var isWhole: Bool
    }

    init(table: NamedTable, epochs: [String: Epoch]) {
        self.table = table
        self.epochs = epochs
    }

    mutating func sql(_ expression: Filter.Expression) -> String {
        switch expression {
        case .everything: return "1"
        case .all(let parts): return joined(parts.map { sql($0) }[...], "AND")
        case .any(let parts): return joined(parts.map { sql($0) }[...], "OR")
        case .not(let part): return "NOT coalesce(\(sql(part)), 0)"
        case .words(let pattern):
            // Combine the columns as a balanced tree, because SQLite limits the depth of
            // expressions.
            return joined(
                table.columns.map { test(pattern, in: name($0), isWhole: false) }[...], "OR")
        case .field(let field, let test):
            guard let column = table.column(field) else {
                return isNull(test)
            }
            return self.test(test, column)
        }
    }

    private func joined(_ parts: ArraySlice<String>, _ word: String) -> String {
        guard parts.count > 1 else { return parts.first ?? "1" }
        let middle = parts.startIndex + parts.count / 2
        return "(\(joined(parts[..<middle], word)) \(word) \(joined(parts[middle...], word)))"
    }

    private func name(_ column: NamedTable.Column) -> String { SQLName.quoted(column.schema.name) }

    private func isNull(_ test: Filter.Test) -> String {
        let matching = table.columns.filter { column in
            switch test {
            case .contains(let pattern), .matches(let pattern): pattern.matches(column.name)
            case .equals(let text): SQLName.areSame(text, column.name)
            case .expression(let regex): regex.isFound(in: column.name)
            case .number, .instant: false
            }
        }
        guard !matching.isEmpty else { return "0" }
        return joined(matching.map { "\(name($0)) IS NULL" }[...], "OR")
    }

    /// Returns the expression for a test. The text `NULL` finds values with this text, and also
    /// NULL values, because lists show them as this text.
    private mutating func test(_ test: Filter.Test, _ column: NamedTable.Column) -> String {
        let sql = comparison(test, column)
        let isNull =
            switch test {
            case .matches(let pattern): pattern.pieces.count == 1 && pattern.matches("NULL")
            case .equals(let text): text == "NULL"
            case .contains, .expression, .number, .instant: false
            }
        return isNull ? "(\(name(column)) IS NULL OR \(sql))" : sql
    }

    private mutating func comparison(_ test: Filter.Test, _ column: NamedTable.Column) -> String {
        let name = name(column)
        switch test {
        case .contains(let pattern): return self.test(pattern, in: name, isWhole: false)
        case .matches(let pattern):
            let affinity = column.schema.affinity
            if pattern.pieces.count == 1, affinity != .text, affinity != .blob,
                let text = pattern.pieces.first.map({ String(decoding: $0, as: UTF8.self) }),
                Double(text) != nil
            {
                return equal(column, text)
            }
            return self.test(pattern, in: name, isWhole: true)
        case .equals(let text):
            let isUntyped = column.schema.affinity == .blob
            guard isUntyped else { return equal(column, text) }
            let asText = equal("CAST(\(name) AS TEXT)", .text(text))
            return "(\(equal(column, text)) OR \(asText))"
        case .expression(let regex):
            return "\(SQLName.quoted(named("matches") { regex.isFound(in: $0) }))(\(name))"
        case .number(let order, let limit):
            // In SQLite, every text is greater than every number.
            let integer = limit.integer.flatMap { Int64(exactly: $0) }
            arguments.append(integer.map { TableValue.integer($0) } ?? .real(limit.real))
            return "(\(name) \(order.sql) ? AND typeof(\(name)) IN ('integer', 'real'))"
        case .instant(let order, let instant):
            let epoch = column.isCoreDataDate ? .seconds2001 : epochs[column.name]
            if let epoch {
                arguments.append(epoch.limit(instant.date))
                return "(\(name) \(order.sql) ? AND typeof(\(name)) IN ('integer', 'real'))"
            }
            // SQL would compare the digits of texts that have different offsets from UTC.
            let isInOrder = named("compares") { text in
                Timestamp(dateAtStartOf: text).map { order.holds($0, instant) } ?? false
            }
            return "(typeof(\(name)) = 'text' "
                + "AND \(name) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' "
                + "AND \(SQLName.quoted(isInOrder))(\(name)))"
        }
    }

    /// Compares a column with a typed text. In a column of numbers, SQLite converts the text to a
    /// number, but rounds some decimals.
    private mutating func equal(_ column: NamedTable.Column, _ text: String) -> String {
        let takesNumbers = ![.text, .blob].contains(column.schema.affinity)
        if takesNumbers, Int64(text) == nil, let number = Double(text), number.isFinite,
            text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) })
        {
            return equal(name(column), .real(number))
        }
        return equal(name(column), .text(text))
    }

    private mutating func equal(_ sql: String, _ value: TableValue) -> String {
        arguments.append(value)
        return "\(sql) = ?"
    }

    private mutating func test(_ pattern: Pattern, in name: String, isWhole: Bool) -> String {
        let finds = "\(SQLName.quoted(function(of: pattern, isWhole: isWhole)))(\(name))"
        guard pattern.pieces.allSatisfy({ $0.allSatisfy { $0 < 0x80 } }) else { return finds }
        let special = pattern.isCaseSensitive ? Array("*?[".utf8) : Array("%_\\".utf8)
        let star = pattern.isCaseSensitive ? "*" : "%"
        let pieces = pattern.pieces.map { piece in
            var text: [UInt8] = []
            for byte in piece {
                if special.contains(byte) {
                    text +=
                        pattern.isCaseSensitive
                        ? [UInt8(ascii: "["), byte, UInt8(ascii: "]")] : [UInt8(ascii: "\\"), byte]
                } else {
                    text.append(byte)
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
        let whole = pieces.joined(separator: star)
        arguments.append(.text(isWhole ? whole : star + whole + star))
        let plain = pattern.isCaseSensitive ? "\(name) GLOB ?" : "\(name) LIKE ? ESCAPE '\\'"
        // Remove case and accents from texts that aren't all ASCII before comparing them.
        return "(\(plain) OR length(\(name)) <> length(CAST(\(name) AS BLOB)) AND \(finds))"
    }

    /// Returns the name of the function for a pattern. All columns use the same function.
    private mutating func function(of pattern: Pattern, isWhole: Bool) -> String {
        let key = PatternKey(pattern: pattern, isWhole: isWhole)
        if let name = functionNames[key] { return name }
        let name = named("finds") { isWhole ? pattern.matches($0) : pattern.isFound(in: $0) }
        functionNames[key] = name
        return name
    }

    /// Registers a function for a test that SQL can't express.
    ///
    /// - Returns: The name of the function.
    private mutating func named(
        _ word: String, _ test: @escaping @Sendable (String) -> Bool
    ) -> String {
        let name = "tideline \(word) \(functions.count)"
        functions.append(
            RowTest(name) { value in
                switch value {
                case .text(let text): test(text)
                case .integer, .real: test(value.json)
                case .null, .blob, .malformedText, .unread: false
                }
            })
        return name
    }
}

extension Filter.Order {
    fileprivate var sql: String {
        switch self {
        case .below: "<"
        case .atMost: "<="
        case .equal: "="
        case .atLeast: ">="
        case .above: ">"
        }
    }
}
