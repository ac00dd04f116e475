/// The content of an object and of all objects inside, copied from the document.
///
/// If values conflict, the content contains the winner.
public enum AutomergeValue: Hashable, Sendable {
    /// A map.
    case dict([String: AutomergeValue])
    /// A list.
    case array([AutomergeValue])
    /// A text, without its marks.
    case text(String)
    /// A scalar.
    case scalar(ScalarValue)
}

extension AutomergeValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .dict(let content): "{\(content)}"
        case .array(let content): "[\(content)]"
        case .text(let content): "T{\(content)}"
        case .scalar(let value): value.description
        }
    }
}
