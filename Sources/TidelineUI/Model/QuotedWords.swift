/// The words of a line that the user types. Quotes keep the spaces in a word. A backslash escapes a
/// quote inside a word.
struct QuotedWords {
    /// The words, without their quotes. A space after the last word starts an empty word.
    private(set) var words = [""]
    /// The line up to the last word.
    private(set) var head: Substring
    /// The quote that isn't closed yet.
    private(set) var open: Character?

    init(_ line: String) {
        head = line.prefix(0)
        var isInWord = false
        var isEscaped = false
        for index in line.indices {
            let character = line[index]
            if character.isWhitespace, open == nil, !isEscaped {
                if isInWord { words.append("") }
                isInWord = false
                head = line[...index]
                continue
            }
            isInWord = true
            switch (character, open) {
            case _ where isEscaped:
                isEscaped = false
                words[words.count - 1].append(character)
            case ("\\", _): isEscaped = true
            case ("\"", nil), ("'", nil): open = character
            case (_, character): open = nil
            default: words[words.count - 1].append(character)
            }
        }
    }

    /// Returns a word, in quotes if it needs them.
    static func quoted(_ word: String) -> String {
        let needsQuotes = word.isEmpty || word.contains { $0.isWhitespace || "'\"\\".contains($0) }
        guard needsQuotes else { return word }
        let text = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(text)\""
    }
}
