import Replication

/// A version of a value whose words each have a writer.
struct AuthoredValue {
    /// The maximum number of texts in a value.
    private static let longest = 500

    /// Whether texts beyond the maximum number were left out.
    private(set) var isCut = false
    private var leaves: [(path: [String], words: WordAuthors<TextWriter>)] = []

    /// Creates the version in which the value is deleted.
    init() {}

    /// Creates the version of a value that was written after others.
    ///
    /// - Parameters:
    ///   - writer: The writer of words that are in none of the earlier versions.
    ///   - earlier: The versions that the writer had seen.
    /// - Complexity: The complexity of comparing the value with each earlier version word by word.
    init(
        _ value: some VersionedValue, by writer: TextWriter, after earlier: [AuthoredValue]
    ) {
        let known = earlier.map { version in
            Dictionary(
                version.leaves.map { ($0.path, $0.words) }, uniquingKeysWith: { first, _ in first })
        }
        append(value, [], by: writer, after: known)
    }

    private mutating func append(
        _ value: some VersionedValue, _ path: [String], by writer: TextWriter,
        after earlier: [[[String]: WordAuthors<TextWriter>]]
    ) {
        guard leaves.count < Self.longest else { return isCut = true }
        if let members = value.members {
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                append(member, path + [name.text], by: writer, after: earlier)
            }
        } else if let items = value.items {
            for (index, item) in items.enumerated() {
                append(item, path + [String(index)], by: writer, after: earlier)
            }
        } else {
            let same = earlier.compactMap { $0[path] }
            leaves.append(
                (
                    path,
                    value.asText.map { WordAuthors($0, by: writer, after: same) }
                        ?? WordAuthors(wholly: value.line, by: writer, after: same)
                ))
        }
    }

    /// Returns the texts of the value: numbers, dates and other parts count as one word each.
    ///
    /// - Parameter field: The name of the value within its row; `nil` for the row's only value.
    func texts(in field: String? = nil) -> [WrittenText] {
        leaves.map { leaf in
            WrittenText(
                label: ((field.map { [$0] } ?? []) + leaf.path).joined(separator: " › "),
                parts: leaf.words.parts.map { WrittenText.Part($0.text, by: $0.author) })
        }
    }
}
