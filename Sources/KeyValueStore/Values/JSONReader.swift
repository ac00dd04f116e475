import Foundation

/// Reads JSON (RFC 8259, strictly) into property lists.
///
/// Foundation's reader tells integers from reals by their value and rounds large ones; here the
/// spelling decides, and a number that does not fit is an error.
struct JSONReader {
    /// The members that stand for what JSON lacks.
    static let forms: Set<String> = ["$data", "$date", "$real", "$dictionary"]

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The whole text as one value; `nil` for `null`.
    mutating func document() throws(PropertyListError) -> PropertyList? {
        skipSpace()
        let value: PropertyList?
        if peek == UInt8(ascii: "n") {
            try expect("null")
            value = nil
        } else {
            value = try self.value(depth: 0)
        }
        try end()
        return value
    }

    /// The whole text as one object whose members may be `null`.
    mutating func entries() throws(PropertyListError) -> [String: PropertyList?] {
        skipSpace()
        guard peek == UInt8(ascii: "{") else { throw malformed("expected a JSON object") }
        var entries: [String: PropertyList?] = [:]
        try members(depth: 0) { (reader, key) throws(PropertyListError) in
            var value: PropertyList?
            if reader.peek == UInt8(ascii: "n") {
                try reader.expect("null")
            } else {
                value = try reader.value(depth: 0)
            }
            guard entries.updateValue(value, forKey: key) == nil else {
                throw reader.malformed("the key \(key.debugDescription) appears twice")
            }
        }
        try end()
        return entries
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func malformed(_ message: String) -> PropertyListError {
        PropertyListError(.malformed, message, at: position)
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private mutating func end() throws(PropertyListError) {
        skipSpace()
        guard position == bytes.count else { throw malformed("there is more after the value") }
    }

    private mutating func expect(_ word: StaticString) throws(PropertyListError) {
        let length = word.utf8CodeUnitCount
        guard bytes.count - position >= length,
            word.withUTF8Buffer({ word in
                word.indices.allSatisfy { bytes[position + $0] == word[$0] }
            })
        else { throw malformed("this is not JSON") }
        position += length
    }

    private mutating func value(depth: Int) throws(PropertyListError) -> PropertyList {
        switch peek {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "t"):
            try expect("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            throw PropertyListError(.unsupported, "null can be no part of a value", at: position)
        case nil: throw malformed("the text ends too early")
        default: return try number()
        }
    }

    private func checkDepth(_ depth: Int) throws(PropertyListError) {
        guard depth < PropertyList.depthLimit else {
            throw PropertyListError(.tooDeep, "nested too deeply", at: position)
        }
    }

    private mutating func array(depth: Int) throws(PropertyListError) -> PropertyList {
        try checkDepth(depth)
        position += 1
        skipSpace()
        var elements: [PropertyList] = []
        if peek == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
            switch peek {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return .array(elements)
            default: throw malformed("expected , or ] in an array")
            }
        }
    }

    private mutating func members(
        depth: Int,
        _ member: (inout JSONReader, String) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        try checkDepth(depth)
        position += 1
        skipSpace()
        if peek == UInt8(ascii: "}") {
            position += 1
            return
        }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw malformed("expected a key") }
            let key = try string()
            skipSpace()
            guard peek == UInt8(ascii: ":") else { throw malformed("expected : after a key") }
            position += 1
            skipSpace()
            try member(&self, key)
            skipSpace()
            switch peek {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return
            default: throw malformed("expected , or } in an object")
            }
        }
    }

    private mutating func object(depth: Int) throws(PropertyListError) -> PropertyList {
        let start = position
        if let content = try wrappedDictionary(depth: depth) { return content }
        let entries = try plainObject(depth: depth)
        guard entries.count == 1, let (form, content) = entries.first, Self.forms.contains(form)
        else { return .dictionary(entries) }
        guard let value = Self.value(of: form, content) else {
            throw PropertyListError(.malformed, "\(form) does not hold what it should", at: start)
        }
        return value
    }

    private mutating func plainObject(
        depth: Int
    ) throws(PropertyListError) -> [String: PropertyList] {
        var entries: [String: PropertyList] = [:]
        try members(depth: depth) { (reader, key) throws(PropertyListError) in
            guard entries[key] == nil else {
                throw reader.malformed("the key \(key.debugDescription) appears twice")
            }
            entries[key] = try reader.value(depth: depth + 1)
        }
        return entries
    }

    /// What `{"$dictionary": {…}}` wraps, in which members have no other meaning; `nil` for any
    /// other object.
    private mutating func wrappedDictionary(
        depth: Int
    ) throws(PropertyListError) -> PropertyList? {
        let start = position
        position += 1
        skipSpace()
        let name: StaticString = "\"$dictionary\""
        let matches = name.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if matches {
            position += name.utf8CodeUnitCount
            skipSpace()
            if peek == UInt8(ascii: ":") {
                position += 1
                skipSpace()
                if peek == UInt8(ascii: "{") {
                    let entries = try plainObject(depth: depth)
                    skipSpace()
                    if peek == UInt8(ascii: "}") {
                        position += 1
                        return .dictionary(entries)
                    }
                }
            }
        }
        position = start
        return nil
    }

    private static func value(of form: String, _ content: PropertyList) -> PropertyList? {
        switch (form, content) {
        case ("$data", .string(let text)): return Data(base64Encoded: text).map(PropertyList.data)
        case ("$date", .string(let text)):
            return InstantText.secondsSince2001(text).map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        case ("$date", .real(let seconds)):
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case ("$date", .integer(let seconds)):
            return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case ("$real", .real): return content
        case ("$real", .integer(let number)): return .real(Double(number))
        case ("$real", .string(let text)):
            switch text {
            case "nan": return .real(.nan)
            case "inf": return .real(.infinity)
            case "-inf": return .real(-.infinity)
            default:
                guard text.hasPrefix("nan:"), let bits = UInt64(text.dropFirst(4), radix: 16)
                else { return nil }
                let number = Double(bitPattern: bits)
                return number.isNaN ? .real(number) : nil
            }
        default: return nil
        }
    }
}

extension JSONReader {
    private mutating func digits() throws(PropertyListError) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else {
            throw malformed(start == bytes.count ? "the text ends too early" : "this is not JSON")
        }
    }

    fileprivate mutating func number() throws(PropertyListError) -> PropertyList {
        let start = position
        if peek == UInt8(ascii: "-") { position += 1 }
        let first = position
        try digits()
        guard bytes[first] != UInt8(ascii: "0") || position == first + 1 else {
            throw malformed("a number begins with a zero")
        }
        var isInteger = true
        if peek == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger {
            if let number = Int64(text) { return .integer(number) }
            if let number = UInt64(text) { return .unsigned(number) }
        } else if let number = Double(text), number.isFinite {
            return .real(number)
        }
        throw PropertyListError(.unsupported, "the number \(text) does not fit 64 bits", at: start)
    }

    fileprivate mutating func string() throws(PropertyListError) -> String {
        position += 1
        let start = position
        var escaped: [UInt8]?
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let text =
                    if let escaped {
                        String(validating: escaped, as: UTF8.self)
                    } else {
                        String(validating: bytes[start..<position], as: UTF8.self)
                    }
                guard let text else { throw malformed("a string is not UTF-8") }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                if escaped == nil { escaped = Array(bytes[start..<position]) }
                position += 1
                let scalar = try escape()
                escaped?.append(contentsOf: String(scalar).utf8)
            case 0..<0x20: throw malformed("a control character in a string")
            default:
                escaped?.append(byte)
                position += 1
            }
        }
        throw malformed("a string does not end")
    }

    private mutating func escape() throws(PropertyListError) -> Unicode.Scalar {
        guard let byte = peek else { throw malformed("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try unit()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard unit < 0xDC00, bytes.count - position >= 2,
                bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
            else { throw malformed("half a surrogate pair") }
            position += 2
            let low = try self.unit()
            guard (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(
                    0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
            else { throw malformed("half a surrogate pair") }
            return scalar
        default: throw malformed("an unknown escape")
        }
    }

    private mutating func unit() throws(PropertyListError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed("an escape without four digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
