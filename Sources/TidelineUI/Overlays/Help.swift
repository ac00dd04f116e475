import TidelineCore

/// The list of keyboard shortcuts, scrolled to line `top`.
struct Help: OverlayModule {
    var top = 0
    var filter = TextField()
    var isFiltering = false
    var over: Overlay?

    static let group = Action.Group("Help")
    static let whyNotOpen = "help is not open"
    var field: TextField? {
        get { isFiltering ? filter : nil }
        set { filter = newValue ?? TextField() }
    }
    var unfinished: String? { over?.module.unfinished }

    static let actions: [OverlayAction<Self>] = [
        change("help-find", "Search in help", ["/"]) { help, _ in
            (help.filter, help.isFiltering, help.top) = (TextField(), true, 0)
        },
        change("help-found", "Apply the search", ["Enter"]) { help, _ in help.isFiltering = false },
        action("help-close", "Close, or end the search", ["Esc", "q", "?"]) { help, _ in
            guard help.isFiltering else { return [.close(showing: help.over)] }
            (help.filter, help.isFiltering) = (TextField(), false)
            return []
        },
        change("help-down", "Line down", ["j", "Down"]) { $0.scroll(by: 1, in: $1) },
        change("help-up", "Line up", ["k", "Up"]) { $0.scroll(by: -1, in: $1) },
        change("help-page-down", "Page down", ["Space", "PgDn", "^f", "^d"]) {
            $0.scroll(by: $1.pageHeight, in: $1)
        },
        change("help-page-up", "Page up", ["PgUp", "^b", "^u"]) {
            $0.scroll(by: -$1.pageHeight, in: $1)
        },
        change("help-first", "First line", ["g", "Home"]) { $0.scroll(by: -1_000_000, in: $1) },
        change("help-last", "Last line", ["G", "End"]) { $0.scroll(by: 1_000_000, in: $1) },
    ]

    private mutating func scroll(by lines: Int, in context: ScreenContext) {
        let rows = rows(in: context, columns: context.size.columns)
        top = max(0, min(top + lines, max(0, rows.count - 1)))
    }

    /// Returns the screen rows of the shortcuts that match the search.
    private func rows(in context: ScreenContext, columns: Int) -> [HelpRow] {
        HelpLine.lines(of: context.shortcuts(over), filter: filter.text).flatMap {
            $0.rows(columns: columns)
        }
    }

    func hints(in context: ScreenContext) -> [Hint] {
        [
            context.keymap.hint("help-find", title: "find"),
            context.keymap.hint("help-down", "help-up", title: "scroll"),
            context.keymap.hint("help-close", title: "close"),
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in context: ScreenContext) -> [ScreenOutcome] {
        top = 0
        return []
    }

    func draw(on canvas: inout Canvas) {
        let columns = canvas.surface.size.columns
        let texts = rows(in: canvas.context, columns: columns).map { row -> TextLine in
            if row.isHeading { return TextLine(row.title, .title) }
            let keys = canvas.theme.text(row.keys)
            let gap = max(0, row.titleColumn - 2 - CharacterWidth.width(of: keys))
            return TextLine([
                ("  " + keys + String(repeating: " ", count: gap), .keyName),
                (row.title, row.isPossible ? .keyAction : .disabled),
                (row.reason.map { "  (\($0))" } ?? "", .dim),
            ])
        }
        let found = isFiltering || !filter.isEmpty ? ": \(filter.text)" : ""
        let (find, close) = (
            canvas.context.keymap.hint(for: "help-find"),
            canvas.context.keymap.hint(for: "help-close")
        )
        canvas.drawLines(
            texts.isEmpty ? [TextLine("no match", .dim)] : texts,
            title: "Keyboard shortcuts\(found)  (\(find): search, \(close): close)",
            scrolled: Scrolled(lines: top))
    }
}

/// A group of keyboard shortcuts under a heading.
struct HelpSection: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var keys: String
        var title: String
        /// The reason why the action is unavailable.
        var reason: String?
        /// The name of the action. A search also finds the action by this name.
        var name = ""
    }

    var title: String
    var entries: [Entry]
}

extension HelpSection.Entry {
    fileprivate func matches(_ text: String) -> Bool {
        text.isEmpty || keys.contains(text) || title.lowercased().contains(text.lowercased())
            || name.contains(text.lowercased())
    }
}

/// A line of the help: a heading, or keys and their action.
enum HelpLine: Hashable, Sendable {
    case heading(String)
    case keys(String, title: String, reason: String?)
}

extension HelpLine {
    /// Returns the lines of matching entries. Adjacent entries with the same title share a line.
    static func lines(of sections: [HelpSection], filter: String) -> [HelpLine] {
        var lines: [HelpLine] = []
        for section in sections {
            let entries = section.entries.filter { $0.matches(filter) }
            if entries.isEmpty { continue }
            lines.append(.heading(section.title))
            for entry in entries {
                if case .keys(let keys, entry.title, entry.reason)? = lines.last {
                    lines[lines.count - 1] = .keys(
                        keys + " " + entry.keys, title: entry.title, reason: entry.reason)
                } else {
                    lines.append(.keys(entry.keys, title: entry.title, reason: entry.reason))
                }
            }
        }
        return lines
    }
}

/// A screen row of the help.
private struct HelpRow {
    var isHeading = false
    var isPossible = true
    var keys = ""
    var titleColumn = 0
    var title: String
    var reason: String?
}

extension HelpLine {
    /// Lays out the line for a width.
    fileprivate func rows(columns: Int) -> [HelpRow] {
        guard case .keys(let keys, let title, let reason) = self else {
            guard case .heading(let title) = self else { return [] }
            return [HelpRow(isHeading: true, title: title)]
        }
        let room = max(10, columns * 9 / 10 - 4)
        let keyWidth = min(22, columns / 3)
        let start = 2 + max(keyWidth, Look.columns(of: keys) + 1)
        let whole = title + (reason.map { "  (\($0))" } ?? "")
        if start + Look.columns(of: whole) <= room {
            return [
                HelpRow(
                    isPossible: reason == nil, keys: keys, titleColumn: start, title: title,
                    reason: reason)
            ]
        }
        let isBeside = start <= room / 2
        let column = isBeside ? start : 6
        var rows = TextParts.wrap(whole, columns: max(10, room - column), limit: 9).map {
            HelpRow(isPossible: reason == nil, titleColumn: column, title: String($0))
        }
        if isBeside {
            if !rows.isEmpty { rows[0].keys = keys }
            return rows
        }
        // Long keys get a separate line.
        return TextParts.wrap(keys, columns: max(10, room - 2), limit: 9).map {
            HelpRow(keys: String($0), title: "")
        } + rows
    }
}
