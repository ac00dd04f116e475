public import Foundation

/// A type whose values a document holds as one scalar each.
///
/// Conform a type to keep it as a primitive, replaced as a whole: return, say, ``ScalarValue/Bytes(_:)``
/// of its own form. ``AutomergeEncoder`` and ``AutomergeDecoder`` use the conformance.
public protocol ScalarValueRepresentable {
    /// Why a scalar could not be read as this type.
    associatedtype ConvertError: LocalizedError

    /// The value that `val` stands for, or why it stands for none.
    static func fromScalarValue(_ val: ScalarValue) -> Result<Self, ConvertError>

    /// The scalar that stands for this value.
    func toScalarValue() -> ScalarValue
}

/// Reading a scalar as a scalar cannot fail.
public enum ScalarValueConversionError: LocalizedError {}

extension ScalarValue: ScalarValueRepresentable {
    /// The scalar itself.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<ScalarValue, ScalarValueConversionError> { .success(val) }

    /// The scalar itself.
    public func toScalarValue() -> ScalarValue { self }
}
