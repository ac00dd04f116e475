public import Replication

/// An error in a filter that can't be parsed, with the part to underline.
public struct FilterError: Error, Hashable, Sendable {
    /// The reason, as a clause without a full stop.
    public let message: String
    /// The invalid part, as UTF-8 offsets into the filter's text.
    public let range: Range<Int>

    /// Creates an error about a part of the filter's text.
    public init(_ message: String, at range: Range<Int>) {
        self.message = message
        self.range = range
    }
}

extension FilterError: MessageError {
    /// The kind `invalidRequest`, because the filter is invalid.
    public var category: ErrorCategory { .invalidRequest }
}
