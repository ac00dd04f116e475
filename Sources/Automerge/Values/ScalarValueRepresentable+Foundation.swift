public import Foundation

/// An error for a scalar that is not a Boolean.
public enum BooleanScalarConversionError: LocalizedError {
    /// The scalar is not a Boolean.
    case notboolScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notboolScalarValue(let value): "\(value) is not a Boolean"
        }
    }
}

extension Bool: ScalarValueRepresentable {
    /// Returns the value of a ``ScalarValue/Boolean(_:)``, or a failure for any other scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Bool, BooleanScalarConversionError> {
        guard case .Boolean(let value) = val else { return .failure(.notboolScalarValue(val)) }
        return .success(value)
    }

    /// Returns a ``ScalarValue/Boolean(_:)``.
    public func toScalarValue() -> ScalarValue { .Boolean(self) }
}

/// An error for a scalar that is not a string.
public enum StringScalarConversionError: LocalizedError {
    /// The scalar is not a string.
    case notstringScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notstringScalarValue(let value): "\(value) is not a string"
        }
    }
}

extension String: ScalarValueRepresentable {
    /// Returns the text of a ``ScalarValue/String(_:)``, or a failure for any other scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<String, StringScalarConversionError> {
        guard case .String(let value) = val else { return .failure(.notstringScalarValue(val)) }
        return .success(value)
    }

    /// Returns a ``ScalarValue/String(_:)``, which is replaced as a whole.
    public func toScalarValue() -> ScalarValue { .String(self) }
}

/// An error for a scalar that is not a byte buffer.
public enum BytesScalarConversionError: LocalizedError {
    /// The scalar is not a byte buffer.
    case notbytesScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notbytesScalarValue(let value): "\(value) is not a byte buffer"
        }
    }
}

extension Data: ScalarValueRepresentable {
    /// Returns the bytes of a ``ScalarValue/Bytes(_:)``, or a failure for any other scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Data, BytesScalarConversionError> {
        guard case .Bytes(let value) = val else { return .failure(.notbytesScalarValue(val)) }
        return .success(value)
    }

    /// Returns a ``ScalarValue/Bytes(_:)``.
    public func toScalarValue() -> ScalarValue { .Bytes(self) }
}

/// An error for a scalar that is not a floating-point number.
public enum FloatingPointScalarConversionError: LocalizedError {
    /// The scalar is not a floating-point number.
    case notF64ScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notF64ScalarValue(let value): "\(value) is not a floating point number"
        }
    }
}

extension Double: ScalarValueRepresentable {
    /// The error for a scalar that can't be converted to this type.
    public typealias ConvertError = FloatingPointScalarConversionError

    /// Returns the number of an ``ScalarValue/F64(_:)``, or a failure for any other scalar,
    /// including integers.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Double, FloatingPointScalarConversionError> {
        guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
        return .success(value)
    }

    /// Returns an ``ScalarValue/F64(_:)``.
    public func toScalarValue() -> ScalarValue { .F64(self) }
}

extension Float: ScalarValueRepresentable {
    /// The error for a scalar that can't be converted to this type.
    public typealias ConvertError = FloatingPointScalarConversionError

    /// Returns the number of an ``ScalarValue/F64(_:)``, rounded to this type, or a failure for any
    /// other scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Float, FloatingPointScalarConversionError> {
        guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
        return .success(Float(value))
    }

    /// Returns an ``ScalarValue/F64(_:)`` with the same number.
    public func toScalarValue() -> ScalarValue { .F64(Double(self)) }
}

/// An error for a scalar that is not a timestamp.
public enum TimestampScalarConversionError: LocalizedError {
    /// The scalar is not a timestamp.
    case notTimetampScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notTimetampScalarValue(let value): "\(value) is not a timestamp"
        }
    }
}

extension Date: ScalarValueRepresentable {
    /// Returns the date of a ``ScalarValue/Timestamp(_:)``, or a failure for any other scalar.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Date, TimestampScalarConversionError> {
        guard case .Timestamp(let value) = val else {
            return .failure(.notTimetampScalarValue(val))
        }
        return .success(value)
    }

    /// Returns a ``ScalarValue/Timestamp(_:)``, which has millisecond precision.
    public func toScalarValue() -> ScalarValue { .Timestamp(self) }
}

/// An error for a scalar that is not a string, or a string that is not a URL.
public enum URLScalarConversionError: LocalizedError {
    /// The scalar has another type.
    case notStringScalarValue(_ val: ScalarValue)
    /// The string is not a URL.
    case notMatchingURLScheme(String)

    public var errorDescription: String? {
        switch self {
        case .notStringScalarValue(let value):
            "\(value) is not a string, so it is not read as a URL"
        case .notMatchingURLScheme(let text): "the string \(text) is not a URL"
        }
    }
}

extension URL: ScalarValueRepresentable {
    /// Returns the URL in a ``ScalarValue/String(_:)``, or a failure for any other scalar and for a
    /// string that isn't a URL.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<URL, URLScalarConversionError> {
        guard case .String(let text) = val else { return .failure(.notStringScalarValue(val)) }
        guard let url = URL(string: text) else { return .failure(.notMatchingURLScheme(text)) }
        return .success(url)
    }

    /// Returns a ``ScalarValue/String(_:)`` that contains the absolute URL.
    public func toScalarValue() -> ScalarValue { .String(absoluteString) }
}
