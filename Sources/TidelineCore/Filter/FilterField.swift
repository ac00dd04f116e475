import Replication

/// A word that a filter may use before a comparison, and what it can be compared with.
public struct FilterField: Hashable, Sendable {
    /// What the values of a field are, which says how they are compared.
    public enum Kind: Hashable, Sendable {
        /// `:` is the whole text, in which `*` stands for anything; `=` is exactly this; `~` a
        /// regular expression.
        case text
        /// The same, but `:` finds its text anywhere, as words do.
        case name
        /// `:` and `=` are equality; `<`, `<=`, `>`, `>=`.
        case number
        /// Bytes, with `k`, `M`, `G`.
        case size
        /// A span of time, with `s`, `m`, `h`, `d`, `w`: `<` is younger, or shorter.
        case age
        /// `<` and `>` with an instant; otherwise a text.
        case instant
        /// Values of any type: text, and numbers and instants with `<` and `>`.
        case value
        /// One of these, whatever the case of the letters.
        case choice([String])
    }

    /// The word before the comparison.
    public let name: String
    /// What it takes, as help shows it: `key:note/*`.
    public let example: String
    /// How its values are compared.
    public let kind: Kind
    /// Other names, such as the title of its column.
    public let aliases: [String]

    /// A field for a filter.
    ///
    /// - Parameter aliases: Other names, in lower case.
    public init(_ name: String, _ kind: Kind = .text, example: String, aliases: [String] = []) {
        self.name = name
        self.kind = kind
        self.example = example
        self.aliases = aliases
    }

    /// All its names, the one that its example has first.
    package var names: [String] {
        let shown = example.prefix { !":=~<>".contains($0) }
        return aliases.filter { $0 == shown } + [name] + aliases.filter { $0 != shown }
    }

    static let yesNo = ["yes", "no"]

    /// The field of that name, exactly or except for the case of letters.
    package static func named(_ name: String, in fields: [FilterField]) -> FilterField? {
        if let field = fields.first(where: { $0.name == name }) { return field }
        let folded = name.lowercased()
        return fields.first { $0.name.lowercased() == folded || $0.aliases.contains(folded) }
    }
}

extension FilterField {
    /// What a term of this field asks.
    ///
    /// - Throws: ``FilterError`` for a comparison that the field does not have, and for a value that
    ///   it cannot have.
    func test(_ term: FilterTerm) throws(FilterError) -> Filter.Test {
        guard !term.value.isEmpty || term.isQuoted else {
            throw FilterError("a value for \(name)? \(hint)", at: term.range)
        }
        switch term.comparison {
        case .like: return try like(term)
        case .equal: return try equal(term)
        case .found: return try found(term)
        case .below: return try ordered(.below, term)
        case .above: return try ordered(.above, term)
        case .atMost: return try ordered(.atMost, term)
        case .atLeast: return try ordered(.atLeast, term)
        }
    }

    private func like(_ term: FilterTerm) throws(FilterError) -> Filter.Test {
        switch kind {
        case .text, .instant, .value: return .matches(Pattern(term.value))
        case .name: return .contains(Pattern(term.value))
        case .number, .size: return .number(.equal, try number(term))
        case .age: throw wrongComparison(term)
        case .choice(let known):
            let pattern = Pattern(term.value.lowercased())
            guard known.contains(where: { pattern.matches($0.lowercased()) }) else {
                throw unknownValue(term, known)
            }
            return .matches(pattern)
        }
    }

    private func equal(_ term: FilterTerm) throws(FilterError) -> Filter.Test {
        switch kind {
        case .text, .name, .instant, .value: return .equals(term.value)
        case .number, .size, .choice: return try like(term)
        case .age: throw wrongComparison(term)
        }
    }

    private func found(_ term: FilterTerm) throws(FilterError) -> Filter.Test {
        switch kind {
        case .text, .name, .instant, .value, .choice: break
        case .number, .size, .age: throw wrongComparison(term)
        }
        for flag in term.flags where !RegularExpression.flags.contains(flag) {
            throw FilterError(
                "no flag “\(flag)”; there are i (any case), m (^ and $ at lines), s (. takes lines)",
                at: term.flagsRange)
        }
        guard !term.value.isEmpty,
            let expression = RegularExpression(term.value, flags: term.flags)
        else { throw FilterError("not a regular expression", at: term.valueRange) }
        return .expression(expression)
    }

    private func ordered(
        _ order: Filter.Order, _ term: FilterTerm
    ) throws(FilterError) -> Filter.Test {
        switch kind {
        case .text, .name, .choice: throw wrongComparison(term)
        case .number, .size, .age: return .number(order, try number(term))
        case .instant:
            guard let instant = Self.instant(term.value) else { throw notOfKind(term) }
            return .instant(order, instant)
        case .value:
            if let number = Self.number(term.value, units: Self.plain) {
                return .number(order, number)
            }
            guard let instant = Self.instant(term.value) else { throw notOfKind(term) }
            return .instant(order, instant)
        }
    }

    // MARK: Values

    private static let plain: [Character: Double] = ["k": 1e3, "M": 1e6, "G": 1e9]
    private static let bytes: [Character: Double] = [
        "k": 1024, "K": 1024, "M": 1_048_576, "G": 1_073_741_824, "B": 1,
    ]
    private static let spans = Timestamp.secondsOfUnits.mapValues(Double.init)

    private func number(_ term: FilterTerm) throws(FilterError) -> Double {
        let units = kind == .age ? Self.spans : kind == .size ? Self.bytes : Self.plain
        guard let number = Self.number(term.value, units: units) else { throw notOfKind(term) }
        return number
    }

    /// `4k` is four thousand, or 4,096 bytes; `10m` is 600 seconds.
    private static func number(_ text: String, units: [Character: Double]) -> Double? {
        var digits = text[...]
        var unit = 1.0
        if let last = text.last, let known = units[last] {
            digits = text.dropLast()
            unit = known
        }
        guard digits.contains(where: \.isNumber), let number = Double(digits) else { return nil }
        return number.isFinite ? number * unit : nil
    }

    private static func instant(_ text: String) -> Timestamp? {
        text.contains("-") ? try? Timestamp(parsing: text) : nil
    }

    // MARK: Complaints

    /// What the field takes.
    private var hint: String {
        switch kind {
        case .text: "\(name): takes text (* stands for anything), or use = or ~/…/"
        case .name: "\(name): takes a part of a name, or use = or ~/…/"
        case .number: "\(name) takes a number after : < <= > >="
        case .size: "\(name) takes bytes (4k) after : < <= > >="
        case .age: "\(name) takes a time (10m, 2h, 3d) after < or >"
        case .instant: "\(name) takes a date (2026-11-21) after < or >, or text after :"
        case .value: "\(name) takes text after :, a number or a date after < or >"
        case .choice(let known): "\(name): takes \(known.joined(separator: ", "))"
        }
    }

    private func wrongComparison(_ term: FilterTerm) -> FilterError {
        FilterError(
            "\(name) has no “\(term.comparison.rawValue)”: \(hint)",
            at: term.nameRange.upperBound..<term.range.upperBound)
    }

    private func notOfKind(_ term: FilterTerm) -> FilterError {
        FilterError("“\(term.value)” does not fit: \(hint)", at: term.valueRange)
    }

    private func unknownValue(_ term: FilterTerm, _ known: [String]) -> FilterError {
        FilterError(
            "no \(name) “\(term.value)”; there are \(known.joined(separator: ", "))",
            at: term.valueRange)
    }
}
