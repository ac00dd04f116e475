import TidelineCore

/// The output of a custom command.
struct CommandOutput: OverlayModule {
    /// The maximum number of lines on the screen.
    private static let lineLimit = 20_000

    let title: String
    private let result: CommandResult
    /// The lines, wrapped for a width of the screen.
    private var lines: [String] = []
    private var scrolled = Scrolled.start

    static let group = Action.Group("Output of a command")
    static let whyNotOpen = "no output is open"

    init(_ title: String, _ result: CommandResult, columns: Int) {
        self.title = title
        self.result = result
        wrap(columns: columns)
    }

    static let actions: [OverlayAction<Self>] = [
        action("output-close", "Close", ["Esc", "q", "Backspace", "Enter"]) { _, _ in [.close()] },
        change("output-down", "Line down", ["j", "Down"]) { output, _ in output.scroll(by: 1) },
        change("output-up", "Line up", ["k", "Up"]) { output, _ in output.scroll(by: -1) },
        change("output-page-down", "Page down", ["Space", "PgDn", "^f", "^d"]) {
            $0.scroll(by: $1.pageHeight)
        },
        change("output-page-up", "Page up", ["PgUp", "^b", "^u"]) { $0.scroll(by: -$1.pageHeight) },
        change("output-first", "First line", ["g", "Home"]) { output, _ in
            output.scrolled = .start
        },
        change("output-last", "Last line", ["G", "End"]) { output, _ in output.scrolled = .end },
        action("output-copy", "Copy the output", ["y"]) { output, _ in
            [.effect(.terminal(.copy(output.result.output, name: "output")))]
        },
    ]

    private mutating func scroll(by count: Int) {
        scrolled.move(by: count, to: max(0, lines.count - 1))
    }

    /// Wraps the output for a width of the screen.
    mutating func wrap(columns: Int) {
        let width = max(10, columns * 9 / 10 - 2)
        lines = TextParts.wrap(
            Self.shown(result.output), columns: width, limit: Self.lineLimit
        ).map { String($0.prefix { !$0.isNewline }) }
        // A newline at the end of the text doesn't start another line.
        if lines.last == "" { lines.removeLast() }
        scrolled = .start
    }

    /// Returns a text in its visible form, with spaces for tabs.
    private static func shown(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            let text = cells.dropLast().reduce(into: "") { text, cell in
                text += Sanitizer.visible(String(cell))
                text += String(repeating: " ", count: 8 - CharacterWidth.width(of: text) % 8)
            }
            return text + Sanitizer.visible(cells.last.map(String.init) ?? "")
        }.joined(separator: "\n")
    }

    /// Notes on how the program ended and on what is missing.
    private var notes: [TextLine] {
        var notes: [TextLine] = []
        if result.isCut || lines.count == Self.lineLimit {
            notes.append(TextLine("… the output is longer; only its start is shown", .dim))
        }
        if result.wasEnded {
            notes.append(TextLine("! stopped: \(CommandResult.whyEnded)", .error))
        } else if result.code != 0 {
            notes.append(TextLine("! exited with \(result.code)", .error))
        }
        return notes
    }

    func hints(in context: ScreenContext) -> [Hint] {
        [
            context.fits(lines.count + notes.count)
                ? nil : context.keymap.hint("output-down", "output-up", title: "scroll"),
            context.keymap.hint("output-copy", title: "copy"),
            context.keymap.hint("output-close", title: "close"),
        ].compactMap(\.self)
    }

    func draw(on canvas: inout Canvas) {
        let theme = canvas.theme
        canvas.drawLines(
            lines.map { TextLine(theme.text($0)) },
            over: notes.map { line in
                TextLine(line.parts.map { (theme.text($0.0), $0.1) })
            },
            title: theme.text(title), scrolled: scrolled)
    }
}
