/// A text split into words, each with its writer.
///
/// A later version is compared with the earlier versions that its writer had seen. A word that is
/// in one of these versions keeps its writer.
struct WordAuthors<Author: Hashable> {
    private let words: TextDifference.Words
    private let authors: [Author]

    /// Creates the version of a text that was written after other versions.
    ///
    /// - Parameter earlier: The versions that the writer had seen. If a word is in several of these
    ///   versions, the first of them determines its writer.
    /// - Complexity: As `TextDifference.matches(of:in:)` for each earlier version.
    init(_ text: String, by author: Author, after earlier: [Self]) {
        self.init(TextDifference.Words(text), by: author, after: earlier)
    }

    /// Creates the version of a text that counts as a single word.
    init(wholly text: String, by author: Author, after earlier: [Self]) {
        self.init(TextDifference.Words(single: text), by: author, after: earlier)
    }

    private init(_ words: TextDifference.Words, by author: Author, after earlier: [Self]) {
        self.words = words
        var authors = [Author?](repeating: nil, count: words.count)
        for version in earlier {
            for (index, match) in TextDifference.matches(of: words, in: version.words).enumerated()
            where authors[index] == nil {
                authors[index] = match.map { version.authors[$0] }
            }
        }
        self.authors = authors.map { $0 ?? author }
    }

    /// The text in parts with one writer each.
    var parts: [(text: String, author: Author)] {
        var parts: [(text: String, author: Author)] = []
        for (index, author) in authors.enumerated() {
            let word = words[index]
            if let last = parts.last, last.author == author {
                parts[parts.count - 1].text += word
            } else {
                parts.append((String(word), author))
            }
        }
        return parts
    }
}
