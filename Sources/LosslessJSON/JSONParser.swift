/// A parser for JSON by RFC 8259.
///
/// The nesting depth is limited, so that a deeply nested text can't exhaust the stack. Time and
/// memory grow linearly with the text.
public struct JSONParser {
    /// Extensions of the RFC to allow.
    public struct Leniency: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A comma before `]` and `}`.
        public static let trailingCommas = Leniency(rawValue: 1)
        /// Control characters in strings, and invalid text, which becomes the replacement
        /// character.
        public static let brokenText = Leniency(rawValue: 2)
    }

    private let bytes: [UInt8]
    private let leniency: Leniency
    private let depthLimit: Int
    private var position = 0

    private init(_ bytes: [UInt8], _ leniency: Leniency, _ depthLimit: Int) {
        self.bytes = bytes
        self.leniency = leniency
        self.depthLimit = depthLimit
    }

    /// Parses `bytes` as one value, ignoring surrounding white space and a byte order mark.
    ///
    /// - Parameter depthLimit: The maximum nesting depth of arrays and objects.
    /// - Throws: ``JSONSyntaxError``, including for text that isn't UTF-8.
    /// - Complexity: O(*n*) in the number of bytes, in time and in memory.
    public static func parse(
        _ bytes: [UInt8], allowing leniency: Leniency = [], depthLimit: Int = 200
    ) throws(JSONSyntaxError) -> JSON {
        var parser = JSONParser(bytes, leniency, depthLimit)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else {
            throw parser.error("unexpected content after the value")
        }
        return value
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private func error(_ message: String, isTooDeep: Bool = false) -> JSONSyntaxError {
        let read = bytes.prefix(position)
        let line = 1 + read.count { $0 == 0x0A }
        let start = read.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // UTF-8 continuation bytes don't count as columns.
        let column = 1 + bytes[start..<position].count { $0 & 0xC0 != 0x80 }
        return JSONSyntaxError(
            message: message, offset: position, line: line, column: column, isTooDeep: isTooDeep)
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSON {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case (0x30...0x39)?, UInt8(ascii: "-"): return try number()
        case nil: throw error("expected a value, but the text ends")
        default: throw error("expected a value")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONSyntaxError) -> JSON
    {
        let matches = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw error("expected a value") }
        position += word.utf8CodeUnitCount
        return value
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSON {
        var members: [JSON.Member] = []
        guard try begin(UInt8(ascii: "}"), depth) else { return .object(members) }
        repeat {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else {
                throw error(
                    peek() == nil
                        ? "the text ends inside an object"
                        : "expected a member's name in quotation marks")
            }
            let name = try string()
            skipSpace()
            guard peek() == UInt8(ascii: ":") else {
                throw error("a colon is missing after \(name.debugDescription)")
            }
            position += 1
            members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
        } while try goOn(to: UInt8(ascii: "}"), "an object")
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSON {
        var elements: [JSON] = []
        guard try begin(UInt8(ascii: "]"), depth) else { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
        } while try goOn(to: UInt8(ascii: "]"), "an array")
        return .array(elements)
    }

    /// Consumes the bracket that opens an array or object.
    ///
    /// - Returns: `false` if the array or object is empty. In this case, the closing bracket is
    ///   also consumed.
    private mutating func begin(_ end: UInt8, _ depth: Int) throws(JSONSyntaxError) -> Bool {
        guard depth < depthLimit else { throw error("it is nested too deeply", isTooDeep: true) }
        position += 1
        skipSpace()
        guard peek() == end else { return true }
        position += 1
        return false
    }

    /// Consumes a comma, or the bracket that closes an array or object.
    ///
    /// - Returns: Whether another element follows.
    private mutating func goOn(
        to end: UInt8, _ place: String
    ) throws(JSONSyntaxError) -> Bool {
        skipSpace()
        if peek() == UInt8(ascii: ",") {
            position += 1
            guard leniency.contains(.trailingCommas) else { return true }
            skipSpace()
            guard peek() == end else { return true }
        }
        guard let byte = peek() else { throw error("the text ends inside \(place)") }
        guard byte == end else { throw error("a comma is missing in \(place)") }
        position += 1
        return false
    }

    private mutating func number() throws(JSONSyntaxError) -> JSON {
        let start = position
        if peek() == UInt8(ascii: "-") { position += 1 }
        if peek() == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if peek() == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else { throw error("a digit is missing") }
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        var start = position
        // The text before `start`, with its escapes resolved.
        var escaped: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                let text = try text(escaped, bytes[start..<position])
                position += 1
                return text
            case UInt8(ascii: "\\"):
                escaped += bytes[start..<position]
                position += 1
                escaped += String(try escape()).utf8
                start = position
            case 0..<0x20 where !leniency.contains(.brokenText):
                throw error("a string contains a control character")
            default: position += 1
            }
        }
        throw error("the text ends inside a string")
    }

    private func text(
        _ escaped: [UInt8], _ rest: ArraySlice<UInt8>
    ) throws(JSONSyntaxError) -> String {
        let bytes = escaped.isEmpty ? rest : (escaped + rest)[...]
        if leniency.contains(.brokenText) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("a string is not UTF-8")
        }
        return text
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = peek() else { throw error("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw error("a string contains an invalid escape")
        }
    }

    /// Parses the hexadecimal code after `\u`. A character beyond U+FFFF consists of two codes.
    private mutating func scalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let afterFirst = position
        if first < 0xDC00, bytes[position...].starts(with: [0x5C, 0x75]) {
            position += 2
            let second = try hexadecimal()
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        guard leniency.contains(.brokenText) else {
            throw error("half of a surrogate pair is missing")
        }
        position = afterFirst
        return "\u{FFFD}"
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(),
                let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else { throw error("expected four hexadecimal digits") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
