/// A span of rich text: characters with the same marks, or a block marker.
///
/// A block marker (the start of a paragraph, a heading or a list item) takes up one position in the
/// text and is read as U+FFFC. By convention, it has a `type`, a list `parents` and a map `attrs`.
public enum Span: Hashable, Sendable {
    /// Characters, and the values by name of the marks that cover all of them.
    case text(String, marks: [String: ScalarValue])
    /// The content of a block marker.
    case block([String: AutomergeValue])
}
