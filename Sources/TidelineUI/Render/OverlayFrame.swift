import TidelineCore

/// Places and draws the frames of overlays.
enum OverlayFrame {
    /// Returns a frame for content of this size, centered in the dialog area.
    static func centered(columns: Int, rows: Int, in area: Rect) -> Rect {
        let width = min(max(20, columns + 2), area.columns)
        let height = min(max(3, rows + 2), area.rows)
        return Rect(
            column: area.column + (area.columns - width) / 2,
            row: area.row + (area.rows - height) / 2, columns: width, rows: height)
    }

    static func menu(_ menu: Menu, in area: Rect) -> Rect {
        let hintColumn = menu.hintColumn
        let widths = menu.items.map { item in
            (item.isAligned ? hintColumn : item.titleWidth)
                + CharacterWidth.width(of: String((item.unavailable ?? item.hint).prefix(60))) + 7
        }
        // The lower edge also has the numbers of hidden items.
        let note = menu.note.isEmpty ? 0 : CharacterWidth.width(of: menu.note) + 16
        return centered(
            columns: max(widths.max() ?? 0, note, 30), rows: max(1, menu.items.count), in: area)
    }

    static func firstItem(of menu: Menu, in frame: Rect) -> Int {
        max(0, menu.cursor - max(1, frame.rows - 2) + 1)
    }
}

extension Canvas {
    /// Draws a frame and clears its content.
    mutating func drawFrame(_ rect: Rect, title: String) -> Rect {
        surface.fill(rect, style: theme[.menu])
        dialog = rect
        surface.box(
            rect, style: theme[.focusedBorder], title: title, titleStyle: theme[.focusedRegionTitle]
        )
        return rect.inset()
    }
}

extension Drawing {
    /// Returns how many lines are hidden above and below; empty if none are.
    func moreText(first: Int, shown: Int, of count: Int) -> String {
        let above = first
        let below = count - first - shown
        if above <= 0 && below <= 0 { return "" }
        let up = above > 0 ? "\(theme.isASCII ? "^" : "↑")\(above) " : ""
        let down = below > 0 ? "\(theme.isASCII ? "v" : "↓")\(below) " : ""
        return " " + up + down
    }

    /// Shows in the frame's lower edge how many lines are hidden, and a note on other items.
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
