extension Detail {
    /// The maximum number of lines of the texts.
    private static let shownLines = 2000
    /// The maximum width of the column of names. Percentages after longer names aren't aligned.
    private static let longestName = 32

    /// Creates the inspector's content for texts by writer: a legend, then the texts.
    init(authorsOf written: WrittenTexts) {
        var lines: [Line] = []
        for text in written.texts where lines.count < Self.shownLines {
            if !text.label.isEmpty { lines.append(Line("", text.label, .key)) }
            lines += text.lines.map { line in
                Line(parts: line.map { Part($0.text, author: $0.author) }, .string)
            }
        }
        if lines.count > Self.shownLines || written.isCut {
            lines = lines.prefix(Self.shownLines) + [Line.omission()]
        }
        let texts = lines.isEmpty ? [] : [Section("Text", lines)]
        self.init(
            title: written.title,
            sections: [Section("Writers", Self.legend(of: written))] + texts)
    }

    /// Returns a line for each writer with its share of the characters, greatest first.
    private static func legend(of written: WrittenTexts) -> [Line] {
        let shares = written.shares
        guard !shares.isEmpty else {
            let reason = written.texts.isEmpty ? "no values inside" : "the text is empty"
            return [Line("", reason, .dim)]
        }
        let names = shares.map { written.name(of: $0.author) }
        let percentages = shares.map { FractionText.percentage($0.share) }
        let widths = names.map { CharacterWidth.width(of: $0) }
        let width = min(longestName, widths.max() ?? 0)
        let digits = percentages.map(\.count).max() ?? 0
        return shares.indices.map { index in
            let gap = max(0, width - widths[index]) + 2 + digits - percentages[index].count
            return Line(parts: [
                Part(names[index], author: shares[index].author),
                Part(String(repeating: " ", count: gap) + percentages[index]),
            ])
        }
    }
}
