import TidelineCore

/// A theme limited to the roles of the screen, so that `.dim` is unambiguous.
struct Look {
    let theme: Theme

    var isASCII: Bool { theme.isASCII }
    subscript(role: Role) -> Style { theme[role] }
    func mark(_ role: Role) -> String { theme.mark(role) }

    /// Returns interface text, in ASCII if the theme requires it. Data is shown unchanged.
    func text(_ text: String) -> String {
        guard isASCII else { return text }
        // The same character marks conflicts everywhere.
        let sign = theme.mark(Role.conflict)
        return Self.inASCII(sign.isEmpty ? text : text.replacing("≠", with: sign))
    }

    private static func inASCII(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        // An arrow between spaces means a change. Any other arrow is the name of a key.
        return text.replacing(" → ", with: " -> ")
            .reduce(into: "") { $0 += ascii[$1] ?? String($1) }
    }

    /// Returns the width of interface text: the larger of the normal and the ASCII form, so that
    /// both have the same layout.
    static func columns(of text: String) -> Int {
        max(CharacterWidth.width(of: text), CharacterWidth.width(of: inASCII(text)))
    }

    static func columns(of parts: [(String, Role)]) -> Int {
        parts.reduce(0) { $0 + columns(of: $1.0) }
    }

    private static let ascii: [Character: String] = [
        "…": "...", "≠": "#", "↑": "Up", "↓": "Down", "←": "Left", "→": "Right", "›": ">",
        "▸": ">", "–": "-", "—": "-", "∞": "inf", "◆": "@", "“": "\"", "”": "\"",
        "‘": "'", "’": "'", "×": "x", "·": "-", "≈": "=",
    ]
}

/// A screen being drawn.
struct Screen: Drawing {
    let panelStates: PanelStates
    let overlay: Overlay?
    /// The message in the last line.
    let notice: Notice?
    /// The keys and actions in the footer, most useful first.
    let hints: [Hint]
    /// The count and the keys of an incomplete command.
    let typedKeys: String
    var canvas: Canvas

    var context: ScreenContext { canvas.context }
    var layout: Layout { context.layout }
    var theme: Look { canvas.theme }
    var surface: Surface {
        get { canvas.surface }
        _modify { yield &canvas.surface }
    }
    /// The position of a dialog; `nil` before the dialog is drawn.
    var dialog: Rect? { canvas.dialog }

    mutating func draw() {
        drawAll()
        if theme.theme.hasFewColors { surface.restyleAll(theme.theme.readable) }
    }

    private mutating func drawAll() {
        if layout.kind == .tooSmall {
            drawTooSmall()
            return
        }
        drawHeader()
        for panel in Panel.allCases { draw(panel) }
        panelStates.inspector.drawPeek(on: &canvas)
        drawFooter()
        if let overlay {
            canvas.dialogArea.rows = dialogRows
            canvas.draw(overlay)
        }
        if dialog != nil { drawNoticeInFront() }
    }

    private mutating func drawTooSmall() {
        let lines = ["too small", "needs 20x5"]
        for (row, line) in lines.enumerated() where row < surface.size.rows {
            surface.put(
                line, in: surface.bounds, row: max(0, surface.size.rows / 2 - 1) + row,
                style: theme[.warning], alignment: .center, truncation: .clip)
        }
    }

    private mutating func draw(_ panel: Panel) {
        guard let rect = layout.panels[panel], let inner = layout.inner(panel) else { return }
        let module = panelStates[panel]
        let title = theme.text(module.title(in: context))
        if layout.hasFrame(panel) {
            let isFocused = context.panels.focus == panel
            // The focused frame is recognizable without color.
            surface.box(
                rect, style: theme[isFocused ? .focusedBorder : .border],
                title: (isFocused && theme.isASCII ? "> " : "") + title,
                titleStyle: theme[isFocused ? .focusedRegionTitle : .regionTitle],
                lines: isFocused ? .heavy : .light)
        } else if layout.hasTitleLine(panel) {
            surface.horizontalLine(at: rect.origin, columns: rect.columns, style: theme[.border])
            surface.put(
                " \(title) ", at: rect.origin.right(by: 1),
                style: theme[.focusedRegionTitle], maxWidth: rect.columns - 2)
        }
        if !inner.isEmpty { module.draw(in: inner, on: &canvas) }
    }
}
