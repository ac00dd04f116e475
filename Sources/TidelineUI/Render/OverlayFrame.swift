import TidelineCore

/// Where what stands in front of the regions is drawn.
enum OverlayFrame {
    /// A frame in the middle of the screen for this much content.
    static func centered(columns: Int, rows: Int, size: Size) -> Rect {
        let width = min(max(20, columns + 2), size.columns)
        let height = min(max(3, rows + 2), max(3, size.rows - 1))
        return Rect(
            column: (size.columns - width) / 2, row: max(0, (size.rows - height) / 2),
            columns: width, rows: min(height, size.rows))
    }

    static func menu(_ menu: Menu, size: Size) -> Rect {
        let widths = menu.items.map { item in
            CharacterWidth.width(of: String(item.title.prefix(60)))
                + CharacterWidth.width(
                    of: String((item.availability.reason ?? item.hint).prefix(44)))
                + 7
        }
        return centered(
            columns: max(widths.max() ?? 0, 30), rows: max(1, menu.items.count), size: size)
    }

    /// The first item that is visible in a menu's frame.
    static func firstItem(of menu: Menu, in frame: Rect) -> Int {
        max(0, menu.cursor - max(1, frame.rows - 2) + 1)
    }
}

/// A line of several texts, each with its role.
struct TextLine {
    var parts: [(String, Role)]
    var isSelected = false

    init(_ parts: [(String, Role)], isSelected: Bool = false) {
        self.parts = parts
        self.isSelected = isSelected
    }

    init(_ text: String, _ role: Role = .plain) { parts = [(text, role)] }
}

extension Screen {
    /// Draws a frame and empties what is in it.
    mutating func drawFrame(_ rect: Rect, title: String) -> Rect {
        surface.fill(rect, style: theme[.menu])
        dialog = rect
        surface.box(
            rect, style: theme[.focusedBorder], title: title, titleStyle: theme[.focusedRegionTitle]
        )
        return rect.inset()
    }

    /// Draws lines in a frame in the middle, from `top` on.
    mutating func drawLines(_ lines: [TextLine], title: String, top: Int = 0, wide: Bool = true) {
        let size = surface.size
        let widest = lines.prefix(400).reduce(0) { widest, line in
            max(
                widest,
                line.parts.reduce(0) { $0 + CharacterWidth.width(of: String($1.0.prefix(300))) })
        }
        let rect = OverlayFrame.centered(
            columns: min(max(widest + 2, 40), size.columns * 9 / 10), rows: lines.count, size: size)
        let inner = drawFrame(rect, title: title)
        let first = max(0, min(top, lines.count - inner.rows))
        for (row, line) in lines.dropFirst(first).prefix(inner.rows).enumerated() {
            put(
                line.parts, at: Point(column: inner.column + 1, row: inner.row + row),
                maxWidth: inner.columns - 2)
            if line.isSelected {
                surface.bar(
                    Rect(
                        column: inner.column, row: inner.row + row, columns: inner.columns, rows: 1),
                    theme[.menuSelection])
            }
        }
        drawMore(first: first, shown: inner.rows, of: lines.count, in: rect)
    }

    /// Says in a frame's lower edge that there are lines outside of it.
    func moreText(first: Int, shown: Int, of count: Int) -> String {
        let above = first
        let below = count - first - shown
        if above <= 0 && below <= 0 { return "" }
        let up = above > 0 ? "\(theme.isASCII ? "^" : "↑")\(above) " : ""
        let down = below > 0 ? "\(theme.isASCII ? "v" : "↓")\(below) " : ""
        return " " + up + down
    }

    mutating func drawMore(first: Int, shown: Int, of count: Int, in rect: Rect) {
        let text = moreText(first: first, shown: shown, of: count)
        surface.put(
            text, at: Point(column: rect.column + 2, row: rect.endRow - 1), style: theme[.dim],
            maxWidth: max(0, rect.columns - 4))
    }
}
