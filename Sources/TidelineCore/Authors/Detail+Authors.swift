extension Detail {
    /// The maximum number of lines of the texts.
    private static let shownLines = 2000

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
        return shares.map { author, share in
            Line(parts: [
                Part(written.name(of: author), author: author),
                Part("  \(FractionText.percentage(share))"),
            ])
        }
    }
}
