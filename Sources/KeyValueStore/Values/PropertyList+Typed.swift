public import Foundation
public import Replication

/// The content of a value, or `nil` if it is of another kind.
///
/// Kinds are not converted: text with digits is not a number, and a number is not a boolean.
/// ``value(as:)`` throws the reason instead.
extension PropertyList {
    /// The text.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The integer. A real is not an integer, even without a fraction.
    public var integer: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The real, or the integer if a `Double` represents it exactly.
    public var double: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(exactly: value)
        case .unsigned(let value): Double(exactly: value)
        default: nil
        }
    }

    /// The boolean.
    public var bool: Bool? { if case .boolean(let value) = self { value } else { nil } }

    /// The date.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }

    /// The bytes.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }

    /// The elements, of any kind.
    public var array: [PropertyList]? { if case .array(let value) = self { value } else { nil } }

    /// The members, of any kind.
    public var dictionary: [Name: PropertyList]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
