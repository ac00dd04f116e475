/// A past write, shown when the user steps to its instant.
public struct PastWrite: Hashable, Sendable {
    /// The author of the write.
    public var author: Author
    /// The text before the values: `set note/1/due: `.
    public var lead: String
    /// The previous value, if any, and the new value.
    public var values: [String]
    /// A link to the row; `nil` if the write deleted it.
    public var link: Detail.Link?

    /// Creates a write.
    public init(
        _ author: Author, _ lead: String, values: [String] = [], link: Detail.Link? = nil
    ) {
        self.author = author
        self.lead = lead
        self.values = values
        self.link = link
    }

    /// The complete line: `set note/1/due: "A" → "B"`.
    public var text: String { lead + values.joined(separator: Self.arrow) }

    /// The separator between the previous and the new value.
    public static let arrow = " → "
}
