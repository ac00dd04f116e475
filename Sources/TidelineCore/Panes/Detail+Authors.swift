import Replication

/// A text of a row in parts with one writer each.
struct WrittenText {
    /// The name of the text within the row; empty for the row's only text.
    var label: String
    var parts: [(text: String, author: Author)]
}

extension Detail {
    /// The maximum number of lines of the texts.
    private static let shownLines = 2000

    /// Creates the inspector's content for texts by writer: a legend, then the texts.
    ///
    /// - Parameter name: Returns the display name of a writer.
    init(authorsOf title: String, texts: [WrittenText], name: (Author) -> String) {
        var lines: [Line] = []
        for text in texts where lines.count < Self.shownLines {
            if !text.label.isEmpty { lines.append(Line("", text.label, .key)) }
            lines += Self.lines(of: text.parts)
        }
        if lines.count > Self.shownLines {
            lines.replaceSubrange(Self.shownLines..., with: [Line("", "… more", .dim)])
        }
        self.init(
            title: title,
            sections: [
                Section("Writers", Self.legend(of: texts.flatMap(\.parts), name)),
                Section("Text", lines),
            ])
    }

    /// Returns a line for each writer with its share of the characters, greatest first.
    private static func legend(
        of parts: [(text: String, author: Author)], _ name: (Author) -> String
    ) -> [Line] {
        var counts: [Author: Int] = [:]
        for part in parts { counts[part.author, default: 0] += part.text.count }
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return [Line("", "the text is empty", .dim)] }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { author, count in
            let share = FractionText.percentage(Double(count) / Double(total))
            return Line(parts: [Part(name(author), author: author), Part("  \(share)")])
        }
    }

    /// Splits parts into lines.
    private static func lines(of parts: [(text: String, author: Author)]) -> [Line] {
        var lines: [[Part]] = [[]]
        for part in parts {
            let pieces = part.text.split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { lines.append([]) }
                if !piece.isEmpty {
                    lines[lines.count - 1].append(Part(String(piece), author: part.author))
                }
            }
        }
        return lines.map { Line(parts: $0, .string) }
    }
}
