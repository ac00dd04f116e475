import TidelineCore

extension Surface {
    /// The way to shorten text that is too long.
    public enum Truncation: Hashable, Sendable {
        /// Cuts the end.
        case clip
        /// Cuts the end and puts an ellipsis in the last column.
        case tail
    }

    /// The side to which text is aligned.
    public enum Alignment: Hashable, Sendable {
        case leading, center, trailing
    }

    /// The ellipsis.
    public var ellipsis: String { isASCII ? "~" : "…" }

    /// Puts text in a row.
    ///
    /// Control and invisible characters, including newlines, become visible, so the text stays in
    /// its row. Clusters are never split. Combining marks at the start of `text` don't join the
    /// preceding cell.
    ///
    /// - Parameter maxWidth: The maximum width; `nil` for up to the edge.
    /// - Returns: The width of the text.
    /// - Complexity: O(*w*) in the available width, however long the text is.
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
        // Read one byte more than fits, which may belong to a mark on the last letter.
        if point.column >= 0, let count = Sanitizer.cleanASCIICount(text, limit: room + 1) {
            if count <= room {
                putASCII(text.utf8, count: count, at: point, style: style)
                return count
            }
            let kept = truncation == .clip ? room : room - 1
            putASCII(text.utf8.prefix(kept), count: kept, at: point, style: style)
            if truncation == .tail { putEllipsis(point, offset: kept, style) }
            return room
        }
        let (width, isCut) = putClusters(text, at: point, style: style, room: room)
        guard isCut, truncation == .tail else { return width }
        // The ellipsis replaces the cluster in the last column.
        let kept = putClusters(text, at: point, style: style, room: room - 1).width
        for column in kept..<room {
            set(Cell(style: style), column: point.column + column, row: point.row)
        }
        putEllipsis(point, offset: kept, style)
        return kept + 1
    }

    /// Puts text in a row of a rectangle, aligned to a side or centered.
    ///
    /// - Parameters:
    ///   - row: The row within the rectangle.
    ///   - alignment: The side to which the text is aligned.
    ///   - truncation: The way to shorten text that is too long.
    /// - Returns: The width of the text.
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
}
