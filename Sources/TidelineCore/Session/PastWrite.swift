/// A write of the past, to be told to whoever steps to its instant.
public struct PastWrite: Hashable, Sendable {
    /// Who wrote.
    public var author: Author
    /// What was done: `set note/1/due: `.
    public var lead: String
    /// The values that it is told with: the one before, where there was one, and the new one.
    public var values: [String]
    /// Where the row is shown; `nil` where the write took it away.
    public var link: Detail.Link?

    /// A write by somebody.
    public init(
        _ author: Author, _ lead: String, values: [String] = [], link: Detail.Link? = nil
    ) {
        self.author = author
        self.lead = lead
        self.values = values
        self.link = link
    }

    /// All of it in one line: `set note/1/due: "A" → "B"`.
    public var text: String { lead + values.joined(separator: Self.arrow) }

    /// What stands between the value before and the new one.
    public static let arrow = " → "
}
