public import Foundation

/// A type whose values are stored as one scalar each.
///
/// Conform a type to store its values as primitives that are replaced as a whole. For example,
/// return a ``ScalarValue/Bytes(_:)`` that contains its encoded form. ``AutomergeEncoder`` and
/// ``AutomergeDecoder`` use the conformance.
public protocol ScalarValueRepresentable {
    /// The error for a scalar that can't be converted to this type.
    associatedtype ConvertError: LocalizedError

    /// Returns the value that `val` represents, or an error if it doesn't represent one.
    static func fromScalarValue(_ val: ScalarValue) -> Result<Self, ConvertError>

    /// Returns the scalar that represents this value.
    func toScalarValue() -> ScalarValue
}

/// The error of a conversion from one scalar to another, which can't fail.
public enum ScalarValueConversionError: LocalizedError {}

extension ScalarValue: ScalarValueRepresentable {
    /// Returns the scalar unchanged.
    public static func fromScalarValue(
        _ val: ScalarValue
    ) -> Result<ScalarValue, ScalarValueConversionError> { .success(val) }

    /// Returns the scalar unchanged.
    public func toScalarValue() -> ScalarValue { self }
}
