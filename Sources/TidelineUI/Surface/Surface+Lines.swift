import TidelineCore

extension Surface {
    /// The characters of frames.
    public struct LineSet: Hashable, Sendable {
        var horizontal: Unicode.Scalar
        var vertical: Unicode.Scalar
        var topLeft: Unicode.Scalar
        var topRight: Unicode.Scalar
        var bottomLeft: Unicode.Scalar
        var bottomRight: Unicode.Scalar

        /// Thin lines.
        public static let light = LineSet(
            horizontal: "─", vertical: "│", topLeft: "┌", topRight: "┐", bottomLeft: "└",
            bottomRight: "┘")
        /// Thick lines.
        public static let heavy = LineSet(
            horizontal: "━", vertical: "┃", topLeft: "┏", topRight: "┓", bottomLeft: "┗",
            bottomRight: "┛")
        /// Lines of ASCII characters.
        public static let ascii = LineSet(
            horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+",
            bottomRight: "+")
    }

    /// Draws a frame along the edge of a rectangle, leaving its content unchanged. A rectangle of
    /// less than two columns or rows gets a line.
    ///
    /// - Parameter title: The title in the upper edge, shortened to fit.
    public mutating func box(
        _ rect: Rect, style: Style = .plain, title: String = "", titleStyle: Style? = nil,
        lines: LineSet = .light
    ) {
        guard !rect.isEmpty else { return }
        let lines = isASCII ? .ascii : lines
        let right = rect.endColumn - 1
        let bottom = rect.endRow - 1
        horizontalLine(at: rect.origin, columns: rect.columns, style: style, lines: lines)
        horizontalLine(
            at: Point(column: rect.column, row: bottom), columns: rect.columns, style: style,
            lines: lines)
        verticalLine(at: rect.origin, rows: rect.rows, style: style, lines: lines)
        verticalLine(at: rect.point(right), rows: rect.rows, style: style, lines: lines)
        if rect.columns > 1, rect.rows > 1 {
            draw(lines.topLeft, column: rect.column, row: rect.row, style)
            draw(lines.topRight, column: right, row: rect.row, style)
            draw(lines.bottomLeft, column: rect.column, row: bottom, style)
            draw(lines.bottomRight, column: right, row: bottom, style)
        }
        if !title.isEmpty, rect.columns > 4 {
            put(
                title, at: rect.origin.right(by: 1),
                style: titleStyle ?? style, maxWidth: rect.columns - 3)
        }
    }

    /// Draws a horizontal line to the right of a position.
    ///
    /// - Parameters:
    ///   - point: The position of the first cell.
    ///   - columns: The length of the line.
    ///   - lines: The characters to use.
    public mutating func horizontalLine(
        at point: Point, columns: Int, style: Style = .plain, lines: LineSet = .light
    ) {
        let sign = isASCII ? LineSet.ascii.horizontal : lines.horizontal
        let visible = Rect(column: point.column, row: point.row, columns: columns, rows: 1)
            .intersection(bounds)
        guard !visible.isEmpty else { return }
        for column in visible.column..<visible.endColumn {
            draw(sign, column: column, row: point.row, style)
        }
    }

    /// Draws a vertical line downward from a position.
    ///
    /// - Parameters:
    ///   - point: The position of the first cell.
    ///   - rows: The length of the line.
    ///   - lines: The characters to use.
    public mutating func verticalLine(
        at point: Point, rows: Int, style: Style = .plain, lines: LineSet = .light
    ) {
        let sign = isASCII ? LineSet.ascii.vertical : lines.vertical
        let visible = Rect(column: point.column, row: point.row, columns: 1, rows: rows)
            .intersection(bounds)
        guard !visible.isEmpty else { return }
        for row in visible.row..<visible.endRow {
            draw(sign, column: point.column, row: row, style)
        }
    }

    private mutating func draw(
        _ scalar: Unicode.Scalar, column: Int, row: Int, _ style: Style
    ) {
        set(Cell(Glyph(scalar, width: 1), style: style), column: column, row: row)
    }
}
