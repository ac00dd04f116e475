import TidelineCore

/// A surface with a theme, and the context of the overlay or panel that is drawn.
protocol Drawing {
    var context: ScreenContext { get }
    var theme: Look { get }
    var surface: Surface { get set }
}

/// A surface that an overlay or a panel draws on.
struct Canvas: Drawing {
    let context: ScreenContext
    let theme: Look
    var surface: Surface
    /// The area for dialogs, above all lines of a notice.
    var dialogArea: Rect
    /// The position of a dialog; `nil` before the dialog is drawn.
    var dialog: Rect?

    init(_ context: ScreenContext, _ theme: Theme) {
        self.context = context
        self.theme = Look(theme: theme)
        surface = theme.surface(size: context.size)
        dialogArea = context.dialogArea
    }

    mutating func draw(_ overlay: Overlay) {
        dialog = nil
        overlay.module.draw(on: &self)
        // A dialog has a single background, regardless of the roles of its texts.
        if let dialog { surface.underlay(dialog, theme[.menu]) }
    }
}

extension Drawing {
    /// Draws consecutive texts with their roles. Returns the width of the drawn texts.
    @discardableResult
    mutating func put(
        _ parts: [(String, Role)], at point: Point, maxWidth: Int
    ) -> Int {
        var used = 0
        for (text, role) in parts {
            guard used < maxWidth else {
                // The drawn text ends exactly at the edge, so show that more text follows.
                if maxWidth > 0, text.contains(where: { $0 != " " }) {
                    surface.put(
                        surface.ellipsis,
                        at: point.right(by: used - 1),
                        style: theme[.dim], maxWidth: 1)
                    break
                }
                continue
            }
            used += surface.put(
                text, at: point.right(by: used), style: theme[role], maxWidth: maxWidth - used)
        }
        return used
    }

    /// Highlights a line as selected.
    mutating func select(_ rect: Rect, in panel: Panel) {
        let isFocused = context.panels.focus == panel
        surface.bar(rect, theme[isFocused ? .selection : .inactiveSelection])
    }

    /// Returns the symbol of a role, or a default if the theme has none.
    func mark(_ role: Role, or other: String) -> String {
        let mark = theme.mark(role)
        return mark.isEmpty ? theme.text(other) : mark
    }

    /// The symbol of an ignored conflict.
    var ignoredMark: String { theme.isASCII ? "=" : "≈" }

    /// The symbol of the winner.
    var winnerMark: String { mark(.winner, or: theme.isASCII ? "*" : "★") }

    func name(of author: Author) -> String { context.session.name(of: author) }

    func role(of author: Author) -> Role { context.session.role(of: author) }

    /// Draws the number of writes per equal interval.
    mutating func drawActivity(_ buckets: [Int], in bar: Rect) {
        guard !buckets.isEmpty, bar.columns > 0 else { return }
        let signs = theme.isASCII ? [".", ":", "+", "#"] : ["▁", "▂", "▄", "▆", "█"]
        let most = max(1, buckets.max() ?? 1)
        for column in 0..<bar.columns {
            let from = column * buckets.count / bar.columns
            let to = max(from + 1, (column + 1) * buckets.count / bar.columns)
            let count = buckets[from..<min(to, buckets.count)].max() ?? 0
            // Bars have logarithmic height, so that few writes are visible next to many.
            let height =
                count <= 0
                ? -1
                : min(
                    signs.count - 1,
                    (Int.bitWidth - count.leadingZeroBitCount) * signs.count
                        / (Int.bitWidth - most.leadingZeroBitCount + 1))
            surface.put(
                height < 0 ? (theme.isASCII ? " " : "·") : signs[max(0, height)],
                at: bar.origin.right(by: column),
                style: theme[height < 0 ? .dim : .timeline])
        }
    }

    /// Draws lines in the middle, with the first emphasized.
    mutating func drawCentered(_ lines: [String], in rect: Rect) {
        let parts = lines.enumerated().flatMap { index, line in
            TextParts.wrap(theme.text(line), columns: rect.columns, limit: max(1, rect.rows))
                .map { (text: String($0), role: index == 0 ? Role.plain : .dim) }
        }
        let first = max(0, (rect.rows - parts.count) / 2)
        for (index, part) in parts.prefix(rect.rows).enumerated() {
            surface.put(
                part.text, in: rect, row: first + index, style: theme[part.role],
                alignment: .center)
        }
    }
}
