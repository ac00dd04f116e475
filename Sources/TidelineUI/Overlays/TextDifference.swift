/// Which parts of a text another one has not, word by word.
enum TextDifference {
    typealias Parts = [Range<String.Index>]

    /// Of texts that differ in more words than these the whole differing part is marked.
    private static let limit = 500

    /// What a text has that its base has not, and what the base lost to it.
    ///
    /// - Complexity: O(*n* + *m*) in the lengths of the texts, and at most the square of a constant
    ///   in the words that differ.
    static func between(_ base: Words, and text: Words) -> (lost: Parts, gained: Parts) {
        let (old, new) = (base.words, text.words)
        let start = zip(old, new).prefix { $0 == $1 }.count
        let longest = min(old.count, new.count) - start
        let end = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.prefix(longest).count
        let (oldPart, newPart) = (old[start..<old.count - end], new[start..<new.count - end])
        guard oldPart.count <= limit, newPart.count <= limit else {
            return (ranges(of: oldPart), ranges(of: newPart))
        }
        var lost: [Substring] = []
        var gained: [Substring] = []
        // Offsets are counted in what is compared.
        for change in Array(newPart).difference(from: Array(oldPart)) {
            switch change {
            case .remove(_, let word, _): lost.append(word)
            case .insert(_, let word, _): gained.append(word)
            }
        }
        return (ranges(of: lost[...]), ranges(of: gained[...]))
    }

    /// A text in words, to be compared with others.
    struct Words {
        fileprivate let words: [Substring]

        /// - Complexity: O(*n*) in the length of the text.
        init(_ text: String) { words = TextDifference.words(of: text) }
    }

    private static func ranges(of words: ArraySlice<Substring>) -> Parts {
        union(words.map { $0.startIndex..<$0.endIndex })
    }

    /// Parts of one text in their order, those as one that touch.
    static func union(_ parts: Parts) -> Parts {
        parts.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { parts, range in
            if let last = parts.last, last.upperBound >= range.lowerBound {
                parts[parts.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                parts.append(range)
            }
        }
    }

    /// Runs of letters and digits, runs of spaces, and anything else by itself.
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
