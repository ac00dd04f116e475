public import Foundation
public import Replication

/// The value of a property.
///
/// Dates are whole microseconds, as everywhere in the package. The store refuses relationships
/// inside arrays and dictionaries, because deleting the target couldn't remove such a relationship.
/// To point to several entities, add several entries to one property.
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

    /// Returns whether both values are stored identically. Text is compared by its bytes and
    /// doubles by their bits, so 0.0 differs from -0.0 and NaN equals itself.
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

    /// The kind of the value.
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

/// The nine kinds of values. The raw values match the `kind` column of the file.
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

    /// The semantic type of a value whose writer named none, and the member name in interchange
    /// files.
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
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates an array of the elements.
    public init(arrayLiteral elements: EntityValue...) { self = .array(elements) }
    /// Creates a dictionary of the elements. If a name occurs twice, its last value counts.
    public init(dictionaryLiteral elements: (String, EntityValue)...) {
        self = .dictionary(Dictionary(elements.map { (Name($0), $1) }) { $1 })
    }
}

extension EntityValue {
    /// The text of a string; `nil` for other kinds.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The number of an integer; `nil` for other kinds, including doubles without a fraction.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The number of a double or an integer; `nil` for other kinds.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The value of a boolean; `nil` for other kinds.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The instant of a date; `nil` for other kinds.
    public var date: Timestamp? { if case .date(let value) = self { value } else { nil } }
    /// The bytes of a data value; `nil` for other kinds.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The target of a relationship; `nil` for other kinds.
    public var relationship: EntityReference? {
        if case .relationship(let value) = self { value } else { nil }
    }
    /// The elements of an array; `nil` for other kinds.
    public var array: [EntityValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of a dictionary; `nil` for other kinds.
    public var dictionary: [Name: EntityValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
