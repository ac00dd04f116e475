import Foundation
import TidelineCore

/// Shortens and wraps texts.
enum TextParts {
    /// Returns the text after a number of columns. A cluster across the boundary is dropped.
    ///
    /// - Complexity: O(*n*) in the number of dropped columns.
    static func dropping(columns: Int, from text: String) -> String {
        if columns <= 0 { return text }
        var left = columns
        var index = text.startIndex
        while index < text.endIndex, left > 0 {
            left -= CharacterWidth.width(of: text[index])
            index = text.index(after: index)
        }
        return String(text[index...])
    }

    /// Wraps a text into lines of limited width. Lines break at newlines, at spaces and next to
    /// wide characters, and otherwise anywhere. A date and its time stay together if they fit.
    ///
    /// - Parameter limit: The maximum number of lines. If the text is longer, the last line
    ///   contains the start of the remaining text.
    static func wrap(_ text: String, columns: Int, limit: Int) -> [Substring] {
        let columns = max(1, columns)
        var lines: [Substring] = []
        var start = text.startIndex
        var index = start
        var width = 0
        // The preferred position for a line break, and the fallback.
        var gap: String.Index?
        var gapInTime: String.Index?
        var wasWide = false
        while index < text.endIndex, lines.count < limit {
            let character = text[index]
            if character.isNewline {
                lines.append(text[start..<index])
                start = text.index(after: index)
                index = start
                width = 0
                (gap, gapInTime) = (nil, nil)
                continue
            }
            let characterWidth = CharacterWidth.width(of: character)
            if index > start, characterWidth == 2 || wasWide,
                !character.unicodeScalars.contains(where: neverFirst.contains),
                // In the first half of a line, only a space is a good place for a break.
                width * 2 >= columns
            {
                gap = index
            }
            if character == " " {
                if joinsDateAndTime(text, index) { gapInTime = index } else { gap = index }
            }
            if width + characterWidth > columns, index > start {
                let end = gap ?? gapInTime ?? index
                lines.append(text[start..<end])
                start = end
                while start < text.endIndex, text[start] == " " { start = text.index(after: start) }
                index = start
                width = 0
                (gap, gapInTime) = (nil, nil)
                continue
            }
            wasWide = characterWidth == 2
            width += characterWidth
            index = text.index(after: index)
        }
        if lines.count < limit { lines.append(text[start...]) }
        return lines
    }

    /// Joins texts with commas, on lines of limited width. Breaks only texts longer than a line.
    static func lines(of texts: [String], columns: Int) -> [String] {
        var lines: [String] = []
        for (index, text) in texts.enumerated() {
            let text = index + 1 < texts.count ? text + "," : text
            let width = CharacterWidth.width(of: text)
            if let last = lines.last, CharacterWidth.width(of: last) + 1 + width <= columns {
                lines[lines.count - 1] = "\(last) \(text)"
            } else {
                lines += wrap(text, columns: columns, limit: .max).map(String.init)
            }
        }
        return lines
    }

    /// Whether a space separates a date from a time: `2026-11-20 16:54`.
    private static func joinsDateAndTime(_ text: String, _ space: String.Index) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let before = Array(text.utf8[..<space].suffix(3))
        let after = Array(text.utf8[space...].dropFirst().prefix(3))
        return before.count == 3 && after.count == 3
            && before[0] == UInt8(ascii: "-") && after[2] == UInt8(ascii: ":")
            && (before[1...] + after[..<2]).allSatisfy(digits.contains)
    }

    /// Closing punctuation stays with the preceding text.
    private static let neverFirst = Set("、。，．：；？！）］｝」』】〉》〕".unicodeScalars)

    /// Returns a fraction in percent: `12%`.
    static func percent(_ fraction: Double) -> String {
        "\(Int(max(0, min(1, fraction)) * 100))%"
    }

    /// Returns the text, or as much of its start as fits before an ellipsis.
    static func start(of text: String, columns: Int) -> String {
        guard CharacterWidth.width(of: text) > columns else { return text }
        var left = columns - 1
        let start = text.prefix { character in
            left -= CharacterWidth.width(of: character)
            return left >= 0
        }
        return start + "…"
    }

    /// Returns the text, or as much of its end as fits after an ellipsis.
    static func end(of text: String, columns: Int) -> String {
        guard CharacterWidth.width(of: text) > columns else { return text }
        var left = columns - 1
        let end = text.reversed().prefix { character in
            left -= CharacterWidth.width(of: character)
            return left >= 0
        }
        return "…" + String(end.reversed())
    }

    /// Shortens texts so that they fit on a line together. Longer texts use the space that short
    /// texts leave.
    ///
    /// - Parameter count: The number of characters to keep of a long common prefix, so that
    ///   differences are visible.
    static func sharing(_ columns: Int, among texts: [String], keeping count: Int) -> [String] {
        var texts = texts
        let shared = texts.dropFirst().reduce(texts.first ?? "") { $0.commonPrefix(with: $1) }
        let width = texts.reduce(0) { $0 + CharacterWidth.width(of: $1) }
        if width > columns, texts.count > 1, shared.count > count + 2 {
            texts = texts.map { "…" + $0.dropFirst(shared.count - count) }
        }
        var (left, result) = (columns, texts)
        let byWidth = texts.indices.sorted {
            CharacterWidth.width(of: texts[$0]) < CharacterWidth.width(of: texts[$1])
        }
        for (done, index) in byWidth.enumerated() {
            let share = max(4, left / (texts.count - done))
            result[index] = start(of: texts[index], columns: share)
            left -= CharacterWidth.width(of: result[index])
        }
        return result
    }

    /// Returns the last component of a path; for a path such as `.`, the name of the folder.
    static func fileName(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard ["", ".", ".."].contains(name) else { return name }
        return URL(filePath: path).standardizedFileURL.lastPathComponent
    }
}
