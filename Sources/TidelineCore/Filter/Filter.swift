public import Replication

/// A filter as a person types it: `note due key:note/* -device:ipad age<10m | conflict:yes`.
///
/// Bare words are substrings, in any case unless they hold an upper-case letter (smart case). Words
/// side by side must all hold, `|` separates alternatives, `-` before a term negates it,
/// parentheses group, quotation marks keep spaces and take operators for text. How a field is
/// compared is up to its ``FilterField/Kind``.
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
        case number(Order, Double)
        case instant(Order, Timestamp)
    }

    let expression: Expression
    /// Whether every row passes.
    public var isEmpty: Bool { expression == .everything }

    /// - Parameter fields: What may stand before a comparison.
    /// - Throws: ``FilterError`` with the range of what is wrong.
    public init(_ text: String, fields: [FilterField]) throws(FilterError) {
        var parser = FilterParser(text, fields: fields)
        expression = try Self.expression(try parser.parse(), fields)
    }

    init(_ expression: Expression) { self.expression = expression }

    /// Whether a row passes.
    public func passes(_ row: some FilterSubject) -> Bool { Self.holds(expression, for: row) }

    /// Whether a term is about `field`.
    func asks(for field: String) -> Bool { Self.asks(expression, for: field) }

    private static func expression(
        _ syntax: FilterSyntax, _ fields: [FilterField]
    ) throws(FilterError) -> Expression {
        switch syntax {
        case .everything: return .everything
        case .all(let parts): return .all(try expressions(parts, fields))
        case .any(let parts, _): return .any(try expressions(parts, fields))
        case .not(let part, _): return .not(try expression(part, fields))
        case .words(let text, _, _): return .words(Pattern(text))
        case .term(let term):
            let field = try field(of: term, in: fields)
            return .field(field.name, try field.test(term))
        }
    }

    private static func expressions(
        _ parts: [FilterSyntax], _ fields: [FilterField]
    ) throws(FilterError) -> [Expression] {
        var expressions: [Expression] = []
        for part in parts { expressions.append(try expression(part, fields)) }
        return expressions
    }

    /// The field that a term names.
    static func field(
        of term: FilterTerm, in fields: [FilterField]
    ) throws(FilterError) -> FilterField {
        if let field = FilterField.named(term.name, in: fields) { return field }
        let known = fields.map(\.name).sorted().joined(separator: ", ")
        throw FilterError(
            "no field “\(term.name)” here; there are \(known). To search for the text, quote it",
            at: term.nameRange)
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

/// What a filter looks at in a row. Each answer is asked for only when a term needs it.
public protocol FilterSubject {
    /// Whether one of the row's texts that bare words search satisfies `test`.
    func contains(where test: (String) -> Bool) -> Bool
    /// The text of a field; `nil` where the row has none.
    func text(of field: String) -> String?
    /// All that a field may be called by: a device has an identifier and a name.
    func texts(of field: String) -> [String]
    /// A size in bytes, an age in seconds, a count.
    func number(of field: String) -> Double?
    /// All numbers that a field has.
    func numbers(of field: String) -> [Double]
    /// The instant that a field holds; `nil` where it holds none.
    func instant(of field: String) -> Timestamp?
}

extension FilterSubject {
    /// The one text of the field.
    public func texts(of field: String) -> [String] { text(of: field).map { [$0] } ?? [] }
    /// The one number of the field.
    public func numbers(of field: String) -> [Double] { number(of: field).map { [$0] } ?? [] }
    /// `nil`: no field holds an instant.
    public func instant(of field: String) -> Timestamp? { nil }
}
