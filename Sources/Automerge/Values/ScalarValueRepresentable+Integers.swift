public import Foundation

/// An error for a scalar that is not an unsigned integer, or is out of range.
public enum UIntScalarConversionError: LocalizedError {
    /// The scalar is not an unsigned integer, or is out of range.
    case notUIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notUIntScalarValue(let value): "\(value) is not an unsigned integer"
        }
    }
}

/// An error for a scalar that is not an integer of the requested type, or is out of its range.
public enum IntScalarConversionError: LocalizedError {
    /// The scalar is not an integer of the requested type, or is out of its range.
    case notIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notIntScalarValue(let value): "\(value) is not an integer"
        }
    }
}

extension ScalarValueRepresentable where Self: FixedWidthInteger & UnsignedInteger {
    /// Returns the number of a ``ScalarValue/Uint(_:)`` if it fits; otherwise, a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Self, IntScalarConversionError> {
        guard case .Uint(let number) = val, let fitting = Self(exactly: number) else {
            return .failure(.notIntScalarValue(val))
        }
        return .success(fitting)
    }

    /// Returns a ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension ScalarValueRepresentable where Self: FixedWidthInteger & SignedInteger {
    /// Returns the number of an ``ScalarValue/Int(_:)`` if it fits; otherwise, a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Self, IntScalarConversionError> {
        guard case .Int(let number) = val, let fitting = Self(exactly: number) else {
            return .failure(.notIntScalarValue(val))
        }
        return .success(fitting)
    }

    /// Returns an ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension UInt: ScalarValueRepresentable {
    /// The error for a scalar that can't be converted to this type.
    public typealias ConvertError = UIntScalarConversionError

    /// Returns the number of a ``ScalarValue/Uint(_:)`` if it fits; otherwise, a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt, UIntScalarConversionError> {
        guard case .Uint(let number) = val, let fitting = UInt(exactly: number) else {
            return .failure(.notUIntScalarValue(val))
        }
        return .success(fitting)
    }
}

extension UInt8: ScalarValueRepresentable {}
extension UInt16: ScalarValueRepresentable {}
extension UInt32: ScalarValueRepresentable {}
extension UInt64: ScalarValueRepresentable {}
extension Int: ScalarValueRepresentable {}
extension Int8: ScalarValueRepresentable {}
extension Int16: ScalarValueRepresentable {}
extension Int32: ScalarValueRepresentable {}
extension Int64: ScalarValueRepresentable {}
