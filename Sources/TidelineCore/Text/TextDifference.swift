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
        var (lost, gained): (Parts, Parts) = ([], [])
        // The numbers of words of each text up to the last match.
        var (baseStart, start) = (0, 0)
        func addParts(upTo baseEnd: Int, _ end: Int) {
            if baseStart < baseEnd { lost.append(base.range(of: baseStart..<baseEnd)) }
            if start < end { gained.append(text.range(of: start..<end)) }
        }
        for (index, match) in text.matches(in: base, limit: limit).enumerated() {
            guard let match else { continue }
            addParts(upTo: match, index)
            (baseStart, start) = (match + 1, index + 1)
        }
        addParts(upTo: base.count, text.count)
        return (lost, gained)
    }

    /// Returns the parts added to a base, and the parts of the base that were removed. Only the
    /// range that differs is split into words, because long texts have millions of words.
    ///
    /// - Complexity: As for words.
    package static func between(
        _ base: String, and text: String
    ) -> (lost: Parts, gained: Parts) {
        let (start, end) = commonEnds(of: base, text)
        func middle(_ text: String) -> Words {
            let bytes = text.utf8
            let lower = bytes.index(bytes.startIndex, offsetBy: start)
            return Words(text[lower..<bytes.index(bytes.endIndex, offsetBy: -end)])
        }
        return between(middle(base), and: middle(text))
    }

    /// Returns how many bytes at the start, and how many at the end, are the same in both texts, up
    /// to a boundary of words.
    private static func commonEnds(of base: String, _ text: String) -> (start: Int, end: Int) {
        var (base, text) = (base, text)
        return base.withUTF8 { base in
            text.withUTF8 { text in
                let (start, end) = text.commonEnds(with: base)
                // The bytes on both sides of a boundary must be the same.
                return (
                    (0..<start).last { isBoundary($0, in: base) } ?? 0,
                    (0..<end).last { isBoundary(base.count - $0, in: base) } ?? 0
                )
            }
        }
    }

    /// Returns whether an offset is at the start of a line, or between a letter or digit and a
    /// space. Doesn't find all boundaries of words.
    private static func isBoundary(_ offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard offset > 0, offset < text.count else { return false }
        switch text[offset - 1] {
        case UInt8(ascii: "\n"): return true
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            return text[offset] == UInt8(ascii: " ")
        default: return false
        }
    }

    /// Returns, for each word of a text, the index of the same word in a base; `nil` for added
    /// words.
    ///
    /// A short word or a separator whose neighbors both differ counts as added, because unrelated
    /// texts also have short words and separators in common.
    ///
    /// - Complexity: As ``between(_:and:)``.
    static func matches(of text: Words, in base: Words) -> [Int?] {
        let matches = text.matches(in: base, limit: limit)
        return matches.indices.map { index in
            guard let match = matches[index] else { return nil }
            let followsSame = index == 0 ? match == 0 : matches[index - 1] == match - 1
            let precedesSame =
                index + 1 == text.count
                ? match + 1 == base.count : matches[index + 1] == match + 1
            let isLong = text[index].count >= shortLength
            return followsSame || precedesSame || isLong ? match : nil
        }
    }

    /// The number of characters from which a word is not short.
    private static let shortLength = 6

    /// A text split into words for comparison. It stores only the end of each word, because long
    /// texts have millions of words.
    package struct Words: RandomAccessCollection {
        private let text: Substring
        private let ends: [String.Index]

        /// Creates a text of a single word.
        init(single word: String) { (text, ends) = (word[...], [word.endIndex]) }

        /// Splits a text into words.
        ///
        /// - Complexity: O(*n*) in the length of the text.
        package init(_ text: String) { self.init(text[...]) }

        fileprivate init(_ text: Substring) {
            (self.text, ends) = (text, TextDifference.ends(ofWordsIn: text))
        }

        package var startIndex: Int { 0 }
        package var endIndex: Int { ends.count }
        package subscript(position: Int) -> Substring { text[range(of: position..<position + 1)] }

        /// Returns the range of some words in the text. At least one word is required.
        fileprivate func range(of words: Range<Int>) -> Range<String.Index> {
            let start = words.lowerBound == 0 ? text.startIndex : ends[words.lowerBound - 1]
            return start..<ends[words.upperBound - 1]
        }
    }

    /// Merges ranges of a text that overlap or touch.
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

    /// Returns the ends of runs of letters and digits, runs of spaces, and single other characters.
    private static func ends(ofWordsIn text: Substring) -> [String.Index] {
        enum Kind { case word, space, other }
        func kind(_ character: Character) -> Kind {
            if character.isLetter || character.isNumber { return .word }
            return character.isWhitespace && !character.isNewline ? .space : .other
        }
        var ends: [String.Index] = []
        var start = text.startIndex
        while start < text.endIndex {
            let first = kind(text[start])
            var end = text.index(after: start)
            if first != .other {
                while end < text.endIndex, kind(text[end]) == first {
                    end = text.index(after: end)
                }
            }
            ends.append(end)
            start = end
        }
        return ends
    }
}
