import TidelineCore

/// Where what stands in front of the regions is drawn.
enum OverlayFrame {
    /// A frame for this much content, in the middle of where dialogs stand.
    static func centered(columns: Int, rows: Int, in area: Rect) -> Rect {
        let width = min(max(20, columns + 2), area.columns)
        let height = min(max(3, rows + 2), area.rows)
        return Rect(
            column: area.column + (area.columns - width) / 2,
            row: area.row + (area.rows - height) / 2, columns: width, rows: height)
    }

    static func menu(_ menu: Menu, in area: Rect) -> Rect {
        let widths = menu.items.map { item in
            CharacterWidth.width(of: String(item.title.prefix(60)))
                + CharacterWidth.width(
                    of: String((item.availability.reason ?? item.hint).prefix(60)))
                + 7
        }
        return centered(
            columns: max(widths.max() ?? 0, 30), rows: max(1, menu.items.count), in: area)
    }

    /// The first item that is visible in a menu's frame.
    static func firstItem(of menu: Menu, in frame: Rect) -> Int {
        max(0, menu.cursor - max(1, frame.rows - 2) + 1)
    }
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

    /// Says in a frame's lower edge that there are lines outside of it.
    private func moreText(first: Int, shown: Int, of count: Int) -> String {
        let above = first
        let below = count - first - shown
        if above <= 0 && below <= 0 { return "" }
        let up = above > 0 ? "\(theme.isASCII ? "^" : "↑")\(above) " : ""
        let down = below > 0 ? "\(theme.isASCII ? "v" : "↓")\(below) " : ""
        return " " + up + down
    }

    /// - Parameter others: What is said of those that are not among the lines.
    mutating func drawMore(
        first: Int, shown: Int, of count: Int, besides others: String = "", in rect: Rect
    ) {
        var text = moreText(first: first, shown: shown, of: count)
        if !others.isEmpty { text += (text.isEmpty ? " " : "") + theme.text(others) + " " }
        surface.put(
            text, at: Point(column: rect.column + 2, row: rect.endRow - 1), style: theme[.dim],
            maxWidth: max(0, rect.columns - 4))
    }
}
