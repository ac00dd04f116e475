import TidelineCore

/// The texts of a conflict, with their differences from the base marked.
struct ConflictTexts: Hashable, Sendable {
    /// A text and its marked ranges.
    struct Text: Hashable, Sendable {
        var text: String
        var marked: TextDifference.Parts = []

        var lineCount: Int { 1 + text.utf8.count { $0 == UInt8(ascii: "\n") } }
    }

    /// The maximum size of a marked text, in bytes. Differences in longer texts are off the screen.
    private static let longestMarked = 16_384
    /// The maximum number of sides whose texts are marked.
    private static let mostMarked = 32
    /// The maximum size, in bytes, of a text that may fit on one line.
    private static let longestLine = 1_024

    /// The texts of the sides, in order; `nil` for a side that deleted the row.
    private(set) var sides: [Text?] = []
    /// The base. The parts that at least one side removed are marked.
    private(set) var base: Text?
    private(set) var proposal: Text?

    init() {}

    /// The texts on one line each, or `nil` if one of them is too long.
    init?(short conflict: RowConflict) {
        let typed =
            conflict.sides.map(\.typed) + [conflict.base?.typed, conflict.proposal?.typed]
        guard
            typed.allSatisfy({ ($0?.text.utf8.count ?? 0) <= Self.longestLine })
        else { return nil }
        self.init(conflict, \.oneLine)
    }

    /// Creates the texts of a conflict.
    ///
    /// - Complexity: O(*n*) in the lengths of the texts that are marked.
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

    /// Returns whether each text fits on one line.
    func fit(_ columns: Int) -> Bool {
        (sides + [base, proposal]).allSatisfy { text in
            guard let text = text?.text else { return true }
            return !CharacterWidth.exceeds(text, columns: columns)
                && !text.contains(where: \.isNewline)
        }
    }
}

extension TypedText {
    /// The text; for JSON, without the whitespace between its parts.
    var oneLine: String {
        guard kind == .json else { return text }
        return text.split(separator: "\n")
            .map { $0.drop(while: \.isWhitespace) }.joined(separator: " ")
    }
}
