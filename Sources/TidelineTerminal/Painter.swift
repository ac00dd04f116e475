import CNcurses
import TidelineCore
import TidelineUI

/// A painter that draws the changed cells of surfaces with ncurses.
struct Painter {
    private struct Colors: Hashable {
        var foreground: Color
        var background: Color
    }

    private let colorDepth: ColorDepth
    private let canWriteUTF8: Bool
    private var shown: Surface?
    private var pairs: [Colors: Int32] = [:]
    private var line: [cchar_t] = []

    init(colorDepth: ColorDepth, canWriteUTF8: Bool) {
        self.colorDepth = colorDepth
        self.canWriteUTF8 = canWriteUTF8
    }

    /// Initializes the terminal's colors, if it has any and the user wants them.
    static func startColors(environment: [String: String]) -> ColorDepth {
        guard has_colors(), start_color() == OK else { return .monochrome }
        // If the terminal can't select its default colors, use white on black.
        if use_default_colors() != OK { assume_default_colors(7, 0) }
        let colors = Int(tideline_colors())
        let depth = ColorDepth.detect(environment: environment, colors: colors)
        // ncurses writes colors by number, and only terminals whose description has direct color
        // have a number for each RGB color.
        return depth == .rgb && colors <= 256 ? (colors == 256 ? .indexed256 : .sixteen) : depth
    }

    /// Makes the next frame draw all cells.
    mutating func forget() { shown = nil }

    mutating func draw(_ surface: Surface) {
        let window = tideline_screen()
        let columns = Int(getmaxx(window))
        let rows = Int(getmaxy(window))
        for span in surface.changes(since: shown) where span.row < rows {
            let end = min(span.columns.upperBound, columns)
            guard span.columns.lowerBound < end else { continue }
            line.removeAll(keepingCapacity: true)
            for column in span.columns.lowerBound..<end {
                append(surface[column, span.row], fits: column + 1 < end)
            }
            line.append(cchar_t())
            mvwadd_wchnstr(
                window, Int32(span.row), Int32(span.columns.lowerBound), line,
                Int32(line.count - 1))
        }
        shown = surface
        if let cursor = surface.cursor, surface.bounds.contains(cursor), cursor.row < rows,
            cursor.column < columns
        {
            wmove(window, Int32(cursor.row), Int32(cursor.column))
            curs_set(1)
        } else {
            wmove(window, Int32(rows - 1), 0)
            curs_set(0)
        }
        wnoutrefresh(window)
        doupdate()
    }

    private mutating func append(_ cell: Cell, fits: Bool) {
        // ncurses fills the right half of a wide character itself.
        if cell.width == 0 { return }
        var text: (wchar_t, wchar_t, wchar_t, wchar_t, wchar_t, wchar_t) = (0x20, 0, 0, 0, 0, 0)
        let attributes = attributes(of: cell.style)
        let pair = pair(of: cell.style)
        let isShown = canWriteUTF8 || cell.glyph.isASCII
        let count = isShown ? 1 : cell.width
        if !isShown {
            text.0 = 0x3F
        } else if cell.width == 1 || fits {
            let marks = cell.glyph.marks
            text.0 = wchar_t(bitPattern: cell.glyph.base.value)
            if marks.count > 0 { text.1 = wchar_t(bitPattern: marks[0].value) }
            if marks.count > 1 { text.2 = wchar_t(bitPattern: marks[1].value) }
            if marks.count > 2 { text.3 = wchar_t(bitPattern: marks[2].value) }
            if marks.count > 3 { text.4 = wchar_t(bitPattern: marks[3].value) }
        }
        var target = cchar_t()
        let result = withUnsafeBytes(of: &text) { bytes in
            tideline_set_cell(
                &target, bytes.assumingMemoryBound(to: wchar_t.self).baseAddress, attributes, pair)
        }
        if result != OK {
            var replacement: [wchar_t] = [0x3F, 0]
            tideline_set_cell(&target, &replacement, attributes, pair)
        }
        for _ in 0..<count { line.append(target) }
    }

    private func attributes(of style: Style) -> attr_t {
        let wanted = style.attributes
        var attributes: attr_t = 0
        if wanted.isEmpty { return attributes }
        if wanted.contains(.bold) { attributes |= tideline_bold() }
        if wanted.contains(.dim) { attributes |= tideline_dim() }
        if wanted.contains(.italic) { attributes |= tideline_italic() }
        if wanted.contains(.underline) { attributes |= tideline_underline() }
        if wanted.contains(.reverse) { attributes |= tideline_reverse() }
        return attributes
    }

    /// Returns the number of a style's color pair, and creates the pair if necessary. If no pair is
    /// left, returns 0, the default colors.
    private mutating func pair(of style: Style) -> Int32 {
        let colors = Colors(foreground: style.foreground, background: style.background)
        if colorDepth == .monochrome
            || colors.foreground == .default && colors.background == .default
        {
            return 0
        }
        if let pair = pairs[colors] { return pair }
        let next = Int32(pairs.count + 1)
        guard next < tideline_color_pairs(),
            init_extended_pair(next, number(colors.foreground), number(colors.background)) == OK
        else { return 0 }
        pairs[colors] = next
        return next
    }

    /// Returns the ncurses number of a color on this terminal; -1 for the default color.
    private func number(_ color: Color) -> Int32 {
        switch color.kind {
        case .default: return -1
        case .indexed(let index):
            if tideline_colors() > 256, index > 7 { return Self.direct(color.approximation) }
            return Int32(index) < tideline_colors() ? Int32(index) : Int32(index & 7)
        case .rgb(let red, let green, let blue):
            if tideline_colors() > 256 { return Self.direct((red, green, blue)) }
            return Int32(color.nearestIndex(of: Int(tideline_colors())))
        }
    }

    /// Returns the RGB value of a direct color. Numbers below 8 are the basic colors.
    private static func direct(_ color: (red: UInt8, green: UInt8, blue: UInt8)) -> Int32 {
        let number = Int32(color.red) << 16 | Int32(color.green) << 8 | Int32(color.blue)
        return number < 8 && number > 0 ? 0 : number
    }
}
