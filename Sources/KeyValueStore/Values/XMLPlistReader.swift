import Foundation
import Replication

/// A reader of XML property lists: the few elements of Apple's DTD, and only the XML syntax that
/// they use.
///
/// Foundation's reader doesn't distinguish integers and reals, and doesn't limit nesting.
struct XMLPlistReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private struct Tag {
        let name: String
        /// `</name>`
        let closes: Bool
        /// `<name/>`
        let isEmpty: Bool
    }

    mutating func document() throws(PropertyListError) -> PropertyList {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        try skipMisc()
        let root = try tag()
        guard root.name == "plist", !root.closes, !root.isEmpty else {
            throw malformed("not a property list")
        }
        try skipMisc()
        let value = try value(of: try tag(), depth: 0)
        try skipMisc()
        let end = try tag()
        guard end.name == "plist", end.closes else { throw malformed("expected </plist>") }
        try skipMisc()
        guard position == bytes.count else {
            throw malformed("unexpected content after the property list")
        }
        return value
    }

    private func malformed(_ message: String) -> PropertyListError {
        PropertyListError(.malformed, message, at: position)
    }

    private func has(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func skip(through text: StaticString) throws(PropertyListError) {
        while position < bytes.count, !has(text) { position += 1 }
        guard position < bytes.count else { throw malformed("the text ends too early") }
        position += text.utf8CodeUnitCount
    }

    /// Skips white space, comments, and declarations.
    private mutating func skipMisc() throws(PropertyListError) {
        while position < bytes.count {
            if [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
                position += 1
            } else if has("<!--") {
                try skip(through: "-->")
            } else if has("<?") {
                try skip(through: "?>")
            } else if has("<!DOCTYPE") {
                let start = position
                try skip(through: ">")
                guard !bytes[start..<position].contains(UInt8(ascii: "[")) else {
                    throw PropertyListError(.unsupported, "the file declares entities", at: start)
                }
            } else {
                return
            }
        }
    }

    private mutating func tag() throws(PropertyListError) -> Tag {
        guard has("<") else { throw malformed("expected an element") }
        let start = position + 1
        try skip(through: ">")
        var content = bytes[start..<position - 1]
        let closes = content.first == UInt8(ascii: "/")
        if closes { content = content.dropFirst() }
        let isEmpty = content.last == UInt8(ascii: "/")
        if isEmpty { content = content.dropLast() }
        let name = content.prefix { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return Tag(name: String(decoding: name, as: UTF8.self), closes: closes, isEmpty: isEmpty)
    }

    private mutating func value(
        of tag: Tag, depth: Int
    ) throws(PropertyListError) -> PropertyList {
        guard !tag.closes else { throw malformed("expected a value") }
        switch tag.name {
        case "array", "dict":
            guard depth < PropertyList.depthLimit else {
                throw PropertyListError(.tooDeep, "nested too deeply", at: position)
            }
            return tag.name == "array"
                ? try array(tag, depth: depth) : try dictionary(tag, depth: depth)
        case "true", "false":
            guard try text(tag).isEmpty else { throw malformed("<\(tag.name)> has content") }
            return .boolean(tag.name == "true")
        case "string": return .string(try text(tag))
        default:
            let text = try text(tag).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let value = Self.scalar(tag.name, text) else {
                throw malformed("the content of <\(tag.name)> is invalid")
            }
            return value
        }
    }

    private static func scalar(_ name: String, _ text: String) -> PropertyList? {
        switch name {
        case "integer": integer(text)
        case "real": Double(text).map(PropertyList.real)
        case "date":
            DateText.secondsSince2001(text).map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        case "data":
            Data(base64Encoded: text.filter { !$0.isWhitespace }).map(PropertyList.data)
        default: nil
        }
    }

    private static func integer(_ text: String) -> PropertyList? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let plain = isHexadecimal ? digits.dropFirst(2) : digits
        guard plain.first?.isHexDigit == true,
            let magnitude = UInt64(plain, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        guard isNegative else { return PropertyList(unsigned: magnitude) }
        guard magnitude <= Int64.min.magnitude else { return nil }
        return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    private mutating func array(
        _ tag: Tag, depth: Int
    ) throws(PropertyListError) -> PropertyList {
        var elements: [PropertyList] = []
        while let next = try child(of: tag) {
            elements.append(try value(of: next, depth: depth + 1))
        }
        return .array(elements)
    }

    private mutating func dictionary(
        _ tag: Tag, depth: Int
    ) throws(PropertyListError) -> PropertyList {
        var entries: [Name: PropertyList] = [:]
        while let next = try child(of: tag) {
            guard next.name == "key" else { throw malformed("expected <key>") }
            let key = try text(next)
            try skipMisc()
            let value = try value(of: try self.tag(), depth: depth + 1)
            guard entries.updateValue(value, forKey: key) == nil else {
                throw malformed("the key \(key.quoted) appears twice")
            }
        }
        return .dictionary(entries)
    }

    /// Returns the tag of the next element inside another, or `nil` at the end of the outer
    /// element.
    private mutating func child(of tag: Tag) throws(PropertyListError) -> Tag? {
        if tag.isEmpty { return nil }
        try skipMisc()
        let next = try self.tag()
        guard next.closes else { return next }
        guard next.name == tag.name else { throw malformed("expected </\(tag.name)>") }
        return nil
    }

    /// Reads the text up to the end of an element, and replaces references.
    private mutating func text(_ tag: Tag) throws(PropertyListError) -> String {
        if tag.isEmpty { return "" }
        var content: [UInt8] = []
        while position < bytes.count {
            if has("<![CDATA[") {
                position += 9
                let start = position
                try skip(through: "]]>")
                content += bytes[start..<position - 3]
            } else if has("<!--") {
                try skip(through: "-->")
            } else if has("<") {
                let end = try self.tag()
                guard end.closes, end.name == tag.name else {
                    throw malformed("expected </\(tag.name)>")
                }
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw malformed("the text is not UTF-8")
                }
                return text
            } else if has("&") {
                content += Array(String(try reference()).utf8)
            } else {
                content.append(bytes[position])
                position += 1
            }
        }
        throw malformed("the text ends too early")
    }

    private mutating func reference() throws(PropertyListError) -> Unicode.Scalar {
        let start = position + 1
        try skip(through: ";")
        let name = String(decoding: bytes[start..<position - 1], as: UTF8.self)
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let isHexadecimal = name.hasPrefix("#x")
            guard name.hasPrefix("#"),
                let number = UInt32(
                    name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
                let scalar = Unicode.Scalar(number)
            else { throw malformed("a reference is unknown") }
            return scalar
        }
    }
}
