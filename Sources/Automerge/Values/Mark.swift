/// A named value that applies to a range of a text, such as bold, a link or a comment.
public struct Mark: Hashable, Sendable {
    /// The start of the range, in units of the document's ``TextEncoding``.
    public let start: UInt64
    /// The end of the range, exclusive.
    public let end: UInt64
    /// The name of the mark, such as `bold`.
    public let name: String
    /// The value of the mark. Always a ``Value/Scalar(_:)``.
    public let value: Value

    /// Creates a mark for comparison with marks that were read. To set a mark in a document, use
    /// ``Document/mark(obj:start:end:expand:name:value:)``.
    public init(start: UInt64, end: UInt64, name: String, value: Value) {
        self.start = start
        self.end = end
        self.name = name
        self.value = value
    }

    /// Creates a mark with a scalar as its value.
    public init(start: UInt64, end: UInt64, name: String, value: ScalarValue) {
        self.init(start: start, end: end, name: name, value: .Scalar(value))
    }
}

/// Whether a mark includes text that is inserted at its edges.
///
/// For example, typing at the end of bold text extends it, but typing at the end of a link doesn't
/// extend the link.
public enum ExpandMark: Hashable, Sendable {
    /// Includes text inserted at the start but not at the end.
    case before
    /// Includes text inserted at the end but not at the start.
    case after
    /// Includes text inserted at both edges.
    case both
    /// Includes text inserted at neither edge.
    case none
}
