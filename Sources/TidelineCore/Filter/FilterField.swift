import Replication

/// A field that a filter can compare.
public struct FilterField: Hashable, Sendable {
    /// The type of a field's values, which decides how they are compared.
    public enum Kind: Hashable, Sendable {
        /// `:` matches the whole text, with `*` as a wildcard; `=` is exact; `~` is a regular
        /// expression.
        case text
        /// Like ``text``, but `:` matches any part of the text, as words without a field do.
        case name
        /// `:` and `=` mean equal; also `<`, `<=`, `>`, `>=`.
        case number
        /// Bytes, with the units `k`, `M`, `G`.
        case size
        /// A time span with the units `s`, `m`, `h`, `d`, `w`; `<` means younger or shorter.
        case age
        /// `<` and `>` compare with an instant. The other comparisons compare text.
        case instant
        /// Values of any type: text, and numbers and instants with `<` and `>`.
        case value
        /// One of these texts, ignoring case.
        case choice([String])
    }

    /// The name of the field. In a term, it is before the comparison.
    public let name: String
    /// An example for the help: `key:note/*`.
    public let example: String
    /// The type of the field's values.
    public let kind: Kind
    /// Other names, such as the title of its column.
    public let aliases: [String]

    /// Creates a field.
    ///
    /// - Parameter aliases: Other names, in lower case.
    public init(_ name: String, _ kind: Kind = .text, example: String, aliases: [String] = []) {
        self.name = name
        self.kind = kind
        self.example = example
        self.aliases = aliases
    }

    /// All names of the field, starting with the name in the example.
    package var names: [String] {
        let shown = example.prefix { !Self.comparisonSigns.contains($0) }
        return aliases.filter { $0 == shown } + [name] + aliases.filter { $0 != shown }
    }

    /// The characters of all comparisons. A name that contains one of them needs quotation marks.
    package static let comparisonSigns = ":=~<>"

    static let yesNo = ["yes", "no"]

    /// Whether the field has a fixed set of values.
    package var isChoice: Bool { if case .choice = kind { true } else { false } }

    /// Returns the field with this name. Prefers an exact match to a match that ignores case.
    package static func named(_ name: String, in fields: [FilterField]) -> FilterField? {
        if let field = fields.first(where: { $0.name == name }) { return field }
        let folded = name.lowercased()
        return fields.first { $0.name.lowercased() == folded || $0.aliases.contains(folded) }
    }
}

extension FilterField {
    /// Returns the test of a term.
    ///
    /// - Throws: ``FilterError`` for an unsupported comparison or an invalid value.
    func test(_ term: FilterTerm) throws(FilterError) -> Filter.Test {
        guard !term.value.isEmpty || term.isQuoted else {
            throw FilterError("missing value for \(name): \(hint)", at: term.range)
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
                throw FilterError(
                    "unknown \(name) “\(term.value)”: choose \(known.joined(separator: ", "))",
                    at: term.valueRange)
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
                "unknown flag “\(flag)”: choose i (any case), m (^ and $ at lines), s (. matches line ends)",
                at: term.flagsRange)
        }
        guard !term.value.isEmpty,
            let expression = RegularExpression(term.value, flags: term.flags)
        else { throw FilterError("invalid regular expression", at: term.valueRange) }
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

    private func number(_ term: FilterTerm) throws(FilterError) -> FilterNumber {
        let units = kind == .age ? Self.spans : kind == .size ? Self.bytes : Self.plain
        guard let number = Self.number(term.value, units: units) else { throw notOfKind(term) }
        return number
    }

    /// Parses a number with a unit: `4k` is four thousand, or 4,096 bytes; `10m` is 600 seconds.
    private static func number(_ text: String, units: [Character: Double]) -> FilterNumber? {
        var digits = text[...]
        var unit = 1.0
        if let last = text.last, let known = units[last] {
            digits = text.dropLast()
            unit = known
        }
        // Counts are shown with their digits in groups.
        let isGrouped = digits.wholeMatch(of: /-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?/) != nil
        let plain = isGrouped ? digits.filter { $0 != "," } : String(digits)
        guard plain.contains(where: \.isNumber), let number = FilterNumber(plain),
            number.real.isFinite
        else { return nil }
        return unit == 1 ? number : FilterNumber(number.real * unit)
    }

    private static func instant(_ text: String) -> Timestamp? {
        text.contains("-") ? try? Timestamp(parsing: text) : nil
    }

    // MARK: Errors

    private var hint: String {
        switch kind {
        case .text: "type text (* matches anything), or use = or ~/…/"
        case .name: "type a part of a name, or use = or ~/…/"
        case .number: "type a number after : < <= > >="
        case .size: "type a size (4k) after : < <= > >="
        case .age: "type an age (10m, 2h, 3d) after < or >"
        case .instant: "type a date (2026-11-21) after < or >, or text after :"
        case .value: "type text after :, or a number or date after < or >"
        case .choice(let known): "choose \(known.joined(separator: ", "))"
        }
    }

    private func wrongComparison(_ term: FilterTerm) -> FilterError {
        FilterError(
            "\(name) doesn't support “\(term.comparison.rawValue)”: \(hint)",
            at: term.nameRange.upperBound..<term.range.upperBound)
    }

    private func notOfKind(_ term: FilterTerm) -> FilterError {
        FilterError("“\(term.value)” is not valid for \(name): \(hint)", at: term.valueRange)
    }
}
