import TidelineCore

/// The texts of a conflict, each with the words in which it differs from what all started from.
struct ConflictTexts: Hashable, Sendable {
    /// A text and the parts of it that are marked.
    struct Text: Hashable, Sendable {
        var text: String
        var marked: TextDifference.Parts = []
    }

    /// The sides in their order; `nil`: the side took the row away.
    private(set) var sides: [Text?] = []
    /// With what any side lost of it.
    private(set) var base: Text?
    private(set) var proposal: Text?

    /// No conflict.
    init() {}

    /// - Complexity: As ``TextDifference/between(_:and:)``, for each side.
    init(_ conflict: RowConflict, _ text: (TypedText) -> String) {
        let base = conflict.base?.typed.map(text)
        var lost: TextDifference.Parts = []
        func marked(_ typed: TypedText?) -> Text? {
            guard let typed else { return nil }
            let text = text(typed)
            guard let base else { return Text(text: text) }
            let difference = TextDifference.between(base, and: text)
            lost += difference.lost
            return Text(text: text, marked: difference.gained)
        }
        sides = conflict.sides.map { marked($0.typed) }
        self.base = base.map { Text(text: $0, marked: TextDifference.union(lost)) }
        proposal = marked(conflict.proposal?.typed)
    }

    /// Whether each of them is one line of at most so many columns.
    func fit(_ columns: Int) -> Bool {
        (sides + [base, proposal]).allSatisfy { text in
            guard let text = text?.text else { return true }
            return !text.contains(where: \.isNewline)
                && !CharacterWidth.exceeds(text, columns: columns)
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
