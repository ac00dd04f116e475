public import Foundation

/// A scalar that is not an unsigned integer, or one out of range.
public enum UIntScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notUIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notUIntScalarValue(let value): "\(value) does not read as an unsigned integer"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

/// A scalar that is not an integer of the wanted type, or one out of its range.
public enum IntScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notIntScalarValue(let value): "\(value) does not read as an integer"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

/// The value of a signed scalar, where it fits `Integer`.
private func signed<Integer: FixedWidthInteger>(
    _ value: ScalarValue
) -> Result<Integer, IntScalarConversionError> {
    guard case .Int(let number) = value, let fitting = Integer(exactly: number) else {
        return .failure(.notIntScalarValue(value))
    }
    return .success(fitting)
}

/// The value of an unsigned scalar, where it fits `Integer`.
private func unsigned<Integer: FixedWidthInteger>(
    _ value: ScalarValue
) -> Result<Integer, IntScalarConversionError> {
    guard case .Uint(let number) = value, let fitting = Integer(exactly: number) else {
        return .failure(.notIntScalarValue(value))
    }
    return .success(fitting)
}

extension UInt: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Uint(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt, UIntScalarConversionError> {
        guard case .Uint(let number) = val, let fitting = UInt(exactly: number) else {
            return .failure(.notUIntScalarValue(val))
        }
        return .success(fitting)
    }

    /// A ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt8: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Uint(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt8, IntScalarConversionError> { unsigned(val) }

    /// A ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt16: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Uint(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt16, IntScalarConversionError> { unsigned(val) }

    /// A ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt32: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Uint(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt32, IntScalarConversionError> { unsigned(val) }

    /// A ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt64: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Uint(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt64, IntScalarConversionError> { unsigned(val) }

    /// A ``ScalarValue/Uint(_:)``.
    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension Int: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Int(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int, IntScalarConversionError> { signed(val) }

    /// A ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int8: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Int(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int8, IntScalarConversionError> { signed(val) }

    /// A ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int16: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Int(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int16, IntScalarConversionError> { signed(val) }

    /// A ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int32: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Int(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int32, IntScalarConversionError> { signed(val) }

    /// A ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int64: ScalarValueRepresentable {
    /// The number of a ``ScalarValue/Int(_:)`` that fits; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int64, IntScalarConversionError> { signed(val) }

    /// A ``ScalarValue/Int(_:)``.
    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}
