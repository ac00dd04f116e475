import TidelineCore

/// The list of keyboard shortcuts, scrolled to line `top`.
struct Help: OverlayModule {
    var top = 0
    var filter = TextField()
    var isFiltering = false
    /// The overlay to return to.
    var over: Overlay?

    static let kind = Overlay.Kind.help
    static let group = Action.Group.help
    var overlay: Overlay { .help(self) }
    var field: TextField? {
        get { isFiltering ? filter : nil }
        set { filter = newValue ?? TextField() }
    }
    var unfinished: String? { over?.module.unfinished }

    static let actions: [Action] = [
        change("help-find", "Search in help") { _, help in
            (help.filter, help.isFiltering, help.top) = (TextField(), true, 0)
        },
        change("help-found", "Keep the search") { _, help in help.isFiltering = false },
        action("help-close", "Close, or end the search") { model, help in
            if help.isFiltering {
                help.isFiltering = false
                help.filter = TextField()
            } else {
                return model.goBack(to: help.over)
            }
            return []
        },
        change("help-down", "Line down") { $1.scroll(by: 1, $0) },
        change("help-up", "Line up") { $1.scroll(by: -1, $0) },
        change("help-page-down", "Page down") { $1.scroll(by: page(of: $0), $0) },
        change("help-page-up", "Page up") { $1.scroll(by: -page(of: $0), $0) },
        change("help-first", "First line") { $1.scroll(by: -1_000_000, $0) },
        change("help-last", "Last line") { $1.scroll(by: 1_000_000, $0) },
    ]

    /// Returns the number of lines per page. Successive pages share one line.
    private static func page(of model: Model) -> Int { max(1, model.dialogArea.rows - 3) }

    private mutating func scroll(by lines: Int, _ model: Model) {
        let rows = model.helpLines(for: self).flatMap {
            $0.rows(columns: model.panels.size.columns)
        }
        let last = max(0, rows.count - 1)
        top = max(0, min(top + lines, last))
    }

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("help-find", title: "find"),
            model.hint("help-down", "help-up", title: "scroll"),
            model.hint("help-close", title: "close"),
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in model: inout Model) { top = 0 }

    func draw(on screen: inout Screen) {
        let texts = screen.model.helpLines(for: self).flatMap {
            $0.rows(columns: screen.surface.size.columns)
        }.map { row -> TextLine in
            if row.isHeading { return TextLine(row.title, .title) }
            let keys = screen.theme.text(row.keys)
            let gap = max(0, row.titleColumn - 2 - CharacterWidth.width(of: keys))
            return TextLine([
                ("  " + keys + String(repeating: " ", count: gap), .keyName),
                (row.title, row.isPossible ? .keyAction : .disabled),
                (row.reason.map { "  (\($0))" } ?? "", .dim),
            ])
        }
        let found = isFiltering || !filter.isEmpty ? ": \(filter.text)" : ""
        let (find, close) = (
            screen.model.preferences.keymap.hint(for: "help-find"),
            screen.model.preferences.keymap.hint(for: "help-close")
        )
        screen.drawLines(
            texts.isEmpty ? [TextLine("no match", .dim)] : texts,
            title: "Keyboard shortcuts\(found)  (\(find): search, \(close): close)",
            scrolled: Scrolled(lines: top))
    }
}

/// A line of the help: a heading, or keys and their action.
enum HelpLine: Hashable, Sendable {
    case heading(String)
    case keys(String, title: String, reason: String?)
}

extension Model {
    func helpLines(for help: Help) -> [HelpLine] {
        helpLines(filter: help.filter.text, first: help.over?.kind, over: help.over)
    }

    /// Generates help from the actions and the current key bindings.
    ///
    /// - Parameters:
    ///   - first: The kind of overlay whose keys come first.
    ///   - over: The overlay that the help describes.
    func helpLines(filter: String, first: Overlay.Kind? = nil, over: Overlay? = nil) -> [HelpLine] {
        let every = actions.every.filter { action in
            guard let over, action.scope == .overlay(over.kind) else { return true }
            return over.offers(action) && !over.module.isIdle(action)
        }
        var groups = Action.Group.allCases
        // The actions of the focused place come first.
        let near =
            first.map { kind in every.filter { $0.scope == .overlay(kind) }.map(\.group) }
            ?? groupsOfMode
        var seen: Set<Action.Group> = []
        groups = (near + groups).filter { seen.insert($0).inserted }
        var lines: [HelpLine] = []
        for group in groups {
            let passing = Overlay.modules.filter { $0.group == group }.flatMap { $0.passes }
            let listed = every.filter { $0.group == group } + passing.compactMap(Action.named)
            let entries = listed.compactMap { action in
                helpLine(for: action).flatMap { line in
                    filter.isEmpty || line.contains(filter)
                        || action.name.contains(filter.lowercased())
                        ? line : nil
                }
            }
            if entries.isEmpty { continue }
            lines.append(.heading(group.rawValue))
            for entry in entries {
                // Actions with the same title share a line.
                if case .keys(let more, let title, let reason) = entry,
                    case .keys(let keys, title, reason)? = lines.last
                {
                    lines[lines.count - 1] = .keys(
                        keys + " " + more, title: title, reason: reason)
                } else {
                    lines.append(entry)
                }
            }
        }
        let texts = Self.otherHelp.filter { filter.isEmpty || $0.contains(filter) }
        if !texts.isEmpty { lines += [.heading("Counts and mouse")] + texts }
        let known = list?.source.filterFields ?? []
        let fields =
            (known.map {
                HelpLine.keys($0.name + ":", title: "for example \($0.example)", reason: nil)
            } + (known.isEmpty ? [] : [Self.caseHelp]))
            .filter { filter.isEmpty || $0.contains(filter) }
        if !fields.isEmpty { lines += [.heading("Filter fields in this list")] + fields }
        return lines
    }

    private var groupsOfMode: [Action.Group] {
        if panels.focus == .events { return [.live] }
        let isAboutConflicts = pane?.listsConflicts == true
        return (time == nil ? [] : [.time]) + (isAboutConflicts ? [.conflicts] : [])
            + [.rows, .editing]
    }

    private func helpLine(for action: Action) -> HelpLine? {
        var keys = preferences.keymap.keys(for: action.name).map { KeyNotation.text(for: $0) }
        if let argument = action.argument { keys.append(":\(action.name) \(argument)") }
        if keys.isEmpty, [.commands, .lists].contains(action.group) { keys = [":\(action.name)"] }
        guard !keys.isEmpty else { return nil }
        // Only global actions show a reason: the user sees which dialog is open.
        let reason = action.isGlobal ? availability(of: action).reason : nil
        return .keys(keys.joined(separator: " "), title: action.title, reason: reason)
    }

    private static let caseHelp = HelpLine.keys(
        "A…Z", title: "capital letters make the match case-sensitive; = matches the exact text",
        reason: nil)

    private static let otherHelp: [HelpLine] = [
        .keys("M-1 … M-9", title: "start a count: M-2 0 j moves down 20", reason: nil),
        .keys("click, wheel", title: "select, sort, double-click to open; scroll", reason: nil),
    ]
}

/// A screen row of the help.
private struct HelpRow {
    var isHeading = false
    var isPossible = true
    var keys = ""
    /// The column of the title.
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

    fileprivate func contains(_ text: String) -> Bool {
        guard case .keys(let keys, let title, _) = self else { return false }
        return keys.contains(text) || title.lowercased().contains(text.lowercased())
    }
}
