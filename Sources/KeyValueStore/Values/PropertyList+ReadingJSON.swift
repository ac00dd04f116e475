import Foundation
import LosslessJSON
import Replication

extension PropertyList {
    /// Returns the tag with a name, if a property list uses it.
    static func jsonTag(_ name: String) -> JSONTag? {
        guard let tag = JSONTag(rawValue: name) else { return nil }
        switch tag {
        case .data, .date, .real, .dictionary: return tag
        case .text, .external, .entity: return nil
        }
    }

    /// Parses JSON.
    ///
    /// - Throws: ``PropertyListError`` for text that is not JSON.
    static func parse(_ text: some ContiguousBytes) throws(PropertyListError) -> JSON {
        do throws(JSONSyntaxError) {
            // An object that represents a value that JSON lacks adds one level.
            return try JSONParser.parse(
                text.withUnsafeBytes { Array($0) }, depthLimit: depthLimit + 1)
        } catch {
            throw PropertyListError(
                error.isTooDeep ? .tooDeep : .malformed, error.message, at: error.offset,
                position: PropertyListError.Position(line: error.line, column: error.column))
        }
    }

    init(_ json: JSON, depth: Int = 0) throws(PropertyListError) {
        switch json {
        case .null: throw PropertyListError(.unsupported, "null can't be part of a value")
        case .boolean(let truth): self = .boolean(truth)
        case .string(let text): self = .string(text)
        case .number(let digits): self = try Self(number: digits)
        case .array(let elements):
            try Self.check(depth)
            var values: [PropertyList] = []
            for element in elements { values.append(try Self(element, depth: depth + 1)) }
            self = .array(values)
        case .object(let members):
            try Self.check(depth)
            if members.count == 1, let member = members.first, let tag = Self.jsonTag(member.name) {
                self = try Self(tag: tag, member.value, depth)
            } else {
                self = .dictionary(try Self.entries(members, depth))
            }
        }
    }

    private static func check(_ depth: Int) throws(PropertyListError) {
        guard depth < depthLimit else {
            throw PropertyListError(.tooDeep, "nested deeper than \(depthLimit) levels")
        }
    }

    private init(number digits: String) throws(PropertyListError) {
        if JSON.isReal(digits) {
            if let number = Double(digits), number.isFinite {
                self = .real(number)
                return
            }
        } else if let number = Int64(digits) {
            self = .integer(number)
            return
        } else if let number = UInt64(digits) {
            self = .unsigned(number)
            return
        }
        throw PropertyListError(.unsupported, "the number \(digits) does not fit 64 bits")
    }

    private static func entries(
        _ members: [JSON.Member], _ depth: Int
    ) throws(PropertyListError) -> [Name: PropertyList] {
        var entries: [Name: PropertyList] = [:]
        for member in members {
            let value = try PropertyList(member.value, depth: depth + 1)
            guard entries.updateValue(value, forKey: member.name) == nil else {
                throw twice(member.name)
            }
        }
        return entries
    }

    static func twice(_ key: String) -> PropertyListError {
        PropertyListError(.malformed, "the key \(key.quoted) appears twice")
    }

    private init(tag: JSONTag, _ json: JSON, _ depth: Int) throws(PropertyListError) {
        if tag == .dictionary, case .object(let members) = json {
            self = .dictionary(try Self.entries(members, depth))
            return
        }
        let content = try Self.content(of: json, depth)
        if tag == .dictionary, case .array(let elements) = content,
            let members = Self.members(inTurn: elements)
        {
            self = .dictionary(members)
            return
        }
        guard let value = Self.value(of: tag, content) else {
            throw PropertyListError(
                .malformed, "\(tag.rawValue) must contain \(Self.expected(tag))")
        }
        self = value
    }

    /// Converts the content of a tag. A number is always a real, because integers have no -0.
    private static func content(
        of json: JSON, _ depth: Int
    ) throws(PropertyListError) -> PropertyList {
        if case .number(let digits) = json, let number = Double(digits), number.isFinite {
            return .real(number)
        }
        return try PropertyList(json, depth: depth + 1)
    }

    /// Returns a dictionary from alternating names and values, or `nil` for a duplicate or invalid
    /// name.
    static func members(inTurn elements: [PropertyList]) -> [Name: PropertyList]? {
        guard elements.count.isMultiple(of: 2) else { return nil }
        var members: [Name: PropertyList] = [:]
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard case .string(let name) = elements[index],
                members.updateValue(elements[index + 1], forKey: name) == nil
            else { return nil }
        }
        return members
    }

    /// Describes the expected content of a tag.
    private static func expected(_ tag: JSONTag) -> String {
        switch tag {
        case .data: "base64 text"
        case .date: "an instant such as 2026-11-21T09:15:00Z"
        case .real: "a number, \"nan\", \"inf\" or \"-inf\""
        default: "an object, or an array of alternating names and values"
        }
    }

    /// Returns the value that a tag and its content represent.
    ///
    /// - Returns: `nil` if the content is invalid.
    static func value(of tag: JSONTag, _ content: PropertyList) -> PropertyList? {
        switch (tag, content) {
        case (.data, .string(let text)): Data(base64Encoded: text).map(PropertyList.data)
        case (.date, .string(let text)):
            DateText.secondsSince2001(text).map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        case (.date, .real(let seconds)):
            .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.real, .real): content
        case (.real, .string(let text)): JSONTag.number(for: text).map(PropertyList.real)
        default: nil
        }
    }
}
