public import Foundation

/// A scalar that is not a Boolean.
public enum BooleanScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notboolScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notboolScalarValue(let value): "\(value) does not read as a Boolean"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

extension Bool: ScalarValueRepresentable {
    /// The truth of a ``ScalarValue/Boolean(_:)``; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Bool, BooleanScalarConversionError> {
        guard case .Boolean(let value) = val else { return .failure(.notboolScalarValue(val)) }
        return .success(value)
    }

    /// A ``ScalarValue/Boolean(_:)``.
    public func toScalarValue() -> ScalarValue { .Boolean(self) }
}

/// A scalar that is not a string.
public enum StringScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notstringScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notstringScalarValue(let value): "\(value) does not read as a string"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

extension String: ScalarValueRepresentable {
    /// The text of a ``ScalarValue/String(_:)``; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<String, StringScalarConversionError> {
        guard case .String(let value) = val else { return .failure(.notstringScalarValue(val)) }
        return .success(value)
    }

    /// A ``ScalarValue/String(_:)``, replaced as a whole.
    public func toScalarValue() -> ScalarValue { .String(self) }
}

/// A scalar that is not a byte buffer.
public enum BytesScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notbytesScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notbytesScalarValue(let value): "\(value) does not read as a byte buffer"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

extension Data: ScalarValueRepresentable {
    /// The bytes of a ``ScalarValue/Bytes(_:)``; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Data, BytesScalarConversionError> {
        guard case .Bytes(let value) = val else { return .failure(.notbytesScalarValue(val)) }
        return .success(value)
    }

    /// A ``ScalarValue/Bytes(_:)``.
    public func toScalarValue() -> ScalarValue { .Bytes(self) }
}

/// A scalar that is not a floating point number.
public enum FloatingPointScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notF64ScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notF64ScalarValue(let value): "\(value) does not read as a floating point number"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

extension Double: ScalarValueRepresentable {
    /// Why a scalar could not be read as this type.
    public typealias ConvertError = FloatingPointScalarConversionError

    /// The number of an ``ScalarValue/F64(_:)``; any other scalar, integers included, is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Double, FloatingPointScalarConversionError> {
        guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
        return .success(value)
    }

    /// An ``ScalarValue/F64(_:)``.
    public func toScalarValue() -> ScalarValue { .F64(self) }
}

extension Float: ScalarValueRepresentable {
    /// Why a scalar could not be read as this type.
    public typealias ConvertError = FloatingPointScalarConversionError

    /// The number of an ``ScalarValue/F64(_:)``, rounded to this type; any other scalar is a
    /// failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Float, FloatingPointScalarConversionError> {
        guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
        return .success(Float(value))
    }

    /// An ``ScalarValue/F64(_:)`` of the same number.
    public func toScalarValue() -> ScalarValue { .F64(Double(self)) }
}

/// A scalar that is not a timestamp.
public enum TimestampScalarConversionError: LocalizedError {
    /// The scalar that was read.
    case notTimetampScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notTimetampScalarValue(let value): "\(value) does not read as a timestamp"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

extension Date: ScalarValueRepresentable {
    /// The instant of a ``ScalarValue/Timestamp(_:)``; any other scalar is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Date, TimestampScalarConversionError> {
        guard case .Timestamp(let value) = val else {
            return .failure(.notTimetampScalarValue(val))
        }
        return .success(value)
    }

    /// A ``ScalarValue/Timestamp(_:)``, which keeps whole milliseconds.
    public func toScalarValue() -> ScalarValue { .Timestamp(self) }
}

/// A scalar that is not a string, or a string that is not a URL.
public enum URLScalarConversionError: LocalizedError {
    /// The scalar that was read is of another kind.
    case notStringScalarValue(_ val: ScalarValue)
    /// The string that was read is not a URL.
    case notMatchingURLScheme(String)

    public var errorDescription: String? {
        switch self {
        case .notStringScalarValue(let value):
            "\(value) is not a string, so it is not read as a URL"
        case .notMatchingURLScheme(let text): "The string \(text) is not a URL"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}

extension URL: ScalarValueRepresentable {
    /// The URL that a ``ScalarValue/String(_:)`` spells; any other scalar or text is a failure.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<URL, URLScalarConversionError> {
        guard case .String(let text) = val else { return .failure(.notStringScalarValue(val)) }
        guard let url = URL(string: text) else { return .failure(.notMatchingURLScheme(text)) }
        return .success(url)
    }

    /// A ``ScalarValue/String(_:)`` of the absolute URL.
    public func toScalarValue() -> ScalarValue { .String(absoluteString) }
}
