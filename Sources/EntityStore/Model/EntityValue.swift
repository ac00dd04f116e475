public import Foundation
public import Replication

/// The value of a property.
///
/// Dates are whole microseconds, as everywhere in the package. A relationship stands alone: inside
/// an array or a dictionary the store refuses it, because deleting its target could not reach it;
/// several entries of one property are how an entity points to many.
public enum EntityValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case date(Timestamp)
    case data(Data)
    case relationship(EntityReference)
    indirect case array([EntityValue])
    indirect case dictionary([Name: EntityValue])

    /// The same when stored: text is compared by its bytes, a double by its bits, so that 0.0 is not
    /// -0.0; what is not a number is equal to itself.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.string(let a), .string(let b)): Name(a) == Name(b)
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)):
            a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.boolean(let a), .boolean(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.relationship(let a), .relationship(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .string(let value): hasher.combine(Name(value))
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .boolean(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .relationship(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }

    /// Which of the nine kinds the value is.
    public var kind: EntityValueKind {
        switch self {
        case .string: .string
        case .integer: .integer
        case .double: .double
        case .boolean: .boolean
        case .date: .date
        case .data: .data
        case .relationship: .relationship
        case .array: .array
        case .dictionary: .dictionary
        }
    }
}

/// The nine kinds of value. The raw values are those of the file's `kind` column.
public enum EntityValueKind: UInt8, Hashable, Sendable, CaseIterable {
    case string = 1
    case integer = 2
    case double = 3
    case boolean = 4
    case date = 5
    case data = 6
    case relationship = 7
    case array = 8
    case dictionary = 9

    /// The semantic type of a value whose writer named none; also the interchange member.
    public var name: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .double: "double"
        case .boolean: "boolean"
        case .date: "date"
        case .data: "data"
        case .relationship: "entity"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }

    static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}

extension EntityValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// The text that the literal spells.
    public init(stringLiteral value: String) { self = .string(value) }
    /// The integer that the literal spells.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// The double that the literal spells.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// The boolean that the literal spells.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// An array of the elements, in their order.
    public init(arrayLiteral elements: EntityValue...) { self = .array(elements) }
    /// A dictionary of the elements; a name given twice keeps its last value.
    public init(dictionaryLiteral elements: (String, EntityValue)...) {
        self = .dictionary(Dictionary(elements.map { (Name($0), $1) }) { $1 })
    }
}

extension EntityValue {
    /// The text of a string; `nil` for any other kind.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The number of an integer; `nil` for any other kind, doubles without a fraction included.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The number of a double or an integer.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The truth of a boolean; `nil` for any other kind.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The instant of a date; `nil` for any other kind.
    public var date: Timestamp? { if case .date(let value) = self { value } else { nil } }
    /// The bytes of data; `nil` for any other kind.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The entity that a relationship points to; `nil` for any other kind.
    public var relationship: EntityReference? {
        if case .relationship(let value) = self { value } else { nil }
    }
    /// The elements of an array; `nil` for any other kind.
    public var array: [EntityValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of a dictionary; `nil` for any other kind.
    public var dictionary: [Name: EntityValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
