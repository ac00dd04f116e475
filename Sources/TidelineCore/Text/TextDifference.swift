/// The parts of a text that another text lacks, word by word.
package enum TextDifference {
    package typealias Parts = [Range<String.Index>]

    /// The maximum number of words to compare. If the differing range of a text has more words, the
    /// whole range is marked.
    static let limit = 500

    /// Returns the parts added to a base, and the parts of the base that were removed.
    ///
    /// - Complexity: O(*n* + *m*) in the lengths of the texts, plus O(*d*²) in the number of
    ///   words to compare.
    package static func between(_ base: Words, and text: Words) -> (lost: Parts, gained: Parts) {
        let matches = text.words.matches(in: base.words, limit: limit)
        let kept = Set(matches.compactMap(\.self))
        let lost = base.words.indices.filter { !kept.contains($0) }.map { base.words[$0] }
        let gained = zip(text.words, matches).filter { $1 == nil }.map(\.0)
        return (ranges(of: lost), ranges(of: gained))
    }

    /// Returns, for each word of a text, the index of the same word in a base; `nil` for added
    /// words.
    ///
    /// A short word or a separator whose neighbors both differ counts as added, because unrelated
    /// texts also have short words and separators in common.
    ///
    /// - Complexity: As ``between(_:and:)``.
    static func matches(of text: Words, in base: Words) -> [Int?] {
        let matches = text.words.matches(in: base.words, limit: limit)
        return matches.indices.map { index in
            guard let match = matches[index] else { return nil }
            let followsSame = index == 0 ? match == 0 : matches[index - 1] == match - 1
            let precedesSame =
                index + 1 == text.count
                ? match + 1 == base.count : matches[index + 1] == match + 1
            let isLong = text.text(at: index).count >= shortLength
            return followsSame || precedesSame || isLong ? match : nil
        }
    }

    /// The number of characters from which a word is not short.
    private static let shortLength = 6

    /// A text split into words for comparison.
    package struct Words {
        fileprivate let words: [Substring]

        /// Creates a text of a single word.
        init(single word: String) { words = [word[...]] }

        /// The number of words.
        var count: Int { words.count }

        /// Returns the word with the given index.
        func text(at index: Int) -> Substring { words[index] }

        /// Splits a text into words.
        ///
        /// - Complexity: O(*n*) in the length of the text.
        package init(_ text: String) { words = TextDifference.words(of: text) }
    }

    private static func ranges(of words: [Substring]) -> Parts {
        union(words.map { $0.startIndex..<$0.endIndex })
    }

    /// Merges adjacent ranges of a text.
    package static func union(_ parts: Parts) -> Parts {
        parts.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { parts, range in
            if let last = parts.last, last.upperBound >= range.lowerBound {
                parts[parts.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                parts.append(range)
            }
        }
    }

    /// Splits a text into runs of letters and digits, runs of spaces, and single other characters.
    private static func words(of text: String) -> [Substring] {
        enum Kind { case word, space, other }
        func kind(_ character: Character) -> Kind {
            if character.isLetter || character.isNumber { return .word }
            return character.isWhitespace && !character.isNewline ? .space : .other
        }
        var words: [Substring] = []
        var start = text.startIndex
        while start < text.endIndex {
            let first = kind(text[start])
            var end = text.index(after: start)
            if first != .other {
                while end < text.endIndex, kind(text[end]) == first {
                    end = text.index(after: end)
                }
            }
            words.append(text[start..<end])
            start = end
        }
        return words
    }
}
