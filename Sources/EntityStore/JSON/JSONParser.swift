/// Parses JSON by RFC 8259, but for commas before `]` and `}`, which it passes over.
///
/// Depth is limited, so that no text can exhaust the stack.
struct JSONParser {
    static let maximumDepth = 200

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: ``JSONSyntaxError``, also for text that is not UTF-8.
    static func parse(_ bytes: [UInt8]) throws -> JSON {
        var parser = JSONParser(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else {
            throw parser.error("there is more after the end")
        }
        return value
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private func error(_ message: String) -> JSONSyntaxError {
        let read = bytes.prefix(position)
        let line = 1 + read.count { $0 == 0x0A }
        let start = read.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // Continuation bytes of UTF-8 are no columns of their own.
        let column = 1 + bytes[start..<position].count { $0 & 0xC0 != 0x80 }
        return JSONSyntaxError(message: message, line: line, column: column)
    }

    private mutating func value(depth: Int) throws -> JSON {
        guard depth < Self.maximumDepth else { throw error("it is nested too deeply") }
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case (0x30...0x39)?, UInt8(ascii: "-"): return try number()
        case nil: throw error("the text ends where a value should be")
        default: throw error("no value begins like this")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws -> JSON {
        let matches = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw error("no value begins like this") }
        position += word.utf8CodeUnitCount
        return value
    }

    private mutating func object(depth: Int) throws -> JSON {
        position += 1
        var members: [JSON.Member] = []
        while true {
            skipSpace()
            switch peek() {
            case UInt8(ascii: "}"):
                position += 1
                return .object(members)
            case UInt8(ascii: "\""): break
            case nil: throw error("the text ends inside an object")
            default: throw error("a member's name in quotation marks is missing")
            }
            let name = try string()
            skipSpace()
            guard peek() == UInt8(ascii: ":") else {
                throw error("a colon is missing after \(name.debugDescription)")
            }
            position += 1
            members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
            try separator(before: UInt8(ascii: "}"), "an object")
        }
    }

    private mutating func array(depth: Int) throws -> JSON {
        position += 1
        var elements: [JSON] = []
        while true {
            skipSpace()
            if peek() == UInt8(ascii: "]") {
                position += 1
                return .array(elements)
            }
            elements.append(try value(depth: depth + 1))
            try separator(before: UInt8(ascii: "]"), "an array")
        }
    }

    private mutating func separator(before end: UInt8, _ place: String) throws {
        skipSpace()
        switch peek() {
        case UInt8(ascii: ","): position += 1
        case end: break
        case nil: throw error("the text ends inside \(place)")
        default: throw error("a comma is missing in \(place)")
        }
    }

    private mutating func number() throws -> JSON {
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

    private mutating func digits() throws {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else { throw error("a digit is missing") }
    }

    private mutating func string() throws -> String {
        position += 1
        var text: [UInt8] = []
        var start = position
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                text += bytes[start..<position]
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw error("a string is not UTF-8")
                }
                position += 1
                return string
            case UInt8(ascii: "\\"):
                text += bytes[start..<position]
                position += 1
                try escape(into: &text)
                start = position
            case 0..<0x20: throw error("a control character stands in a string")
            default: position += 1
            }
        }
        throw error("the text ends inside a string")
    }

    private mutating func escape(into text: inout [UInt8]) throws {
        guard let byte = peek() else { throw error("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(String(try scalar()).utf8)
        default: throw error("there is no such escape in a string")
        }
    }

    private mutating func scalar() throws -> Character {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard first < 0xDC00, bytes[position...].starts(with: [0x5C, 0x75]) else {
            throw error("half a surrogate pair stands alone")
        }
        position += 2
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half a surrogate pair stands alone") }
        return Character(scalar)
    }

    private mutating func hexadecimal() throws -> UInt32 {
        let end = position + 4
        guard end <= bytes.count else { throw error("the text ends inside a string") }
        var value: UInt32 = 0
        while position < end {
            guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
                throw error("four hexadecimal digits are missing")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
