/// Reads the text of a ``Filter``: alternatives of conjunctions of terms.
struct FilterParser {
    private let bytes: [UInt8]
    private let fields: Set<String>
    private var position = 0
    private var depth = 0
    private static let deepest = 64

    init(_ text: String, fields: Set<String>) {
        bytes = Array(text.utf8)
        self.fields = fields
    }

    mutating func parse() throws(FilterError) -> Filter.Expression {
        let expression = try alternatives()
        if position < bytes.count {
            throw FilterError("nothing is open that this could close", at: position..<position + 1)
        }
        return expression
    }

    private mutating func alternatives() throws(FilterError) -> Filter.Expression {
        var parts = [try conjunction()]
        while peek() == UInt8(ascii: "|") {
            position += 1
            parts.append(try conjunction())
        }
        // `a |` while the second half is being typed means `a`.
        let meaningful = parts.count > 1 ? parts.filter { $0 != .everything } : parts
        return meaningful.count > 1 ? .any(meaningful) : meaningful.first ?? .everything
    }

    private mutating func conjunction() throws(FilterError) -> Filter.Expression {
        var parts: [Filter.Expression] = []
        while true {
            skipSpaces()
            guard let byte = peek(), byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") else {
                break
            }
            parts.append(try term())
        }
        return parts.count > 1 ? .all(parts) : parts.first ?? .everything
    }

    private mutating func term() throws(FilterError) -> Filter.Expression {
        let start = position
        switch peek() {
        case UInt8(ascii: "-"):
            position += 1
            guard let next = peek(), next != UInt8(ascii: " ") else {
                throw FilterError("what is it that must not hold?", at: start..<position)
            }
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.deepest else {
                throw FilterError("too many levels", at: start..<position)
            }
            return .not(try term())
        case UInt8(ascii: "("):
            position += 1
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.deepest else {
                throw FilterError("too many levels", at: start..<position)
            }
            let inner = try alternatives()
            guard peek() == UInt8(ascii: ")") else {
                throw FilterError("this parenthesis is not closed", at: start..<start + 1)
            }
            position += 1
            return inner
        case UInt8(ascii: "\""):
            return .words(Pattern(try quoted()))
        default:
            return try wordOrField()
        }
    }

    private mutating func wordOrField() throws(FilterError) -> Filter.Expression {
        let start = position
        let operators: [UInt8] = [
            UInt8(ascii: ":"), UInt8(ascii: "~"), UInt8(ascii: "<"), UInt8(ascii: ">"),
        ]
        while let byte = peek(), !isEnd(byte), !operators.contains(byte) { position += 1 }
        let name = text(start..<position)
        guard let symbol = peek(), operators.contains(symbol), fields.contains(name) else {
            if let symbol = peek(), symbol == UInt8(ascii: ":"), position > start,
                name.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
            {
                throw FilterError(
                    "no field “\(name)” here; there are \(fields.sorted().joined(separator: ", "))",
                    at: start..<position)
            }
            while let byte = peek(), !isEnd(byte) { position += 1 }
            return .words(Pattern(text(start..<position)))
        }
        position += 1
        return .field(name, try test(symbol, of: name, from: start))
    }

    private mutating func test(
        _ symbol: UInt8, of name: String, from start: Int
    ) throws(FilterError) -> Filter.Test {
        if symbol == UInt8(ascii: "~") { return .expression(try regularExpression()) }
        let valueStart = position
        let value: String
        if peek() == UInt8(ascii: "\"") {
            value = try quoted()
        } else {
            while let byte = peek(), !isEnd(byte) { position += 1 }
            value = text(valueStart..<position)
        }
        guard !value.isEmpty else {
            throw FilterError("a value for \(name)?", at: start..<position)
        }
        guard symbol != UInt8(ascii: ":") else { return .matches(Pattern(value)) }
        guard let number = Self.number(value) else {
            throw FilterError(
                "not a number, size (4k) or age (10m)", at: valueStart..<position)
        }
        return symbol == UInt8(ascii: "<") ? .below(number) : .above(number)
    }

    private mutating func regularExpression() throws(FilterError) -> RegularExpression {
        let start = position
        let isDelimited = peek() == UInt8(ascii: "/")
        if isDelimited { position += 1 }
        let patternStart = position
        while let byte = peek(), isDelimited ? byte != UInt8(ascii: "/") : !isEnd(byte) {
            if byte == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
            position += 1
        }
        let pattern = text(patternStart..<position)
        if isDelimited {
            guard peek() != nil else {
                throw FilterError("this expression is not closed", at: start..<position)
            }
            position += 1
        }
        guard !pattern.isEmpty, let expression = RegularExpression(pattern) else {
            throw FilterError("not a regular expression", at: start..<position)
        }
        return expression
    }

    private mutating func quoted() throws(FilterError) -> String {
        let start = position
        position += 1
        while let byte = peek(), byte != UInt8(ascii: "\"") { position += 1 }
        guard peek() != nil else {
            throw FilterError("this quotation is not closed", at: start..<position)
        }
        position += 1
        return text(start + 1..<position - 1)
    }

    /// `4k` is 4,096, `10m` is 600 (seconds), `1.5` is itself.
    static func number(_ text: String) -> Double? {
        let units: [Character: Double] = [
            "k": 1024, "K": 1024, "M": 1_048_576, "G": 1_073_741_824,
            "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
        ]
        if let last = text.last, let unit = units[last] {
            return Double(text.dropLast()).map { $0 * unit }
        }
        return Double(text)
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "|") || byte == UInt8(ascii: ")")
    }

    private mutating func skipSpaces() {
        while peek() == UInt8(ascii: " ") { position += 1 }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
