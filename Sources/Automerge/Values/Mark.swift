/// A named value that holds for a range of a text: bold, a link, a comment.
public struct Mark: Hashable, Sendable {
    /// The first position in the range, in units of the document's ``TextEncoding``.
    public let start: UInt64
    /// The position after the range.
    public let end: UInt64
    /// What is marked, as `bold`.
    public let name: String
    /// The value of the mark, always a ``Value/Scalar(_:)``.
    public let value: Value

    /// A mark as one that was read; ``Document/mark(obj:start:end:expand:name:value:)`` sets one.
    public init(start: UInt64, end: UInt64, name: String, value: Value) {
        self.start = start
        self.end = end
        self.name = name
        self.value = value
    }

    /// A mark with a scalar for its value.
    public init(start: UInt64, end: UInt64, name: String, value: ScalarValue) {
        self.init(start: start, end: end, name: name, value: .Scalar(value))
    }
}

/// Whether text that is inserted at an edge of a mark takes part in it.
///
/// Bold text grows when somebody types at its end; a link does not.
public enum ExpandMark: Hashable, Sendable {
    /// At the start it does, at the end it does not.
    case before
    /// At the end it does, at the start it does not.
    case after
    /// At both edges it does.
    case both
    /// At neither edge it does.
    case none
}
