public import Foundation

/// A scalar that is no unsigned integer, or one out of range.
public enum UIntScalarConversionError: LocalizedError {
    case notUIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notUIntScalarValue(let value): "\(value) does not read as an unsigned integer"
        }
    }

    public var failureReason: String? { nil }
}

/// A scalar that is no integer of the wanted type, or one out of its range.
public enum IntScalarConversionError: LocalizedError {
    case notIntScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notIntScalarValue(let value): "\(value) does not read as an integer"
        }
    }

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
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt, UIntScalarConversionError> {
        guard case .Uint(let number) = val, let fitting = UInt(exactly: number) else {
            return .failure(.notUIntScalarValue(val))
        }
        return .success(fitting)
    }

    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt8: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt8, IntScalarConversionError> { unsigned(val) }

    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt16: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt16, IntScalarConversionError> { unsigned(val) }

    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt32: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt32, IntScalarConversionError> { unsigned(val) }

    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt64: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<UInt64, IntScalarConversionError> { unsigned(val) }

    public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension Int: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int, IntScalarConversionError> { signed(val) }

    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int8: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int8, IntScalarConversionError> { signed(val) }

    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int16: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int16, IntScalarConversionError> { signed(val) }

    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int32: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int32, IntScalarConversionError> { signed(val) }

    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int64: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Int64, IntScalarConversionError> { signed(val) }

    public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}
