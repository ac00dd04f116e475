/// Parses the text of a ``Filter``: alternatives of conjunctions of terms.
struct FilterParser {
    private let bytes: [UInt8]
    private let fields: [FilterField]
    private var position = 0
    private var depth = 0
    private static let deepest = 64

    init(_ text: String, fields: [FilterField]) {
        bytes = Array(text.utf8)
        self.fields = fields
    }

    mutating func parse() throws(FilterError) -> FilterSyntax {
        let expression = try alternatives()
        if position < bytes.count {
            throw FilterError("unmatched parenthesis", at: position..<position + 1)
        }
        return expression
    }

    private mutating func alternatives() throws(FilterError) -> FilterSyntax {
        let start = position
        var parts = [try conjunction()]
        while peek() == UInt8(ascii: "|") {
            position += 1
            parts.append(try conjunction())
        }
        // Treat `a |` as `a`, because the user may still be typing the second alternative.
        let meaningful = parts.count > 1 ? parts.filter { $0 != .everything } : parts
        return meaningful.count > 1
            ? .any(meaningful, start..<position) : meaningful.first ?? .everything
    }

    private mutating func conjunction() throws(FilterError) -> FilterSyntax {
        var parts: [FilterSyntax] = []
        while true {
            while peek() == UInt8(ascii: " ") { position += 1 }
            guard let byte = peek(), byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") else {
                break
            }
            parts.append(try term())
        }
        return parts.count > 1 ? .all(parts) : parts.first ?? .everything
    }

    private mutating func term() throws(FilterError) -> FilterSyntax {
        let start = position
        switch peek() {
        case UInt8(ascii: "-"):
            position += 1
            guard let next = peek(), next != UInt8(ascii: " ") else {
                throw FilterError("missing term after the minus sign", at: start..<position)
            }
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.deepest else {
                throw FilterError("nested too deeply", at: start..<position)
            }
            let part = try term()
            return .not(part, start..<position)
        case UInt8(ascii: "("):
            position += 1
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.deepest else {
                throw FilterError("nested too deeply", at: start..<position)
            }
            let inner = try alternatives()
            guard peek() == UInt8(ascii: ")") else {
                throw FilterError("missing closing parenthesis", at: start..<start + 1)
            }
            position += 1
            return inner
        default: return try wordOrField()
        }
    }

    private mutating func wordOrField() throws(FilterError) -> FilterSyntax {
        let start = position
        let isQuoted = peek() == UInt8(ascii: "\"")
        let name: String
        if isQuoted {
            name = try quoted()
        } else {
            while let byte = peek(), !isEnd(byte), !Self.operators.contains(byte) { position += 1 }
            name = text(start..<position)
        }
        guard let symbol = peek(), Self.operators.contains(symbol), isField(name, isQuoted) else {
            if isQuoted { return .words(name, isQuoted: true, start..<position) }
            while let byte = peek(), !isEnd(byte) { position += 1 }
            return .words(text(start..<position), isQuoted: false, start..<position)
        }
        return .term(try term(name, from: start))
    }

    private static let operators = Array(FilterField.comparisonSigns.utf8)

    /// Returns whether a word before an operator is a field: a known field, or a word that looks
    /// like a field. So a misspelled field is an error, not a search text.
    private func isField(_ name: String, _ isQuoted: Bool) -> Bool {
        if name.isEmpty { return false }
        if FilterField.named(name, in: fields) != nil { return true }
        guard !isQuoted, let first = name.first, first.isLetter else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }

    private mutating func term(
        _ name: String, from start: Int
    ) throws(FilterError) -> FilterTerm {
        let nameRange = start..<position
        let comparison = comparison()
        var term = FilterTerm(
            name: name, comparison: comparison, value: "", isQuoted: false, flags: "",
            range: start..<position, nameRange: nameRange, valueRange: position..<position,
            flagsRange: position..<position)
        let valueStart = position
        if comparison == .found {
            try readExpression(into: &term)
        } else if peek() == UInt8(ascii: "\"") {
            term.value = try quoted()
            term.isQuoted = true
        } else {
            while let byte = peek(), !isEnd(byte) { position += 1 }
            term.value = text(valueStart..<position)
        }
        if term.valueRange.isEmpty { term.valueRange = valueStart..<position }
        term.range = start..<position
        return term
    }

    private mutating func comparison() -> FilterTerm.Comparison {
        let symbol = text(position..<position + 1)
        position += 1
        if symbol == "<" || symbol == ">", peek() == UInt8(ascii: "=") {
            position += 1
            return symbol == "<" ? .atMost : .atLeast
        }
        return FilterTerm.Comparison(rawValue: symbol) ?? .like
    }

    /// Reads `/…/flags`, or an expression without spaces.
    private mutating func readExpression(into term: inout FilterTerm) throws(FilterError) {
        let start = position
        let isDelimited = peek() == UInt8(ascii: "/")
        if isDelimited { position += 1 }
        let patternStart = position
        while let byte = peek(), isDelimited ? byte != UInt8(ascii: "/") : !isEnd(byte) {
            if byte == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
            position += 1
        }
        term.value = text(patternStart..<position)
        term.isQuoted = isDelimited
        if isDelimited {
            guard peek() != nil else {
                throw FilterError(
                    "missing slash at the end of the expression", at: start..<position)
            }
            position += 1
        }
        term.valueRange = start..<position
        let flagsStart = position
        while let byte = peek(), isDelimited, !isEnd(byte) { position += 1 }
        term.flagsRange = flagsStart..<position
        term.flags = text(term.flagsRange)
    }

    private mutating func quoted() throws(FilterError) -> String {
        let start = position
        position += 1
        while let byte = peek(), byte != UInt8(ascii: "\"") { position += 1 }
        guard peek() != nil else {
            throw FilterError("missing closing quotation mark", at: start..<position)
        }
        position += 1
        return text(start + 1..<position - 1)
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "|") || byte == UInt8(ascii: ")")
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
