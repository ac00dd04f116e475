public import Foundation
public import Replication

/// A value of the store: any content of a property list, with distinct kinds.
///
/// The integer 3 and the real 3.0 are different values, and a boolean is not a number. A value
/// keeps its kind in the file, in JSON, and in XML.
public enum PropertyList: Sendable {
    case string(String)
    case integer(Int64)
    /// An integer above `Int64.max`. Smaller ones are ``integer(_:)``; ``init(unsigned:)`` picks
    /// the case.
    case unsigned(UInt64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyList])
    case dictionary([Name: PropertyList])

    /// The maximum nesting depth of arrays and dictionaries. All readers and writers of this
    /// library refuse deeper values.
    public static let depthLimit = 256

    /// Creates a value from `number`, as ``integer(_:)`` if it fits.
    public init(unsigned number: UInt64) {
        self = Int64(exactly: number).map(Self.integer) ?? .unsigned(number)
    }

    /// The name of the kind of value: `string`, `integer`, `real`, `boolean`, `date`, `data`,
    /// `array`, or `dictionary`.
    public var kind: String {
        switch self {
        case .string: "string"
        case .integer, .unsigned: "integer"
        case .real: "real"
        case .boolean: "boolean"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}

extension PropertyList: Hashable {
    /// Returns whether the values are stored identically. Reals and dates are compared by their
    /// bits, so a NaN equals itself and -0.0 differs from 0.0. An integer is the same in either
    /// integer case.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.string(let a), .string(let b)): a == b && a.utf8.elementsEqual(b.utf8)
        case (.integer(let a), .integer(let b)): a == b
        case (.unsigned(let a), .unsigned(let b)): a == b
        case (.integer(let a), .unsigned(let b)), (.unsigned(let b), .integer(let a)):
            UInt64(exactly: a) == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.boolean(let a), .boolean(let b)): a == b
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.data(let a), .data(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(UInt64(bitPattern: value))
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .boolean(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension PropertyList: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a real, even from a literal without a fraction.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates an array of the elements, in order.
    public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }

    /// Creates a dictionary. A duplicate key gets its last value.
    public init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements.map { (Name($0), $1) }) { $1 })
    }
}

extension PropertyList: CustomStringConvertible {
    /// The value as JSON, or the name of its kind if it is nested too deeply.
    public var description: String { (try? json()) ?? "(\(kind))" }
}
