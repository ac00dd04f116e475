public import Foundation

/// Why a path of coding keys does not lead to where something can be read or written.
///
/// Each case says what was wrong in a sentence; two errors are equal when their sentences are.
public enum CodingKeyLookupError: LocalizedError, Equatable {
    /// Nothing more exact is known.
    case UnexpectedLookupFailure(String)
    /// A path element that is neither a key nor an index.
    case InvalidPathElement(String)
    /// An index without a number.
    case EmptyListIndex(String)
    /// An index beyond the list.
    case IndexOutOfBounds(String)
    /// No place for a single value.
    case InvalidValueLookup(String)
    /// No place for a list: the root is always a map.
    case InvalidIndexLookup(String)
    /// The path goes on below a text.
    case PathExtendsThroughText(String)
    /// The path goes on below a scalar.
    case PathExtendsThroughScalar(String)
    /// Something of another kind is there.
    case MismatchedSchema(String)
    /// Nothing is there.
    case SchemaMissing(String)
    /// A single value has no key: a document is a map.
    case NoPathForSingleValue(String)
    /// The document refused.
    case AutomergeDocError(any Error)

    /// Whether both say the same.
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
        case .AutomergeDocError(let error): "The document refused: \(error)"
        }
    }

    /// `nil`: the description says it all.
    public var failureReason: String? { nil }
}
