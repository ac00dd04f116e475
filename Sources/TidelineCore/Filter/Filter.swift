public import Replication

/// A filter as typed by the user: `note due key:note/* -device:ipad age<10m | conflict:yes`.
///
/// Bare words match parts of a text. They ignore case unless they contain an upper-case letter
/// (smart case). Terms next to each other must all match. `|` separates alternatives, and `-`
/// before a term negates it. Parentheses group terms. In quotation marks, a text can contain spaces
/// and operators. The field's ``FilterField/Kind`` decides how values are compared.
public struct Filter: Hashable, Sendable {
    indirect enum Expression: Hashable, Sendable {
        case everything
        case all([Expression])
        case any([Expression])
        case not(Expression)
        case words(Pattern)
        case field(String, Test)
    }

    enum Order: Hashable, Sendable { case below, atMost, equal, atLeast, above }

    enum Test: Hashable, Sendable {
        case matches(Pattern)
        case contains(Pattern)
        case equals(String)
        case expression(RegularExpression)
        case number(Order, FilterNumber)
        case instant(Order, Timestamp)
    }

    let expression: Expression
    /// Whether every row matches.
    public var isEmpty: Bool { expression == .everything }

    /// Parses a filter.
    ///
    /// - Parameter fields: The fields that the filter may name.
    /// - Throws: ``FilterError`` with the range of the invalid part.
    public init(_ text: String, fields: [FilterField]) throws(FilterError) {
        var parser = FilterParser(text, fields: fields)
        try self.init(try parser.parse(), fields: fields)
    }

    /// Creates a filter from its syntax.
    init(_ syntax: FilterSyntax, fields: [FilterField]) throws(FilterError) {
        expression = try Self.expression(syntax, fields)
    }

    init(_ expression: Expression) { self.expression = expression }

    /// Returns whether a row matches.
    public func passes(_ row: some FilterSubject) -> Bool { Self.holds(expression, for: row) }

    /// Returns whether a term of the filter names `field`.
    func asks(for field: String) -> Bool { Self.asks(expression, for: field) }

    private static func expression(
        _ syntax: FilterSyntax, _ fields: [FilterField]
    ) throws(FilterError) -> Expression {
        switch syntax {
        case .everything: return .everything
        case .all(let parts):
            return .all(
                try parts.map { (part) throws(FilterError) in try expression(part, fields) })
        case .any(let parts, _):
            return .any(
                try parts.map { (part) throws(FilterError) in try expression(part, fields) })
        case .not(let part, _): return .not(try expression(part, fields))
        case .words(let text, _, _): return .words(Pattern(text))
        case .term(let term):
            let field = try field(of: term, in: fields)
            return .field(field.name, try field.test(term))
        }
    }

    /// Returns the field that a term names.
    static func field(
        of term: FilterTerm, in fields: [FilterField]
    ) throws(FilterError) -> FilterField {
        if let field = FilterField.named(term.name, in: fields) { return field }
        let known = fields.map(\.name).sorted().joined(separator: ", ")
        throw FilterError(
            "unknown field “\(term.name)” (available: \(known)); quote it to search for the text",
            at: term.nameRange)
    }

    /// The first term that compares a field with a whole text; `nil` if there is none. Terms with a
    /// wildcard and negated terms don't count.
    public var wholeTextTerm: (field: String, text: String)? {
        Self.wholeTextTerm(in: expression)
    }

    private static func wholeTextTerm(
        in expression: Expression
    ) -> (field: String, text: String)? {
        switch expression {
        case .everything, .words, .not: nil
        case .all(let parts), .any(let parts):
            parts.lazy.compactMap { wholeTextTerm(in: $0) }.first
        case .field(let name, .matches(let pattern)):
            pattern.pieces.count == 1
                ? (field: name, text: String(decoding: pattern.pieces[0], as: UTF8.self)) : nil
        case .field: nil
        }
    }

    private static func asks(_ expression: Expression, for field: String) -> Bool {
        switch expression {
        case .everything, .words: false
        case .all(let parts), .any(let parts): parts.contains { asks($0, for: field) }
        case .not(let part): asks(part, for: field)
        case .field(let name, _): name == field
        }
    }

    private static func holds(_ expression: Expression, for row: some FilterSubject) -> Bool {
        switch expression {
        case .everything: true
        case .all(let parts): parts.allSatisfy { holds($0, for: row) }
        case .any(let parts): parts.contains { holds($0, for: row) }
        case .not(let part): !holds(part, for: row)
        case .words(let pattern): row.contains { pattern.isFound(in: $0) }
        case .field(let name, let test): holds(test, of: name, for: row)
        }
    }

    private static func holds(_ test: Test, of name: String, for row: some FilterSubject) -> Bool {
        switch test {
        case .matches(let pattern): row.texts(of: name).contains(where: pattern.matches)
        case .contains(let pattern): row.texts(of: name).contains(where: pattern.isFound)
        case .equals(let text):
            row.texts(of: name).contains { $0.utf8.elementsEqual(text.utf8) }
        case .expression(let regex): row.texts(of: name).contains(where: regex.isFound)
        case .number(let order, let limit):
            row.numbers(of: name).contains { order.holds($0, limit) }
        case .instant(let order, let limit):
            row.instant(of: name).map { order.holds($0, limit) } ?? false
        }
    }
}

extension Filter.Order {
    func holds(_ value: FilterNumber, _ limit: FilterNumber) -> Bool {
        guard let integer = value.integer, let other = limit.integer else {
            return holds(value.real, limit.real)
        }
        return holds(integer, other)
    }

    func holds<Value: Comparable>(_ value: Value, _ limit: Value) -> Bool {
        switch self {
        case .below: value < limit
        case .atMost: value <= limit
        case .equal: value == limit
        case .atLeast: value >= limit
        case .above: value > limit
        }
    }
}

/// The values of a row that filters use. A value is requested only if a term needs it.
public protocol FilterSubject {
    /// Returns whether one of the row's texts satisfies `test`. Terms without a field search these
    /// texts.
    func contains(where test: (String) -> Bool) -> Bool
    /// Returns the texts of a field. For example, a device has an id and a name.
    func texts(of field: String) -> [String]
    /// Returns the numbers of a field: a size in bytes, an age in seconds, a count.
    func numbers(of field: String) -> [FilterNumber]
    /// Returns the instant of a field; `nil` if the row has no such instant.
    func instant(of field: String) -> Timestamp?
}

extension FilterSubject {
    /// Returns an empty array, because no field has numbers.
    public func numbers(of field: String) -> [FilterNumber] { [] }
    /// Returns `nil`, because no field has an instant.
    public func instant(of field: String) -> Timestamp? { nil }
}
