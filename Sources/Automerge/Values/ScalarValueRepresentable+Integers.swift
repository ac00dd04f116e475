public import Foundation

/// An error for a scalar that is not an unsigned integer, or is out of range.
public enum UIntScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notUIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notUIntScalarValue(let value): "\(value) is not an unsigned integer"
        }
    }

    /// Always `nil`; the description is complete.
    public var failureReason: String? { nil }
}

/// An error for a scalar that is not an integer of the requested type, or is out of its range.
public enum IntScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notIntScalarValue(let value): "\(value) is not an integer"
        }
    }

    /// Always `nil`; the description is complete.
    public var failureReason: String? { nil }
}

/// Returns the value of a signed scalar if it fits in `Integer`.
private func signed<Integer: FixedWidthInteger>(
    _ value: ScalarValue
) -> Result<Integer, IntScalarConversionError> {
    guard case .Int(let number) = value, let fitting = Integer(exactly: number) else {
        return .failure(.notIntScalarValue(value))
    }
    return .success(fitting)
}

/// Returns the value of an unsigned scalar if it fits in `Integer`.
private func unsigned<Integer: FixedWidthInteger>(
    _ value: ScalarValue
) -> Result<Integer, IntScalarConversionError> {
    guard case .Uint(let number) = value, let fitting = Integer(exactly: number) else {
        return .failure(.notIntScalarValue(value))
    }
    return .success(fitting)
}

extension UInt: ScalarValueRepresentable {
    /// Returns the number of a ``ScalarValue/Uint(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt, UIntScalarConversionError> {
        guard case .Uint(let number) = val, let fitting = UInt(exactly: number) else {
            return .failure(.notUIntScalarValue(val))
        }
        return .success(fitting)
    }

    /// Returns a ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt8: ScalarValueRepresentable {
    /// Returns the number of a ``ScalarValue/Uint(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt8, IntScalarConversionError> { unsigned(val) }

    /// Returns a ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt16: ScalarValueRepresentable {
    /// Returns the number of a ``ScalarValue/Uint(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt16, IntScalarConversionError> { unsigned(val) }

    /// Returns a ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt32: ScalarValueRepresentable {
    /// Returns the number of a ``ScalarValue/Uint(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt32, IntScalarConversionError> { unsigned(val) }

    /// Returns a ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt64: ScalarValueRepresentable {
    /// Returns the number of a ``ScalarValue/Uint(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt64, IntScalarConversionError> { unsigned(val) }

    /// Returns a ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension Int: ScalarValueRepresentable {
    /// Returns the number of an ``ScalarValue/Int(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int, IntScalarConversionError> { signed(val) }

    /// Returns an ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int8: ScalarValueRepresentable {
    /// Returns the number of an ``ScalarValue/Int(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int8, IntScalarConversionError> { signed(val) }

    /// Returns an ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int16: ScalarValueRepresentable {
    /// Returns the number of an ``ScalarValue/Int(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int16, IntScalarConversionError> { signed(val) }

    /// Returns an ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int32: ScalarValueRepresentable {
    /// Returns the number of an ``ScalarValue/Int(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int32, IntScalarConversionError> { signed(val) }

    /// Returns an ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int64: ScalarValueRepresentable {
    /// Returns the number of an ``ScalarValue/Int(_:)`` if it fits, or a failure for any other
    /// scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int64, IntScalarConversionError> { signed(val) }

    /// Returns an ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}
