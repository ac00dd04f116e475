import TidelineCore

/// A screen, or a part of one, as a grid of styled cells.
///
/// All text that is put on it goes through ``Sanitizer``, so whatever the data is, a surface holds
/// nothing that acts on a terminal. What reaches over the edge is cut, at clusters; no position and
/// no size is wrong. A character of two columns is a cell of width 2 and a cell of width 0.
public struct Surface: Hashable, Sendable {
    public let size: Size
    /// Whether everything is drawn in ASCII: frames, ellipses and the pictures of control characters
    /// in signs of it, other characters of the data as question marks.
    public let isASCII: Bool
    /// How an empty cell looks: what a cell has that nobody gave a colour.
    public let blank: Style
    /// Where the terminal's cursor goes; `nil`: hidden.
    public var cursor: Point?
    private(set) var cells: [Cell]

    /// The largest size: that of a window is somebody's input, and no screen is larger than this.
    public static let largest = Size(columns: 1024, rows: 512)

    /// An empty surface, at most ``largest``.
    public init(size: Size, style: Style = .plain, isASCII: Bool = false) {
        let size = Size(
            columns: min(size.columns, Self.largest.columns),
            rows: min(size.rows, Self.largest.rows))
        self.size = size
        self.isASCII = isASCII
        blank = style
        cells = [Cell](repeating: Cell(style: style), count: size.columns * size.rows)
    }

    public var bounds: Rect { Rect(size) }

    /// The cell at a place; an empty one outside.
    public subscript(column: Int, row: Int) -> Cell {
        guard bounds.contains(Point(column: column, row: row)) else { return Cell() }
        return cells[row * size.columns + column]
    }

    /// The cells of a row; none outside.
    public func row(_ row: Int) -> ArraySlice<Cell> {
        guard row >= 0, row < size.rows else { return [] }
        return cells[(row * size.columns)..<((row + 1) * size.columns)]
    }

    // MARK: Filling

    /// Makes every cell of a part empty.
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

    /// Lays a style over what a part shows: a selection, a flash. Where the style has no colours of
    /// its own, texts keep theirs, unless it turns them into a ground.
    public mutating func restyle(_ rect: Rect, _ style: Style) {
        let isReversed = style.attributes.contains(.reverse)
        let style = isReversed ? style : style.without(colorsOf: blank)
        change(rect) { $0 = style.over($0) }
    }

    /// Makes a part one bar: a selection. It has one background, whatever was shown in it; the
    /// texts keep what makes them bold or slanted, and their colours where the bar has a
    /// background of its own and they had none: on another they may not be readable.
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

    /// Gives the colours of a style to the cells of a part that have none of their own.
    public mutating func underlay(_ rect: Rect, _ style: Style) {
        let blank = blank
        change(rect) { cell in
            if cell.background == blank.background { cell.background = style.background }
            if cell.foreground == blank.foreground { cell.foreground = style.foreground }
        }
    }

    /// Lets a theme change how cells look, whatever was put on them.
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

    /// Draws another surface on this one, its top left cell at a place.
    public mutating func draw(_ other: Surface, at point: Point) {
        for row in 0..<other.size.rows {
            for (column, cell) in other.row(row).enumerated() where cell.width > 0 {
                set(cell, column: point.column + column, row: point.row + row)
            }
        }
    }

    /// Sets a cell, and the right half where it takes two columns; where only one is left, the
    /// column becomes empty.
    ///
    /// In ASCII, letters and signs are drawn as ones like them, and all else as a question mark a
    /// column.
    mutating func set(_ cell: Cell, column: Int, row: Int) {
        if isASCII, cell.width > 0, !cell.glyph.isASCII {
            let sign = Cell(ASCIIForm.glyph(of: cell.glyph), style: cell.style)
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

    /// Sets single-column cells in a row; the caller has made sure that they are inside.
    mutating func setASCII(_ bytes: some Sequence<UInt8>, style: Style, index: Int) {
        var index = index
        for byte in bytes {
            cells[index] = Cell(Glyph(Unicode.Scalar(byte), width: 1), style: style)
            index += 1
        }
    }

    /// Makes the two halves of a wide character empty where one is about to be overwritten: the
    /// one that has its left half before `column` and its right half in it.
    mutating func separate(row: Int, column: Int) {
        guard column > 0, column < size.columns else { return }
        let index = row * size.columns + column
        guard cells[index].width == 0 else { return }
        cells[index - 1].glyph = .space
        cells[index].glyph = .space
    }

    // MARK: Reading

    /// What the rows show, without the spaces at their ends; for tests.
    public var lines: [String] { (0..<size.rows).map(line) }

    /// What a row shows, without the spaces at its end.
    public func line(_ row: Int) -> String {
        var text = ""
        for cell in self.row(row) { cell.glyph.append(to: &text) }
        while text.last == " " { text.removeLast() }
        return text
    }
}
