import Foundation
package import LosslessJSON

/// A type whose values can be read from JSON. Objects with one member represent values that JSON
/// lacks:
///
/// - `{"$data": BASE64}`
/// - `{"$date": TIME}` in ISO 8601, or seconds since 2001-01-01 UTC as a number
/// - `{"$real": "nan"}`, `"inf"`, `"-inf"`; `"nan:HEX"` for NaNs with other bits; any other number
/// - `{"$dictionary": {…}}` for a dictionary that would look like one of these objects
/// - `{"$dictionary": […]}` for any dictionary, as an array of alternating names and values
package protocol JSONTreeReadable: TreeReadable {
    /// Returns whether an object whose only member has this name represents a value that JSON
    /// lacks.
    ///
    /// - Parameter content: The value of the member; `nil` to ask whether a dictionary with a
    ///   member of this name must be written as `$dictionary`.
    static func isTag(_ name: String, of content: JSON?) -> Bool

    /// Creates a date from ISO 8601 text. Returns `nil` for other text, and for a date that can't
    /// be represented exactly.
    init?(jsonDate text: String)

    /// Parses a value from JSON text.
    init(jsonText text: String) throws(TreeJSONError)
}

extension JSONTreeReadable {
    package init?(jsonDate text: String) {
        guard let instant = Timestamp(exactly: text) else { return nil }
        self.init(tree: .instant(instant))
    }

    package init(jsonText text: String) throws(TreeJSONError) {
        try self.init(reading: try Self.parse(Array(text.utf8)))
    }

    package static func parse(
        _ text: [UInt8], allowing leniency: JSONParser.Leniency = []
    ) throws(TreeJSONError) -> JSON {
        do {
            // A tag (an object for a value that JSON can't represent) adds one level.
            return try JSONParser.parse(text, allowing: leniency, depthLimit: treeDepthLimit + 1)
        } catch {
            throw TreeJSONError(syntax: error)
        }
    }

    /// Reads the value that JSON represents.
    ///
    /// - Parameter levels: The maximum nesting depth of arrays and dictionaries.
    package init(
        reading json: JSON, levels: Int = Self.treeDepthLimit
    ) throws(TreeJSONError) {
        let content: TreeContent<Self>
        switch json {
        case .null: content = .null
        case .boolean(let truth): content = .boolean(truth)
        case .string(let text): content = .string(text)
        case .number(let digits): content = try Self.number(digits)
        case .array(let elements):
            try TreeJSONError.check(levels, Self.treeDepthLimit)
            var values: [Self] = []
            for element in elements {
                values.append(try Self(reading: element, levels: levels - 1))
            }
            content = .array(values)
        case .object(let members):
            try TreeJSONError.check(levels, Self.treeDepthLimit)
            if members.count == 1, let only = members.first, Self.isTag(only.name, of: only.value) {
                self = try Self.tagged(only, levels)
                return
            }
            content = .dictionary(try Self.members(members, levels))
        }
        guard let value = Self(tree: content) else {
            switch content {
            case .null: throw TreeJSONError(.unsupported, "null is not a value")
            case .unsigned(let number): throw TreeJSONError.tooLarge("\(number)")
            default: throw TreeJSONError(.unsupported, "\(json.kindName) can't be stored")
            }
        }
        self = value
    }

    private static func number(_ digits: String) throws(TreeJSONError) -> TreeContent<Self> {
        if JSON.isReal(digits) {
            guard let number = Double(digits), number.isFinite else {
                throw TreeJSONError(.unsupported, "\(digits) is too large for a double")
            }
            return .double(number)
        }
        if let number = Int64(digits) { return .integer(number) }
        guard let number = UInt64(digits) else { throw TreeJSONError.tooLarge(digits) }
        return .unsigned(number)
    }

    private static func members(
        _ members: [JSON.Member], _ levels: Int
    ) throws(TreeJSONError) -> [Name: Self] {
        var values: [Name: Self] = [:]
        for member in members {
            let value = try Self(reading: member.value, levels: levels - 1)
            guard values.updateValue(value, forKey: member.name) == nil else {
                throw TreeJSONError(
                    .malformed, "the key \(member.name.quoted) appears twice")
            }
        }
        return values
    }

    private static func tagged(
        _ member: JSON.Member, _ levels: Int
    ) throws(TreeJSONError) -> Self {
        let tag = JSONTag(rawValue: member.name)
        let content: TreeContent<Self>?
        switch (tag, member.value) {
        case (.data, .string(let text)): content = Data(base64: text).map { .data($0) }
        case (.date, .string(let text)):
            if let date = Self(jsonDate: text) { return date }
            content = nil
        case (.date, let json):
            content = json.anyNumber.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case (.real, let json): content = json.anyNumber.map { .double($0) }
        case (.dictionary, .object(let entries)):
            content = .dictionary(try members(entries, levels))
        case (.dictionary, .array(let elements)):
            content = try alternating(elements).map { entries throws(TreeJSONError) in
                .dictionary(try members(entries, levels))
            }
        default: content = nil
        }
        guard let value = content.flatMap(Self.init(tree:)) else {
            throw TreeJSONError(
                .malformed,
                tag?.expectation.map { "\(member.name) must contain \($0)" }
                    ?? "\(member.name.quoted) isn't a known tag for this value")
        }
        return value
    }

    /// Returns the members that an array of alternating names and values represents.
    private static func alternating(_ elements: [JSON]) -> [JSON.Member]? {
        guard elements.count.isMultiple(of: 2) else { return nil }
        var members: [JSON.Member] = []
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard case .string(let name) = elements[index] else { return nil }
            members.append(JSON.Member(name: name, value: elements[index + 1]))
        }
        return members
    }
}

extension TreeValue where Self: JSONTreeReadable {
    /// Returns the value as JSON, with keys in byte order. A real always has a fraction or an
    /// exponent.
    package func jsonTree(
        levels: Int = Self.treeDepthLimit
    ) throws(TreeJSONError) -> JSON {
        switch treeContent {
        case .null: return .null
        case .boolean(let truth): return .boolean(truth)
        case .integer(let number): return .number(number.description)
        case .unsigned(let number): return .number(number.description)
        case .double(let number): return .real(number)
        case .string(let text): return .string(text)
        case .data(let data): return .tagged(.data, .string(data.base64EncodedString()))
        case .instant(let instant): return .tagged(.date, .string(instant.plainISO8601))
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            let text = DateText.text(secondsSince2001: seconds)
            return .tagged(.date, text.map(JSON.string) ?? .real(seconds))
        case .array(let elements):
            try TreeJSONError.check(levels, Self.treeDepthLimit)
            var items: [JSON] = []
            for element in elements { items.append(try element.jsonTree(levels: levels - 1)) }
            return .array(items)
        case .dictionary(let members):
            try TreeJSONError.check(levels, Self.treeDepthLimit)
            var items: [JSON.Member] = []
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                let json = try value.jsonTree(levels: levels - 1)
                items.append(JSON.Member(name: name.text, value: json))
            }
            guard items.count == 1, Self.isTag(items[0].name, of: nil) else {
                return .object(items)
            }
            return .tagged(.dictionary, .object(items))
        case .ownKind:
            throw TreeJSONError(
                .unsupported, "a \(treeKind) can't be inside an array or a dictionary")
        }
    }
}

/// An error of reading a value from JSON, or of writing one.
package struct TreeJSONError: Error, CustomStringConvertible {
    package enum Problem: Sendable { case malformed, unsupported, tooDeep }

    package let problem: Problem
    /// The problem, as a clause without a full stop.
    package let message: String
    /// The error in the syntax of the text, if it isn't JSON.
    package let syntax: JSONSyntaxError?

    package var description: String {
        guard let syntax, !syntax.isTooDeep else { return message }
        return "\(message) (line \(syntax.line), column \(syntax.column))"
    }

    fileprivate init(_ problem: Problem, _ message: String) {
        (self.problem, self.message, syntax) = (problem, message, nil)
    }

    fileprivate init(syntax: JSONSyntaxError) {
        problem = syntax.isTooDeep ? .tooDeep : .malformed
        message = syntax.isTooDeep ? syntax.message : "not JSON: \(syntax.message)"
        self.syntax = syntax
    }

    fileprivate static func tooLarge(_ digits: String) -> Self {
        Self(.unsupported, "\(digits) is too large for a 64-bit integer")
    }

    fileprivate static func check(
        _ levels: Int, _ limit: Int
    ) throws(TreeJSONError) {
        guard levels > 0 else {
            throw Self(.tooDeep, "it is nested too deeply: at most \(limit) levels")
        }
    }
}

extension JSONTag {
    /// The expected content of this tag, for messages.
    fileprivate var expectation: String? {
        switch self {
        case .data: "base64 text"
        case .date: "an instant such as 2026-11-21T09:15:00Z"
        case .real: "a number, \"nan\", \"inf\" or \"-inf\""
        case .dictionary: "an object, or an array of alternating names and values"
        case .text, .external, .entity: nil
        }
    }
}

extension JSON {
    /// The number that this value represents as a number, a text, or a tagged value.
    fileprivate var anyNumber: Double? {
        switch self {
        case .number(let digits): Self.finite(digits)
        case .string(let text): JSONTag.number(for: text) ?? Self.finite(text)
        case .object: tagged.flatMap { $0.tag == .real ? $0.content.anyNumber : nil }
        case .null, .boolean, .array: nil
        }
    }

    private static func finite(_ digits: String) -> Double? {
        Double(digits).flatMap { $0.isFinite ? $0 : nil }
    }
}
