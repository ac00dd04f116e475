/// What a filter says, as it is written: which of its words are fields, and what those mean, the
/// list that is filtered knows.
indirect enum FilterSyntax: Hashable, Sendable {
    case everything
    case all([FilterSyntax])
    /// With the part of the text that they are.
    case any([FilterSyntax], Range<Int>)
    case not(FilterSyntax, Range<Int>)
    /// A text to be found; `isQuoted`: it stood in quotation marks.
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
    /// Whether the value stood in quotation marks: then it may be empty.
    var isQuoted: Bool
    /// What follows the closing slash of a regular expression.
    var flags: String
    /// UTF-8 offsets of the whole, and of the parts.
    var range: Range<Int>
    var nameRange: Range<Int>
    var valueRange: Range<Int>
    var flagsRange: Range<Int>
}

extension FilterSyntax {
    /// The terms in it, wherever they stand.
    var terms: [FilterTerm] {
        switch self {
        case .everything, .words: []
        case .all(let parts), .any(let parts, _): parts.flatMap(\.terms)
        case .not(let part, _): part.terms
        case .term(let term): [term]
        }
    }
}
