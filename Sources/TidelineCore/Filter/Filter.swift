import Foundation

/// A filter as a person types it: `note due key:note/* -device:ipad age<10m | conflict:yes`.
///
/// Bare words are substrings, in any case unless they hold an upper-case letter (smart case). Words
/// side by side must all hold, `|` separates alternatives, `-` before a term negates it,
/// parentheses group, quotation marks keep spaces. A field takes `:` (equal, `*` stands for
/// anything), `~/…/` (regular expression), `<` or `>` (numbers with `k` and `M`, ages with `s`,
/// `m`, `h`, `d`).
public struct Filter: Hashable, Sendable {
    indirect enum Expression: Hashable, Sendable {
        case everything
        case all([Expression])
        case any([Expression])
        case not(Expression)
        case words(Pattern)
        case field(String, Test)
    }

    enum Test: Hashable, Sendable {
        case matches(Pattern)
        case expression(RegularExpression)
        case below(Double)
        case above(Double)
    }

    let expression: Expression
    /// Whether every row passes.
    public var isEmpty: Bool { expression == .everything }

    /// - Parameter fields: The names that may stand before a colon.
    /// - Throws: ``FilterError`` with the range of what is wrong.
    public init(_ text: String, fields: some Sequence<String>) throws(FilterError) {
        var parser = FilterParser(text, fields: Set(fields))
        expression = try parser.parse()
    }

    /// Whether a row passes.
    public func passes(_ row: some FilterSubject) -> Bool { Self.holds(expression, for: row) }

    /// Whether a term is about `field`.
    func asks(for field: String) -> Bool { Self.asks(expression, for: field) }

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
        case .field(let name, let test):
            switch test {
            case .matches(let pattern): row.texts(of: name).contains(where: pattern.matches)
            case .expression(let regex): row.texts(of: name).contains(where: regex.isFound)
            case .below(let limit): row.numbers(of: name).contains { $0 < limit }
            case .above(let limit): row.numbers(of: name).contains { $0 > limit }
            }
        }
    }
}

/// What a filter looks at in a row. Each answer is asked for only when a term needs it.
public protocol FilterSubject {
    /// Whether one of the row's texts that bare words search satisfies `test`.
    func contains(where test: (String) -> Bool) -> Bool
    func text(of field: String) -> String?
    /// All that a field may be called by: a device has an identifier and a name.
    func texts(of field: String) -> [String]
    /// A size in bytes, an age in seconds, a count.
    func number(of field: String) -> Double?
    /// All numbers of a field that has several values.
    func numbers(of field: String) -> [Double]
}

extension FilterSubject {
    public func texts(of field: String) -> [String] { text(of: field).map { [$0] } ?? [] }
    public func numbers(of field: String) -> [Double] { number(of: field).map { [$0] } ?? [] }
}

/// A regular expression between slashes.
struct RegularExpression: Hashable, @unchecked Sendable {
    // NSRegularExpression is immutable and documented as safe to use from several threads.
    private let expression: NSRegularExpression
    /// Longer texts are searched up to here only: a backtracking pattern must not stop the screen.
    private static let searchedLength = 16_384

    init?(_ pattern: String) {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return nil }
        self.expression = expression
    }

    func isFound(in text: String) -> Bool {
        let text = text.prefix(Self.searchedLength)
        let range = NSRange(text.startIndex..., in: text)
        return expression.firstMatch(in: String(text), range: range) != nil
    }
}
