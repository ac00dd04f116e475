public import Foundation

/// A value that is always replaced as a whole. Every value in a document is a scalar or an object.
public enum ScalarValue: Sendable {
    /// Bytes.
    case Bytes(Data)
    /// A string, which is replaced as a whole. For collaborative text, use a text object.
    case String(String)
    /// An unsigned integer.
    case Uint(UInt64)
    /// A signed integer.
    case Int(Int64)
    /// A floating-point number.
    case F64(Double)
    /// A counter. Concurrent increments add up.
    case Counter(Int64)
    /// A date with millisecond precision.
    case Timestamp(Date)
    /// A Boolean value.
    case Boolean(Bool)
    /// A value of a type that this version doesn't know (type codes 10 to 15), unchanged.
    case Unknown(typeCode: UInt8, data: Data)
    /// The null value.
    case Null
}

extension ScalarValue: Hashable {
    /// Returns whether both have the same type and equal values. Strings are compared by bytes.
    ///
    /// Unlike in `Double`, NaN is equal to NaN. Every value is therefore equal to itself and can be
    /// found in a set.
    public static func == (lhs: ScalarValue, rhs: ScalarValue) -> Bool {
        switch (lhs, rhs) {
        case (.Bytes(let left), .Bytes(let right)): left == right
        case (.String(let left), .String(let right)): left.utf8.elementsEqual(right.utf8)
        case (.Uint(let left), .Uint(let right)): left == right
        case (.Int(let left), .Int(let right)): left == right
        case (.F64(let left), .F64(let right)): left == right || (left.isNaN && right.isNaN)
        case (.Counter(let left), .Counter(let right)): left == right
        case (.Timestamp(let left), .Timestamp(let right)): left == right
        case (.Boolean(let left), .Boolean(let right)): left == right
        case (.Unknown(let leftCode, let left), .Unknown(let rightCode, let right)):
            leftCode == rightCode && left == right
        case (.Null, .Null): true
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        func add(_ type: UInt8, _ value: some Hashable) {
            hasher.combine(type)
            hasher.combine(value)
        }
        switch self {
        case .Null: hasher.combine(0)
        case .Boolean(let value): add(1, value)
        case .Uint(let value): add(3, value)
        case .Int(let value): add(4, value)
        case .F64(let value): add(5, value.isNaN ? Double.nan : value)
        case .String(let value): add(6, value)
        case .Bytes(let value): add(7, value)
        case .Counter(let value): add(8, value)
        case .Timestamp(let value): add(9, value)
        case .Unknown(let typeCode, let value): add(typeCode, value)
        }
    }
}

extension ScalarValue: CustomStringConvertible {
    /// The type, followed by the value in parentheses: `Int(4)`. Long bytes are shortened to the
    /// first sixteen.
    public var description: String {
        switch self {
        case .Bytes(let value): "Data(\(Hexadecimal.string(value.prefix(16))))"
        case .String(let value): "String(\(value))"
        case .Uint(let value): "UInt(\(value))"
        case .Int(let value): "Int(\(value))"
        case .F64(let value): "Double(\(value))"
        case .Counter(let value): "Counter(\(value))"
        case .Timestamp(let value): "Timestamp(\(value))"
        case .Boolean(let value): "Boolean(\(value))"
        case .Unknown(let typeCode, let data):
            "Unknown(type: \(typeCode), data: \(Hexadecimal.string(data)))"
        case .Null: "Null()"
        }
    }
}

extension ScalarValue {
    /// Returns the number of milliseconds since 1970 that is nearest to `date`, clamped to the
    /// representable range.
    ///
    /// The number is rounded, not truncated, because a `Date` is a binary fraction of seconds. A
    /// date that was read from a document must be written with the same number of milliseconds.
    static func milliseconds(of date: Date) -> Int64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        if let exact = Int64(exactly: milliseconds) { return exact }
        if milliseconds.isNaN { return 0 }
        return milliseconds < 0 ? .min : .max
    }

    /// Returns the timestamp `milliseconds` after the start of 1970.
    static func timestamp(milliseconds: Int64) -> ScalarValue {
        .Timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}
