/// A line of a text. The parts of the line that another text lacks are marked.
package struct MarkedLine: Hashable, Sendable {
    /// A part of a line.
    package struct Part: Hashable, Sendable {
        package let text: String
        /// Whether the other text lacks the part.
        package let isMarked: Bool

        /// Whether the part only separates marked parts.
        fileprivate var isSpace: Bool { !isMarked && text.allSatisfy(\.isWhitespace) }
    }

    package let parts: [Part]
}

/// The lines of two texts that differ.
package enum MarkedLines {
    /// Returns the lines of each text that the other text lacks, with the differing words marked.
    ///
    /// Returns all lines without marks if there is only one text, or if the difference is
    /// invisible, such as the encoding of an accent.
    ///
    /// - Complexity: As `TextDifference.between(_:and:)`.
    package static func between(
        _ from: String?, _ to: String?
    ) -> (from: [MarkedLine], to: [MarkedLine]) {
        guard let from, let to else {
            return (from.map { lines(of: $0) } ?? [], to.map { lines(of: $0) } ?? [])
        }
        let difference = TextDifference.between(from, and: to)
        guard !difference.lost.isEmpty || !difference.gained.isEmpty else {
            return (lines(of: from), lines(of: to))
        }
        return (lines(of: from, difference.lost), lines(of: to, difference.gained))
    }

    /// Returns all lines of a text, without marks.
    private static func lines(of text: String) -> [MarkedLine] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
            MarkedLine(parts: [.init(text: String($0), isMarked: false)])
        }
    }

    /// Returns the lines with marked words. If only the ends of lines are marked, returns those
    /// lines with a sign for their end.
    private static func lines(of text: String, _ marked: TextDifference.Parts) -> [MarkedLine] {
        var lines: [MarkedLine] = []
        var lineEnds: [MarkedLine] = []
        var rest = marked[...]
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex(where: \.isNewline) ?? text.endIndex
            let next = end == text.endIndex ? end : text.index(after: end)
            while let range = rest.first, range.upperBound <= start { rest.removeFirst() }
            if let first = rest.first, first.lowerBound < end {
                lines.append(line(text[start..<end], rest))
            } else if let first = rest.first, first.lowerBound < next {
                let content = MarkedLine.Part(text: String(text[start..<end]), isMarked: false)
                lineEnds.append(MarkedLine(parts: [content, .init(text: "↵", isMarked: true)]))
            }
            start = next
        }
        return lines.isEmpty ? lineEnds : lines
    }

    private static func line(
        _ line: Substring, _ marked: ArraySlice<Range<String.Index>>
    ) -> MarkedLine {
        var parts: [MarkedLine.Part] = []
        func add(_ text: Substring, isMarked: Bool) {
            guard !text.isEmpty else { return }
            // Join marked words that follow each other into one part, which is easier to read.
            if isMarked, parts.count > 1, parts[parts.count - 1].isSpace {
                let space = parts.removeLast().text
                let word = parts.removeLast().text
                parts.append(.init(text: word + space + text, isMarked: true))
            } else {
                parts.append(.init(text: String(text), isMarked: isMarked))
            }
        }
        var start = line.startIndex
        for range in marked {
            guard range.lowerBound < line.endIndex else { break }
            let lower = max(range.lowerBound, start)
            let upper = min(range.upperBound, line.endIndex)
            add(line[start..<lower], isMarked: false)
            add(line[lower..<upper], isMarked: true)
            start = upper
        }
        add(line[start...], isMarked: false)
        return MarkedLine(parts: parts)
    }
}

extension MarkedLines {
    /// Returns the lines in which two values differ. If one of them doesn't consist of words,
    /// returns all lines without marks.
    package static func between(
        _ from: StoreDifference.Value?, _ to: StoreDifference.Value?
    ) -> (from: [MarkedLine], to: [MarkedLine]) {
        if let from, let to, !from.hasWords || !to.hasWords {
            return (lines(of: from.text), lines(of: to.text))
        }
        return between(from?.text, to?.text)
    }
}
