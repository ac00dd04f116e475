/// A write of the past, to be told to whoever steps to its instant.
public struct PastWrite: Hashable, Sendable {
    /// Who wrote.
    public var author: Author
    /// What was done, in one line: `set note/1/due: "A" → "B"`.
    public var text: String
    /// Where the row is shown; `nil` where the write took it away.
    public var link: Detail.Link?

    /// A write by somebody.
    public init(_ author: Author, _ text: String, link: Detail.Link? = nil) {
        self.author = author
        self.text = text
        self.link = link
    }
}
