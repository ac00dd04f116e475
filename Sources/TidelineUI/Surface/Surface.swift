import TidelineCore

/// A screen, or a part of one, as a grid of styled cells. All text passes through ``Sanitizer``, so
/// a surface never contains terminal control sequences, even if the data does. Content beyond the
/// edge is clipped between clusters. Every position and size is valid. A wide character is a cell
/// of width 2 followed by a cell of width 0.
public struct Surface: Hashable, Sendable {
    /// The number of columns and rows.
    public let size: Size
    /// Whether to draw in ASCII. Other characters become similar ASCII characters or `?`.
    public let isASCII: Bool
    /// The style of empty cells. It also provides the colors that the style of a cell doesn't set.
    public let blank: Style
    /// The position of the terminal's cursor; `nil` hides it.
    public var cursor: Point?
    private(set) var cells: [Cell]

    /// The maximum size. The size of a window is external input and must be bounded.
    public static let largest = Size(columns: 1024, rows: 512)

    /// Creates an empty surface, at most ``largest``.
    public init(size: Size, style: Style = .plain, isASCII: Bool = false) {
        let size = Size(
            columns: min(size.columns, Self.largest.columns),
            rows: min(size.rows, Self.largest.rows))
        self.size = size
        self.isASCII = isASCII
        blank = style
        cells = [Cell](repeating: Cell(style: style), count: size.columns * size.rows)
    }

    /// The rectangle of all cells.
    public var bounds: Rect { Rect(size) }

    /// Returns the cell at a position, or an empty cell if it is outside.
    public subscript(column: Int, row: Int) -> Cell {
        guard bounds.contains(Point(column: column, row: row)) else { return Cell() }
        return cells[row * size.columns + column]
    }

    /// Returns the cells of a row, or none if it is outside.
    public func row(_ row: Int) -> ArraySlice<Cell> {
        guard row >= 0, row < size.rows else { return [] }
        return cells[(row * size.columns)..<((row + 1) * size.columns)]
    }

    // MARK: Filling

    /// Clears the cells of a rectangle.
    public mutating func fill(_ rect: Rect, style: Style = .plain) {
        let rect = rect.intersection(bounds)
        guard !rect.isEmpty else { return }
        for row in rect.row..<rect.endRow {
            separate(row: row, column: rect.column)
            separate(row: row, column: rect.endColumn)
            let start = row * size.columns + rect.column
            for index in start..<(start + rect.columns) { cells[index] = Cell(style: style) }
        }
    }

    /// Applies a style to the content of a rectangle, for a selection or a flash. Texts keep their
    /// colors, unless the style sets or reverses them.
    public mutating func restyle(_ rect: Rect, _ style: Style) {
        let isReversed = style.attributes.contains(.reverse)
        let style = isReversed ? style : style.without(colorsOf: blank)
        change(rect) { $0 = style.over($0) }
    }

    /// Draws a rectangle as a bar with a single background, for a selection. Texts keep bold,
    /// italic and underlining. A text loses its color if the bar or the text is reversed, if the
    /// bar sets a text color, or if the text has a colored background.
    public mutating func bar(_ rect: Rect, _ style: Style) {
        let isReversed = style.attributes.contains(.reverse)
        let own = style.without(colorsOf: blank)
        guard isReversed || own.background != .default else { return restyle(rect, style) }
        let blank = blank
        change(rect) { cell in
            let kept = cell.attributes.intersection([.bold, .italic, .underline])
            let keepsColor =
                !isReversed && own.foreground == .default && cell.background == blank.background
                && !cell.attributes.contains(.reverse)
            let foreground = keepsColor ? cell.foreground : style.foreground
            cell = Style(
                foreground: foreground, background: style.background,
                attributes: style.attributes.union(kept))
        }
    }

    /// Applies the colors of a style to cells that have the surface's default colors.
    public mutating func underlay(_ rect: Rect, _ style: Style) {
        let blank = blank
        change(rect) { cell in
            if cell.background == blank.background { cell.background = style.background }
            if cell.foreground == blank.foreground { cell.foreground = style.foreground }
        }
    }

    /// Lets a theme adjust the style of all cells.
    mutating func restyleAll(_ body: (Style) -> Style) {
        var last: (before: Style, after: Style)?
        change(bounds) { style in
            if style != last?.before { last = (style, body(style)) }
            style = last?.after ?? style
        }
    }

    private mutating func change(_ rect: Rect, _ body: (inout Style) -> Void) {
        let rect = rect.intersection(bounds)
        guard !rect.isEmpty else { return }
        for row in rect.row..<rect.endRow {
            let start = row * size.columns + rect.column
            for index in start..<(start + rect.columns) { body(&cells[index].style) }
        }
    }

    /// Sets a cell and, for a wide character, its right half. If only one column is left for a wide
    /// character, clears that column.
    /// In ASCII mode, characters are replaced by similar characters, or by one question mark per
    /// column. Replaced letters and question marks are underlined.
    mutating func set(_ cell: Cell, column: Int, row: Int) {
        if isASCII, cell.width > 0, !cell.glyph.isASCII {
            let (glyph, isMarked) = ASCIIForm.glyph(of: cell.glyph)
            var sign = Cell(glyph, style: cell.style)
            if isMarked { sign.style.attributes.insert(.underline) }
            for offset in 0..<cell.width { set(sign, column: column + offset, row: row) }
            return
        }
        guard row >= 0, row < size.rows, column >= 0, column < size.columns else { return }
        separate(row: row, column: column)
        let index = row * size.columns + column
        if cell.width == 2 {
            separate(row: row, column: column + 2)
            guard column + 1 < size.columns else {
                cells[index] = Cell(style: cell.style)
                return
            }
            cells[index] = cell
            cells[index + 1] = Cell(.continuation, style: cell.style)
        } else {
            separate(row: row, column: column + 1)
            cells[index] = cell
        }
    }

    /// Sets single-width cells in a row. The caller has checked that they are inside.
    mutating func setASCII(_ bytes: some Sequence<UInt8>, style: Style, index: Int) {
        var index = index
        for byte in bytes {
            cells[index] = Cell(Glyph(Unicode.Scalar(byte), width: 1), style: style)
            index += 1
        }
    }

    /// Clears a wide character whose right half is in `column`, because only one of its halves is
    /// about to be overwritten.
    mutating func separate(row: Int, column: Int) {
        guard column > 0, column < size.columns else { return }
        let index = row * size.columns + column
        guard cells[index].width == 0 else { return }
        cells[index - 1].glyph = .space
        cells[index].glyph = .space
    }

    // MARK: Reading

    /// The text of the rows without trailing spaces, for tests.
    public var lines: [String] { (0..<size.rows).map(line) }

    /// Returns the text of a row without trailing spaces.
    public func line(_ row: Int) -> String {
        var text = ""
        for cell in self.row(row) { cell.glyph.append(to: &text) }
        while text.last == " " { text.removeLast() }
        return text
    }
}
