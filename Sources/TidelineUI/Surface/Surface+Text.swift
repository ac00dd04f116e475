import TidelineCore

extension Surface {
    /// What becomes of a text that is too long.
    public enum Truncation: Hashable, Sendable {
        /// It is cut.
        case clip
        /// It is cut, and the last column shows an ellipsis.
        case tail
        /// It is cut at its start, which shows an ellipsis; for paths.
        case head
    }

    public enum Alignment: Hashable, Sendable {
        case leading, center, trailing
    }

    /// The sign that stands for what was cut off.
    public var ellipsis: String { isASCII ? "~" : "…" }

    /// Puts a text in a row.
    ///
    /// Control and invisible characters are shown, a newline as well: a text stays in its row.
    /// Clusters are not taken apart. Marks and joiners at the start of `text` do not join what
    /// stands before it.
    ///
    /// - Parameter maxWidth: The columns that it may take at most; `nil`: up to the edge.
    /// - Returns: The columns that it took.
    /// - Complexity: In the columns it may take, however long the text (`.head`: its length).
    @discardableResult
    public mutating func put(
        _ text: String, at point: Point, style: Style = .plain, maxWidth: Int? = nil,
        truncation: Truncation = .tail
    ) -> Int {
        guard point.row >= 0, point.row < size.rows, point.column > -65536 else { return 0 }
        let room = min(
            maxWidth ?? Int.max,
            max(0, size.columns - max(0, point.column))
                + max(0, -point.column))
        guard room > 0 else { return 0 }
        // One byte more than there is room for: a mark there would belong to the last letter.
        if point.column >= 0, let count = Sanitizer.cleanASCIICount(text, limit: room + 1) {
            if count <= room {
                putASCII(text.utf8, count: count, at: point, style: style)
                return count
            }
            if truncation != .head {
                let kept = truncation == .clip ? room : room - 1
                putASCII(text.utf8.prefix(kept), count: kept, at: point, style: style)
                if truncation == .tail { putEllipsis(point, offset: kept, style) }
                return room
            }
        }
        switch truncation {
        case .clip: return putClusters(text, at: point, style: style, room: room).width
        case .tail:
            let (width, isCut) = putClusters(text, at: point, style: style, room: room)
            guard isCut else { return width }
            // The cluster in the last column gives way to the ellipsis.
            let kept = putClusters(text, at: point, style: style, room: room - 1).width
            for column in kept..<room {
                set(Cell(style: style), column: point.column + column, row: point.row)
            }
            putEllipsis(point, offset: kept, style)
            return kept + 1
        case .head:
            guard CharacterWidth.exceeds(text, columns: room) else {
                return putClusters(text, at: point, style: style, room: room).width
            }
            let end = Self.suffix(of: text, columns: room - 1)
            putEllipsis(point, offset: 0, style)
            let next = Point(column: point.column + 1, row: point.row)
            return 1 + putClusters(String(end), at: next, style: style, room: room - 1).width
        }
    }

    /// Puts a text in a row of a part, at one side of it or in the middle.
    ///
    /// - Returns: The columns that it took.
    @discardableResult
    public mutating func put(
        _ text: String, in rect: Rect, row: Int = 0, style: Style = .plain,
        alignment: Alignment, truncation: Truncation = .tail
    ) -> Int {
        guard row >= 0, row < rect.rows else { return 0 }
        var column = rect.column
        if alignment != .leading, !CharacterWidth.exceeds(text, columns: rect.columns) {
            let free = rect.columns - CharacterWidth.width(of: text)
            column += alignment == .center ? free / 2 : free
        }
        return put(
            text, at: Point(column: column, row: rect.row + row), style: style,
            maxWidth: rect.endColumn - column, truncation: truncation)
    }

    private mutating func putASCII(
        _ bytes: some Sequence<UInt8>, count: Int, at point: Point, style: Style
    ) {
        guard count > 0 else { return }
        separate(row: point.row, column: point.column)
        separate(row: point.row, column: point.column + count)
        setASCII(bytes, style: style, index: point.row * size.columns + point.column)
    }

    private mutating func putEllipsis(_ point: Point, offset: Int, _ style: Style) {
        let cell = Cell(Glyph(isASCII ? "~" : "…", width: 1), style: style)
        set(cell, column: point.column + offset, row: point.row)
    }

    private mutating func putClusters(
        _ text: String, at point: Point, style: Style, room: Int
    ) -> (width: Int, isCut: Bool) {
        var glyphs = Glyphs()
        var used = 0
        let bounded = Sanitizer.bounded(text, columns: room)
        for character in bounded {
            let width = glyphs.replace(with: character, ascii: isASCII)
            guard used + width <= room else { return (used, true) }
            for glyph in glyphs.elements {
                set(Cell(glyph, style: style), column: point.column + used, row: point.row)
                used += glyph.width
            }
        }
        return (used, bounded.endIndex < text.endIndex)
    }

    /// The longest end of a text that takes at most this many columns.
    private static func suffix(of text: String, columns: Int) -> Substring {
        var glyphs = Glyphs()
        var left = columns
        var start = text.endIndex
        while start > text.startIndex {
            let before = text.index(before: start)
            left -= glyphs.replace(with: text[before])
            if left < 0 { break }
            start = before
        }
        return text[start...]
    }
}
