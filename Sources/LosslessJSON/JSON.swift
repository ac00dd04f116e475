/// A JSON text as it was written: numbers by their digits, members in order with repetitions.
///
/// Foundation's reader tells integers from reals by their value and rounds large ones; here the
/// spelling decides, and who reads says what fits. Texts are equal when their bytes are.
public indirect enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// The digits as they stand in the text, by the grammar of RFC 8259.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One member of an object. A name may occur more than once, as RFC 8259 allows; all are kept.
    public struct Member: Hashable, Sendable {
        /// The member's name, with its escapes resolved.
        public let name: String
        /// The member's value.
        public let value: JSON

        /// A member of that name and value, in any order of names.
        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// The member of a name, the last one of several; `nil` where there is none, or this is not an
    /// object.
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.hasSameBytes(as: name) }?.value
    }

    /// What it is, with an article.
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

    /// Whether a number is spelled as a real: with a fraction or an exponent.
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

/// Text that is no JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a clause without a full stop and without the place.
    public let message: String
    /// In bytes from the start of the text.
    public let offset: Int
    /// Counted from one; a line ends with a line feed (U+000A).
    public let line: Int
    /// Counted from one, in Unicode scalars from the start of the line.
    public let column: Int
    /// Whether it is only nested deeper than the limit.
    public let isTooDeep: Bool

    public var description: String { "line \(line), column \(column): \(message)" }
}
