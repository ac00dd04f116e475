import Foundation

/// Reads ``LenientJSON`` from bytes, without trusting them.
struct LenientJSONParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let deepest = 64

    mutating func parseDocument() throws(LenientJSON.Failure) -> LenientJSON {
        let value = try parseValue(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw failure("more after the value") }
        return value
    }

    private func failure(_ reason: String) -> LenientJSON.Failure {
        LenientJSON.Failure(byteOffset: position, reason: reason)
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
    }

    /// Steps over `byte` if it is the next one that is no white space.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func parseValue(depth: Int) throws(LenientJSON.Failure) -> LenientJSON {
        guard depth < Self.deepest else { throw failure("nested too deeply") }
        skipSpace()
        guard position < bytes.count else { throw failure("nothing where a value should be") }
        switch bytes[position] {
        case .quote: return .string(try parseString())
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "t"): return try parse("true", as: .boolean(true))
        case UInt8(ascii: "f"): return try parse("false", as: .boolean(false))
        case UInt8(ascii: "n"): return try parse("null", as: .null)
        default: return try parseNumber()
        }
    }

    private mutating func parse(
        _ word: StaticString, as value: LenientJSON
    ) throws(LenientJSON.Failure) -> LenientJSON {
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[position...].starts(with: expected) else { throw failure("no JSON value") }
        position += expected.count
        return value
    }

    private mutating func parseObject(depth: Int) throws(LenientJSON.Failure) -> LenientJSON {
        position += 1
        var members: [LenientJSON.Member] = []
        while !take(UInt8(ascii: "}")) {
            skipSpace()
            guard position < bytes.count, bytes[position] == .quote else {
                throw failure("no key where one should be")
            }
            let key = try parseString()
            guard take(UInt8(ascii: ":")) else { throw failure("no colon after a key") }
            members.append(.init(key: key, value: try parseValue(depth: depth + 1)))
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "}")) else { throw failure("no comma after a member") }
            break
        }
        return .object(members)
    }

    private mutating func parseArray(depth: Int) throws(LenientJSON.Failure) -> LenientJSON {
        position += 1
        var elements: [LenientJSON] = []
        while !take(UInt8(ascii: "]")) {
            elements.append(try parseValue(depth: depth + 1))
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "]")) else { throw failure("no comma after an element") }
            break
        }
        return .array(elements)
    }

    private mutating func parseNumber() throws(LenientJSON.Failure) -> LenientJSON {
        let start = position
        var isInteger = true
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
            case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                isInteger = false
            default:
                return try number(in: start..<position, isInteger: isInteger)
            }
            position += 1
        }
        return try number(in: start..<position, isInteger: isInteger)
    }

    private func number(
        in range: Range<Int>, isInteger: Bool
    ) throws(LenientJSON.Failure) -> LenientJSON {
        let text = String(decoding: bytes[range], as: UTF8.self)
        if isInteger, let value = Int(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw failure("no JSON value") }
        return .real(value)
    }

    private mutating func parseString() throws(LenientJSON.Failure) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case .quote:
                defer { position += 1 }
                return String(decoding: bytes[start..<position], as: UTF8.self)
            case .backslash: return try parseEscapedString(from: start)
            default: position += 1
            }
        }
        throw failure("a string without an end")
    }

    /// Continues at the first backslash of a string that began at `start`.
    private mutating func parseEscapedString(
        from start: Int
    ) throws(LenientJSON.Failure) -> String {
        var result = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == .quote { return String(decoding: result, as: UTF8.self) }
            guard byte == .backslash else {
                result.append(byte)
                continue
            }
            guard position < bytes.count else { break }
            let escape = bytes[position]
            position += 1
            switch escape {
            case .quote, .backslash, UInt8(ascii: "/"): result.append(escape)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): result.append(contentsOf: try parseScalar().utf8)
            default: throw failure("an escape that JSON does not have")
            }
        }
        throw failure("a string without an end")
    }

    /// The character after `\u`; half of a surrogate pair alone is the replacement character.
    private mutating func parseScalar() throws(LenientJSON.Failure) -> String {
        let unit = try parseHexadecimal()
        guard UTF16.isLeadSurrogate(unit), position + 1 < bytes.count,
            bytes[position] == .backslash, bytes[position + 1] == UInt8(ascii: "u")
        else { return String(decoding: [unit], as: UTF16.self) }
        let afterFirst = position
        position += 2
        let second = try parseHexadecimal()
        guard UTF16.isTrailSurrogate(second) else {
            position = afterFirst
            return String(decoding: [unit], as: UTF16.self)
        }
        return String(decoding: [unit, second], as: UTF16.self)
    }

    private mutating func parseHexadecimal() throws(LenientJSON.Failure) -> UInt16 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ $0.isHexadecimalDigit }),
            let unit = UInt16(
                String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw failure("an escape without four hexadecimal digits") }
        position += 4
        return unit
    }
}

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")

    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
