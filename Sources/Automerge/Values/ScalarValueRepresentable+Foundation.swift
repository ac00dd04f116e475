public import Foundation

/// A scalar that is no Boolean.
public enum BooleanScalarConversionError: LocalizedError {
    case notboolScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notboolScalarValue(let value): "\(value) does not read as a Boolean"
        }
    }

    public var failureReason: String? { nil }
}

extension Bool: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Bool, BooleanScalarConversionError> {
        guard case .Boolean(let value) = val else { return .failure(.notboolScalarValue(val)) }
        return .success(value)
    }

    public func toScalarValue() -> ScalarValue { .Boolean(self) }
}

/// A scalar that is no string.
public enum StringScalarConversionError: LocalizedError {
    case notstringScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notstringScalarValue(let value): "\(value) does not read as a string"
        }
    }

    public var failureReason: String? { nil }
}

extension String: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<String, StringScalarConversionError> {
        guard case .String(let value) = val else { return .failure(.notstringScalarValue(val)) }
        return .success(value)
    }

    public func toScalarValue() -> ScalarValue { .String(self) }
}

/// A scalar that is no byte buffer.
public enum BytesScalarConversionError: LocalizedError {
    case notbytesScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notbytesScalarValue(let value): "\(value) does not read as a byte buffer"
        }
    }

    public var failureReason: String? { nil }
}

extension Data: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Data, BytesScalarConversionError> {
        guard case .Bytes(let value) = val else { return .failure(.notbytesScalarValue(val)) }
        return .success(value)
    }

    public func toScalarValue() -> ScalarValue { .Bytes(self) }
}

/// A scalar that is no floating point number.
public enum FloatingPointScalarConversionError: LocalizedError {
    case notF64ScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notF64ScalarValue(let value): "\(value) does not read as a floating point number"
        }
    }

    public var failureReason: String? { nil }
}

extension Double: ScalarValueRepresentable {
    public typealias ConvertError = FloatingPointScalarConversionError

    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Double, FloatingPointScalarConversionError> {
        guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
        return .success(value)
    }

    public func toScalarValue() -> ScalarValue { .F64(self) }
}

extension Float: ScalarValueRepresentable {
    public typealias ConvertError = FloatingPointScalarConversionError

    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Float, FloatingPointScalarConversionError> {
        guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
        return .success(Float(value))
    }

    public func toScalarValue() -> ScalarValue { .F64(Double(self)) }
}

/// A scalar that is no timestamp.
public enum TimestampScalarConversionError: LocalizedError {
    case notTimetampScalarValue(_ val: ScalarValue)

    public var errorDescription: String? {
        switch self {
        case .notTimetampScalarValue(let value): "\(value) does not read as a timestamp"
        }
    }

    public var failureReason: String? { nil }
}

extension Date: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<Date, TimestampScalarConversionError> {
        guard case .Timestamp(let value) = val else {
            return .failure(.notTimetampScalarValue(val))
        }
        return .success(value)
    }

    public func toScalarValue() -> ScalarValue { .Timestamp(self) }
}

/// A scalar that is no string, or a string that is no URL.
public enum URLScalarConversionError: LocalizedError {
    case notStringScalarValue(_ val: ScalarValue)
    case notMatchingURLScheme(String)

    public var errorDescription: String? {
        switch self {
        case .notStringScalarValue(let value):
            "\(value) is not a string, so it is not read as a URL"
        case .notMatchingURLScheme(let text): "The string \(text) is not a URL"
        }
    }

    public var failureReason: String? { nil }
}

extension URL: ScalarValueRepresentable {
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<URL, URLScalarConversionError> {
        guard case .String(let text) = val else { return .failure(.notStringScalarValue(val)) }
        guard let url = URL(string: text) else { return .failure(.notMatchingURLScheme(text)) }
        return .success(url)
    }

    public func toScalarValue() -> ScalarValue { .String(absoluteString) }
}
