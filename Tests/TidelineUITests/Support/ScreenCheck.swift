import TidelineCore

@testable import TidelineUI

/// Invariants of every screen, independent of its content.
struct ScreenCheck {
    /// The background of a cell: its color, and whether it is a background for text.
    struct Ground: Hashable {
        var color: Color
        var isReversed: Bool

        init(_ style: Style) {
            isReversed = style.attributes.contains(.reverse)
            color = isReversed ? style.foreground : style.background
        }
    }

    private let theme: Theme
    private let terminals: [TerminalColors]
    /// The terminal's contents, updated frame by frame like a terminal.
    private var shown: Surface?
    private var cells: [Cell] = []
    /// A cache of contrasts by style. Few styles occur on a screen.
    private var contrasts: [Style: Double] = [:]

    init(_ theme: Theme, _ appearance: ThemeFile.Appearance, _ depth: ColorDepth) {
        self.theme = theme
        terminals = TerminalColors.all(of: depth, appearance)
    }

    /// Returns all problems of a model's screen.
    mutating func problems(of model: Model) -> [String] {
        var screen = Screen(model: model, theme: theme)
        screen.draw()
        let surface = screen.surface
        var problems: [String] = []
        if surface != render(model, theme: theme, size: model.panels.size) {
            problems.append("drawing the model twice gives different results")
        }
        if !isFresh(surface) { problems.append("the screen differs from a fresh drawing") }
        problems += patchwork(screen)
        problems += unreadable(surface)
        return problems
    }

    /// Whether the cells updated frame by frame equal those of a fresh drawing.
    private mutating func isFresh(_ surface: Surface) -> Bool {
        let columns = surface.size.columns
        if shown?.size != surface.size {
            cells = [Cell](repeating: Cell(), count: columns * surface.size.rows)
        }
        for span in surface.changes(since: shown) {
            for column in span.columns {
                cells[span.row * columns + column] = surface[column, span.row]
            }
        }
        shown = surface
        return (0..<surface.size.rows).allSatisfy { row in
            cells[row * columns..<(row + 1) * columns].elementsEqual(surface.row(row))
        }
    }

    // MARK: Backgrounds

    private func grounds(_ surface: Surface, _ rect: Rect) -> Set<Ground> {
        let rect = rect.intersection(surface.bounds)
        var grounds: Set<Ground> = []
        var last: Style?
        for column in rect.column..<rect.endColumn {
            let style = surface[column, rect.row].style
            if style != last { grounds.insert(Ground(style)) }
            last = style
        }
        return grounds
    }

    /// Returns the lines that should have a uniform background but don't.
    private func patchwork(_ screen: Screen) -> [String] {
        var problems: [String] = []
        func check(_ rect: Rect, _ what: String, but others: [Role]) {
            // In a dialog, these roles use the dialog's background.
            let grounds = others.flatMap { role in
                [theme[role], theme[role].over(theme[.menu])].map(Ground.init)
            }
            let found = self.grounds(screen.surface, rect).subtracting(grounds)
            guard found.count > 1 else { return }
            var parts: [(ground: Ground, text: String)] = []
            for column in rect.column..<rect.endColumn {
                let cell = screen.surface[column, rect.row]
                let ground = Ground(cell.style)
                if parts.last?.ground != ground { parts.append((ground, "")) }
                parts[parts.count - 1].text.unicodeScalars.append(cell.glyph.base)
            }
            let texts = parts.map { "“\($0.text)” on \($0.ground)" }
            problems.append("\(what), line \(rect.row): \(texts.joined(separator: ", "))")
        }
        if let dialog = screen.dialog?.inset() {
            for row in 0..<dialog.rows {
                // Text fields and partial selections set their backgrounds.
                check(
                    dialog.line(row), "the dialog", but: [.input, .menuSelection, .selection])
            }
            return problems
        }
        if let header = screen.layout.header {
            check(
                header, "the header",
                but: [
                    .badgeWrite, .badgePast, .badgePaused, .badgeLive, .badgeReadOnly, .activeTab,
                ])
        }
        let hasPrompt = screen.overlay?.module is Prompt
        guard !hasPrompt, let list = screen.layout.inner(.list) else { return problems }
        for row in 0..<list.rows {
            let line = list.line(row)
            // There, a window without a footer shows the notice.
            if screen.layout.kind == .bare, line.endRow == screen.surface.size.rows { continue }
            check(line, "the list", but: [.matchHighlight])
        }
        return problems
    }

    // MARK: Contrast

    /// Texts with too little contrast according to WCAG 2.
    private mutating func unreadable(_ surface: Surface) -> [String] {
        var problems: Set<String> = []
        for row in 0..<surface.size.rows {
            for cell in surface.row(row) where Self.isText(cell.glyph) {
                let contrast = contrast(of: cell.style)
                if contrast < 4.5 {
                    problems.insert(
                        "\(cell.glyph.base) in line \(row): \((contrast * 100).rounded() / 100) of "
                            + "\(cell.style) in “\(surface.lines[row])”")
                }
            }
        }
        return problems.sorted().prefix(3).map { $0 }
    }

    private mutating func contrast(of style: Style) -> Double {
        if let known = contrasts[style] { return known }
        let contrast = terminals.map { $0.contrast(of: style) }.min() ?? .infinity
        contrasts[style] = contrast
        return contrast
    }

    /// Frames and bars don't count as text.
    private static func isText(_ glyph: Glyph) -> Bool {
        guard glyph.width > 0, glyph != .space else { return false }
        return !(0x2500...0x259F).contains(glyph.base.value) && glyph.base != "·"
    }
}
