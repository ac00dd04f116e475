import TidelineCore

/// The keys and what they do, as much as fits, from `top` on.
struct Help: OverlayModule {
    var top = 0
    var filter = TextField()
    var isFiltering = false
    /// What closing returns to.
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
        change("help-find", "Find in the help") { _, help in
            (help.filter, help.isFiltering, help.top) = (TextField(), true, 0)
        },
        change("help-found", "Keep what was found") { _, help in help.isFiltering = false },
        action("help-close", "Close it, or end finding") { model, help in
            if help.isFiltering {
                help.isFiltering = false
                help.filter = TextField()
            } else {
                return model.goBack(to: help.over)
            }
            return []
        },
        change("help-down", "A line down") { $1.scroll(by: 1, $0) },
        change("help-up", "A line up") { $1.scroll(by: -1, $0) },
        change("help-page-down", "A page down") { $1.scroll(by: page(of: $0), $0) },
        change("help-page-up", "A page up") { $1.scroll(by: -page(of: $0), $0) },
        change("help-first", "The beginning") { $1.scroll(by: -1_000_000, $0) },
        change("help-last", "The end") { $1.scroll(by: 1_000_000, $0) },
    ]

    /// The lines that are seen at once, but for one that is seen again.
    private static func page(of model: Model) -> Int { max(1, model.dialogArea.rows - 3) }

    private mutating func scroll(by lines: Int, _ model: Model) {
        let rows = model.helpLines(for: self).flatMap { $0.rows(columns: model.size.columns) }
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
            screen.model.keymap.hint(for: "help-find"), screen.model.keymap.hint(for: "help-close")
        )
        screen.drawLines(
            texts.isEmpty ? [TextLine("no key or action matches", .dim)] : texts,
            title: "Keys\(found)  (\(find) finds, \(close) closes)",
            scrolled: Scrolled(lines: top))
    }
}

/// A line of the help: the heading of a group, or keys and what they do.
enum HelpLine: Hashable, Sendable {
    case heading(String)
    case keys(String, title: String, reason: String?)
}

extension Model {
    func helpLines(for help: Help) -> [HelpLine] {
        helpLines(filter: help.filter.text, first: help.over?.kind, over: help.over)
    }

    /// The help, made from the actions and the keys that they have at this moment.
    ///
    /// - Parameters:
    ///   - first: The overlay whose keys come before all others.
    ///   - over: What the help stands over.
    func helpLines(filter: String, first: Overlay.Kind? = nil, over: Overlay? = nil) -> [HelpLine] {
        let every = Action.every.filter { action in
            guard let over, action.scope == .overlay(over.kind) else { return true }
            return over.offers(action) && !over.module.isIdle(action)
        }
        var groups = Action.Group.allCases
        // What can be done where one is comes before what can be done everywhere.
        let near =
            first.map { kind in every.filter { $0.scope == .overlay(kind) }.map(\.group) }
            ?? groupsOfMode
        groups = groups.filter(near.contains) + groups.filter { !near.contains($0) }
        var lines: [HelpLine] = []
        for group in groups {
            let passing = Overlay.modules.filter { $0.group == group }.flatMap { $0.passes }
            let actions = every.filter { $0.group == group } + passing.compactMap(Action.named)
            let entries = actions.compactMap { action in
                helpLine(for: action).flatMap { line in
                    filter.isEmpty || line.contains(filter)
                        || action.name.contains(filter.lowercased())
                        ? line : nil
                }
            }
            if entries.isEmpty { continue }
            lines.append(.heading(group.rawValue))
            for entry in entries {
                // Actions with the same title share one line.
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
        if !texts.isEmpty { lines += [.heading("Counts and the mouse")] + texts }
        let known = list?.source.filterFields ?? []
        let fields =
            (known.map {
                HelpLine.keys($0.name + ":", title: "for example \($0.example)", reason: nil)
            } + (known.isEmpty ? [] : [Self.caseHelp]))
            .filter { filter.isEmpty || $0.contains(filter) }
        if !fields.isEmpty { lines += [.heading("Words of a filter here")] + fields }
        return lines
    }

    private var groupsOfMode: [Action.Group] {
        (time == nil ? [] : [.time]) + (focus == .events ? [.live] : [])
    }

    private func helpLine(for action: Action) -> HelpLine? {
        var keys = keymap.keys(for: action.name).map { KeyNotation.text(for: $0) }
        if let argument = action.argument { keys.append(":\(action.name) \(argument)") }
        guard !keys.isEmpty else { return nil }
        // That a dialog is not open is no news.
        let reason = action.isGlobal ? availability(of: action).reason : nil
        return .keys(keys.joined(separator: " "), title: action.title, reason: reason)
    }

    private static let caseHelp = HelpLine.keys(
        "A…Z", title: "with a capital letter case counts, accents never; = is exactly the text",
        reason: nil)

    private static let otherHelp: [HelpLine] = [
        .keys("M-1 … M-9", title: "begin a count: M-2 0 j goes down 20", reason: nil),
        .keys("click wheel", title: "select, sort, open on a double click; scroll", reason: nil),
    ]
}

/// A line of the help as it is drawn.
private struct HelpRow {
    var isHeading = false
    var isPossible = true
    var keys = ""
    /// Where the title begins.
    var titleColumn = 0
    var title: String
    var reason: String?
}

extension HelpLine {
    /// It in as many rows as it takes on a screen of so many columns.
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
        // Keys that take most of the line have their own.
        return TextParts.wrap(keys, columns: max(10, room - 2), limit: 9).map {
            HelpRow(keys: String($0), title: "")
        } + rows
    }

    fileprivate func contains(_ text: String) -> Bool {
        guard case .keys(let keys, let title, _) = self else { return false }
        return keys.contains(text) || title.lowercased().contains(text.lowercased())
    }
}
