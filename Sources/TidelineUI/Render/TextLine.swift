import TidelineCore

/// A line of texts with roles.
struct TextLine {
    var parts: [(String, Role)]
    var isSelected = false

    init(_ parts: [(String, Role)], isSelected: Bool = false) {
        self.parts = parts
        self.isSelected = isSelected
    }

    init(_ text: String, _ role: Role = .plain) { parts = [(text, role)] }
}

extension TextLine {
    /// The width of the line. For very long texts, the width is a lower bound.
    var width: Int {
        parts.reduce(0) { $0 + CharacterWidth.width(of: String($1.0.prefix(300))) }
    }
}

extension Canvas {
    /// Draws lines in a frame from `top` on, above fixed lines at the bottom.
    ///
    /// - Parameter frame: The frame; `nil` for a centered frame of the necessary size.
    mutating func drawLines(
        _ lines: [TextLine], over foot: [TextLine] = [], title: String,
        scrolled: Scrolled = .start, in frame: Rect? = nil
    ) {
        let area = dialogArea
        let widest = (foot + lines.prefix(400)).reduce(0) { max($0, $1.width) }
        let rect =
            frame
            ?? OverlayFrame.centered(
                columns: min(max(widest + 2, foot.isEmpty ? 40 : 50), area.columns * 9 / 10),
                rows: lines.count + foot.count, in: area)
        let inner = drawFrame(rect, title: title)
        let foot = foot.suffix(max(0, inner.rows))
        let body = inner.rows - foot.count
        let first = scrolled.top(of: lines.count, shown: body)
        for (row, line) in lines.dropFirst(first).prefix(body).enumerated() {
            put(
                line.parts, at: Point(column: inner.column + 1, row: inner.row + row),
                maxWidth: inner.columns - 2)
            if line.isSelected {
                surface.bar(
                    inner.line(row),
                    theme[.menuSelection])
            }
        }
        for (row, line) in foot.enumerated() {
            put(
                line.parts, at: Point(column: inner.column + 1, row: inner.row + body + row),
                maxWidth: inner.columns - 2)
        }
        drawMore(first: first, shown: body, of: lines.count, in: rect)
    }

    /// Wraps a text into indented lines, as many as fit on the screen.
    func wrapped(_ text: String, _ role: Role, columns: Int? = nil) -> [TextLine] {
        let columns = max(10, columns ?? surface.size.columns * 9 / 10 - 8)
        let parts = TextParts.wrap(text, columns: columns, limit: max(3, surface.size.rows / 3))
        return parts.map { TextLine([("    ", .plain), (String($0), role)]) }
            + more(after: parts, of: text, indent: "    ")
    }

    /// Lists texts on indented lines, as many as fit on the screen. Texts that fit stay whole.
    func listed(_ texts: [String], _ role: Role) -> [TextLine] {
        let columns = max(10, surface.size.columns * 9 / 10 - 8)
        let lines = TextParts.lines(of: texts, columns: columns)
        let shown = lines.prefix(max(3, surface.size.rows / 3))
        return shown.map { TextLine([("    ", .plain), ($0, role)]) }
            + (shown.count < lines.count ? [TextLine(theme.text("    … more"), .dim)] : [])
    }

    /// Wraps a text into a limited number of indented lines, with the given ranges in another role.
    func marked(
        _ text: String, _ parts: TextDifference.Parts, _ role: Role, _ other: Role, columns: Int
    ) -> [TextLine] {
        let words: Role =
            switch other {
            case .added: .addedWord
            case .removed: .removedWord
            default: other
            }
        let wrapped = TextParts.wrap(
            text, columns: max(10, columns - 4), limit: Self.longestValue)
        var lines: [TextLine] = []
        for line in wrapped {
            var pieces: [(String, Role)] = [("    ", .plain)]
            var start = line.startIndex
            for part in parts where part.upperBound > start && part.lowerBound < line.endIndex {
                let from = max(part.lowerBound, start)
                let to = min(part.upperBound, line.endIndex)
                if start < from { pieces.append((String(text[start..<from]), role)) }
                if from < to { pieces.append((String(text[from..<to]), words)) }
                start = max(start, to)
            }
            if start < line.endIndex {
                pieces.append((String(text[start..<line.endIndex]), role))
            }
            lines.append(TextLine(pieces))
        }
        return lines + more(after: wrapped, of: text, indent: "    ")
    }

    /// Shortens or pads the parts of a line to a width.
    func fitted(_ parts: [(String, Role)], _ columns: Int) -> [(String, Role)] {
        var result: [(String, Role)] = []
        var left = columns
        for (text, role) in parts where left > 0 {
            let visible = Sanitizer.visible(text, ascii: theme.isASCII)
            let width = CharacterWidth.width(of: visible)
            if width <= left {
                result.append((visible, role))
                left -= width
                continue
            }
            var room = left - 1
            let head = visible.prefix { character in
                room -= CharacterWidth.width(of: character)
                return room >= 0
            }
            result.append((head + (theme.isASCII ? "~" : "…"), role))
            left -= CharacterWidth.width(of: String(head)) + 1
        }
        if left > 0 { result.append((String(repeating: " ", count: left), .plain)) }
        return result
    }
}
