public import Foundation

/// An error that prevents reading or writing at a path of coding keys.
///
/// Each case has a message that describes the problem. Two errors are equal if their messages are
/// equal.
public enum CodingKeyLookupError: LocalizedError, Equatable {
    /// A failure without further details.
    case UnexpectedLookupFailure(String)
    /// A path element that is neither a key nor an index.
    case InvalidPathElement(String)
    /// An index without a number.
    case EmptyListIndex(String)
    /// An index beyond the end of the list.
    case IndexOutOfBounds(String)
    /// A place that can't hold a single value.
    case InvalidValueLookup(String)
    /// A place that can't hold a list. The root is always a map.
    case InvalidIndexLookup(String)
    /// A path that continues into a text, which has no keys.
    case PathExtendsThroughText(String)
    /// A path that continues into a scalar.
    case PathExtendsThroughScalar(String)
    /// A value of another type at the path.
    case MismatchedSchema(String)
    /// No value at the path.
    case SchemaMissing(String)
    /// A single value without a key. The root of a document is a map.
    case NoPathForSingleValue(String)
    /// An error from the document.
    case AutomergeDocError(any Error)

    /// Returns whether both errors have the same message.
    public static func == (lhs: CodingKeyLookupError, rhs: CodingKeyLookupError) -> Bool {
        lhs.errorDescription == rhs.errorDescription
    }

    public var errorDescription: String? {
        switch self {
        case .UnexpectedLookupFailure(let text), .InvalidPathElement(let text),
            .EmptyListIndex(let text), .IndexOutOfBounds(let text), .InvalidValueLookup(let text),
            .InvalidIndexLookup(let text), .PathExtendsThroughText(let text),
            .PathExtendsThroughScalar(let text), .MismatchedSchema(let text),
            .SchemaMissing(let text), .NoPathForSingleValue(let text):
            text
        case .AutomergeDocError(let error): "the document reported an error: \(error)"
        }
    }
}
