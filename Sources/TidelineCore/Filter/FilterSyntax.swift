/// The syntax of a filter. The filtered list determines which words are fields, and how they are
/// compared.
indirect enum FilterSyntax: Hashable, Sendable {
    case everything
    case all([FilterSyntax])
    /// Combinations, with their ranges in the text.
    case any([FilterSyntax], Range<Int>)
    case not(FilterSyntax, Range<Int>)
    /// A search text. `isQuoted` is true if it was in quotation marks.
    case words(String, isQuoted: Bool, Range<Int>)
    case term(FilterTerm)
}

/// A field, a comparison and a value: `age<10m`.
struct FilterTerm: Hashable, Sendable {
    enum Comparison: String, Hashable, Sendable {
        case like = ":"
        case equal = "="
        case found = "~"
        case below = "<"
        case above = ">"
        case atMost = "<="
        case atLeast = ">="
    }

    var name: String
    var comparison: Comparison
    var value: String
    /// Whether the value was in quotation marks. Only then can it be empty.
    var isQuoted: Bool
    /// The flags after the closing slash of a regular expression.
    var flags: String
    /// The UTF-8 offsets of the term and its parts.
    var range: Range<Int>
    var nameRange: Range<Int>
    var valueRange: Range<Int>
    var flagsRange: Range<Int>
}

extension FilterSyntax {
    /// All terms, at any depth.
    var terms: [FilterTerm] {
        switch self {
        case .everything, .words: []
        case .all(let parts), .any(let parts, _): parts.flatMap(\.terms)
        case .not(let part, _): part.terms
        case .term(let term): [term]
        }
    }
}
