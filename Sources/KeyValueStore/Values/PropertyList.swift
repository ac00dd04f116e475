public import Foundation
public import Replication

/// A value of the store: what a property list can hold, each kind kept apart from the others.
///
/// An integer is not a real with no fraction, and a boolean is not a number: reading a value back
/// gives the kind that was written, through the file, through JSON and through XML.
public enum PropertyList: Sendable {
    case string(String)
    case integer(Int64)
    /// An integer above `Int64.max`; smaller ones are ``integer(_:)``, as ``init(unsigned:)`` does.
    case unsigned(UInt64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyList])
    case dictionary([Name: PropertyList])

    /// How many arrays and dictionaries may stand inside each other; deeper values are refused by
    /// every reader and writer of this library.
    public static let depthLimit = 256

    /// The case that holds `number`: ``integer(_:)`` wherever it fits.
    public init(unsigned number: UInt64) {
        self = Int64(exactly: number).map(Self.integer) ?? .unsigned(number)
    }

    /// The name of the kind of value: `string`, `integer`, `real`, `boolean`, `date`, `data`,
    /// `array` or `dictionary`.
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
    /// Equal means: the same when stored. Reals and dates are compared by their bits, so a NaN
    /// equals itself and -0.0 differs from 0.0; an integer is the same in either integer case.
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
    /// The text that the literal spells.
    public init(stringLiteral value: String) { self = .string(value) }
    /// The integer that the literal spells.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// The real that the literal spells, one without a fraction included.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// The boolean that the literal spells.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// An array of the elements, in their order.
    public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }

    /// A key given twice keeps its last value.
    public init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements.map { (Name($0), $1) }) { $1 })
    }
}

extension PropertyList: CustomStringConvertible {
    /// The value as JSON; a value too deep for that is named by its kind.
    public var description: String { (try? json()) ?? "(\(kind))" }
}
