import TidelineCore

/// The texts of a conflict, each with the words in which it differs from what all started from.
struct ConflictTexts: Hashable, Sendable {
    /// A text and the parts of it that are marked.
    struct Text: Hashable, Sendable {
        var text: String
        var marked: TextDifference.Parts = []

        var lineCount: Int { 1 + text.utf8.count { $0 == UInt8(ascii: "\n") } }
    }

    /// Longer texts, in bytes, are not marked: their differences lie beyond the screen.
    private static let longestMarked = 16_384
    /// Of conflicts with more sides none is marked.
    private static let mostMarked = 32
    /// Longer texts, in bytes, are no line of any screen.
    private static let longestLine = 1_024

    /// The sides in their order; `nil`: the side took the row away.
    private(set) var sides: [Text?] = []
    /// With what any side lost of it.
    private(set) var base: Text?
    private(set) var proposal: Text?

    /// No conflict.
    init() {}

    /// The texts as one line each; `nil` where one of them is too long for that.
    init?(short conflict: RowConflict) {
        let typed =
            conflict.sides.map(\.typed) + [conflict.base?.typed, conflict.proposal?.typed]
        guard
            typed.allSatisfy({ ($0?.text.utf8.count ?? 0) <= Self.longestLine })
        else { return nil }
        self.init(conflict, \.oneLine)
    }

    /// - Complexity: O(*n*) in the lengths of the texts, as far as they are marked.
    init(_ conflict: RowConflict, _ text: (TypedText) -> String) {
        let baseText = conflict.base?.typed.map(text)
        let isMarked = conflict.sides.count <= Self.mostMarked
        let words = baseText.flatMap { text in
            isMarked && text.utf8.count <= Self.longestMarked ? TextDifference.Words(text) : nil
        }
        var lost: TextDifference.Parts = []
        func marked(_ typed: TypedText?, losing: Bool = true) -> Text? {
            guard let typed else { return nil }
            let text = text(typed)
            guard let words, text.utf8.count <= Self.longestMarked else { return Text(text: text) }
            let difference = TextDifference.between(words, and: TextDifference.Words(text))
            if losing { lost += difference.lost }
            return Text(text: text, marked: difference.gained)
        }
        sides = conflict.sides.map { marked($0.typed) }
        proposal = marked(conflict.proposal?.typed, losing: false)
        base = baseText.map { Text(text: $0, marked: TextDifference.union(lost)) }
    }

    /// Whether each of them is one line of at most so many columns.
    func fit(_ columns: Int) -> Bool {
        (sides + [base, proposal]).allSatisfy { text in
            guard let text = text?.text else { return true }
            return !CharacterWidth.exceeds(text, columns: columns)
                && !text.contains(where: \.isNewline)
        }
    }
}

extension TypedText {
    /// The text; JSON without its line breaks and indentation, which stand between its parts alone.
    var oneLine: String {
        guard kind == .json else { return text }
        return text.split(separator: "\n")
            .map { $0.drop(while: \.isWhitespace) }.joined(separator: " ")
    }
}
