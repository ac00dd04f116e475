/// A piece of rich text: characters with the same marks, or a block marker.
///
/// A block marker (the beginning of a paragraph, a heading, a list item) takes one position in the
/// text and reads as U+FFFC. By convention it holds a `type`, a list `parents` and a map `attrs`.
public enum Span: Hashable, Sendable {
    /// Characters, and the values of the marks over all of them by name.
    case text(String, marks: [String: ScalarValue])
    /// A block marker's content.
    case block([String: AutomergeValue])
}
