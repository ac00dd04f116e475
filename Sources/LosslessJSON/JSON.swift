/// A JSON value that preserves the spelling of the text: the digits of numbers, and the order and
/// repetition of members.
///
/// Foundation's parser distinguishes integers from reals by value and rounds large numbers. Here,
/// the spelling determines the kind of number, and the caller chooses the conversion. Strings are
/// equal if their bytes are equal.
public indirect enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number, spelled as in the text. Its grammar follows RFC 8259.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A member of an object. RFC 8259 allows several members with the same name, and all of them
    /// are kept.
    public struct Member: Hashable, Sendable {
        /// The name, with its escapes resolved.
        public let name: String
        /// The value.
        public let value: JSON

        /// Creates a member.
        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// The value of a member; `nil` if there is no such member or this value is not an object. If
    /// the name occurs several times, the last member counts.
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The kind of value, with an article.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value as JSON in one line. Numbers keep their spelling, and members their order.
    public var text: String {
        var writer = JSONWriter()
        writer.json(self)
        return writer.text
    }

    /// Returns whether a number is spelled as a real, with a fraction or an exponent.
    ///
    /// - Complexity: O(*n*) in the number of digits.
    public static func isReal(_ digits: String) -> Bool {
        digits.utf8.contains { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }
    }
}

extension JSON.Member {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name.hasSameBytes(as: rhs.name) && lhs.value == rhs.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }
}

extension JSON {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
            left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .number(let text), .string(let text): hasher.combine(text)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

/// A syntax error and its location.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error, as a clause without a full stop and without the location.
    public let message: String
    /// The byte offset in the text.
    public let offset: Int
    /// The line number, starting from 1. A line ends with a line feed (U+000A).
    public let line: Int
    /// The column number in Unicode scalars, starting from 1.
    public let column: Int
    /// Whether the only error is that the nesting exceeds the limit.
    public let isTooDeep: Bool

    public var description: String { "line \(line), column \(column): \(message)" }
}
