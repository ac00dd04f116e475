import Replication

/// A version of a value whose words each have a writer.
struct AuthoredValue<Value: StructuredValue> {
    /// The maximum number of texts in a value.
    private static var longest: Int { 500 }

    /// Whether texts beyond the maximum number were left out.
    private(set) var isCut = false
    /// The value; `nil` if it is deleted.
    private let value: Value?
    private var leaves: [(path: [String], words: WordAuthors<TextWriter>)] = []

    /// Creates the version in which the value is deleted.
    init() { value = nil }

    /// Creates the version of a value that was written after other versions.
    ///
    /// - Parameters:
    ///   - writer: The writer of words that are in none of the earlier versions.
    ///   - earlier: The versions that the writer had seen.
    /// - Complexity: The sum of two complexities: comparing the value with each earlier version
    ///   word by word, and ``matchingItems(of:in:)`` for each list in it.
    init(_ value: Value, by writer: TextWriter, after earlier: [Self]) {
        self.value = value
        append(value, [], by: writer, after: earlier.compactMap { Place($0) })
    }

    /// The place in an earlier version that corresponds to a part of the value.
    private struct Place {
        let words: [[String]: WordAuthors<TextWriter>]
        let isCut: Bool
        var path: [String] = []
        var value: Value

        init?(_ version: AuthoredValue) {
            guard let value = version.value else { return nil }
            self.value = value
            isCut = version.isCut
            words = Dictionary(keepingFirst: version.leaves.map { ($0.path, $0.words) })
        }

        /// The words of a text; `nil` for another kind of value, and for a text that was left out.
        var ownWords: WordAuthors<TextWriter>? { words[path] }

        func inner(_ step: String, _ value: Value) -> Self {
            var place = self
            place.path.append(step)
            place.value = value
            return place
        }
    }

    private mutating func append(
        _ value: Value, _ path: [String], by writer: TextWriter, after earlier: [Place]
    ) {
        guard leaves.count < Self.longest else { return isCut = true }
        if let members = value.members {
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                let same = earlier.compactMap { place in
                    place.value.members?[name].map { place.inner(name.text, $0) }
                }
                append(member, path + [name.text], by: writer, after: same)
            }
        } else if let items = value.items {
            let lists = earlier.compactMap { place in
                place.value.items.map { list in
                    (place, list, Self.matchingItems(of: items, in: list))
                }
            }
            for (index, item) in items.enumerated() {
                let same = lists.compactMap { place, list, matches in
                    matches[index].map { place.inner(String($0), list[$0]) }
                }
                append(item, path + [String(index)], by: writer, after: same)
            }
        } else {
            // A text that an earlier version left out may contain the same words.
            let isForgotten = earlier.contains { $0.isCut && $0.ownWords == nil }
            let writer = isForgotten ? .unknown : writer
            let same = earlier.compactMap(\.ownWords)
            leaves.append(
                (
                    path,
                    value.asText.map { WordAuthors($0, by: writer, after: same) }
                        ?? WordAuthors(wholly: value.line, by: writer, after: same)
                ))
        }
    }

    /// Returns the texts of the value. Each number, date or other part counts as one word.
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
