import TidelineCore

/// The command palette: finds actions, rows and stores by name and runs commands with arguments.
struct CommandPalette: OverlayModule {
    var text = TextField()
    var cursor = 0
    /// The latest search results, and the text they belong to.
    var found: [Place] = []
    /// The number of further results.
    var others = PlaceMatches.Others()
    var askedFor: String?
    /// The search in progress. Opening help cancels it.
    var searching: RequestID?
    /// The contents of the store's folder, or of the folder that the user is typing.
    var nearby = Nearby()
    /// Whether to open the first result once the search completes.
    var accepts = false
    /// Whether to complete the text once the search completes.
    var completes = false
    /// The paths that Tab cycles through.
    var paths: [String] = []
    var over: Overlay?

    /// The overlay whose actions are offered: the first overlay behind the palette except help.
    var place: Overlay? {
        if let help = over?.module as? Help { help.over } else { over }
    }
    var unfinished: String? { over?.module.unfinished }

    static let group = Action.Group("Command palette")
    static let whyNotOpen = "the command palette is not open"
    var field: TextField? {
        get { text }
        set { text = newValue ?? TextField() }
    }

    static let actions: [OverlayAction<Self>] = [
        action("palette-accept", "Run or open the selection", ["Enter"]) { $0.accept(in: $1) },
        action("palette-close", "Close", ["Esc", "^c"]) { palette, _ in
            [.close(showing: palette.over)]
        },
        change("palette-next", "Next line", ["Down", "^n"]) { $0.move(by: 1, in: $1) },
        change("palette-previous", "Previous line", ["Up", "^p"]) { $0.move(by: -1, in: $1) },
        change("palette-page-down", "Page down", ["PgDn"]) { $0.move(by: 10, in: $1) },
        change("palette-page-up", "Page up", ["PgUp"]) { $0.move(by: -10, in: $1) },
        action("palette-complete", "Complete", ["Tab"]) { $0.complete(in: $1) },
        action("palette-erase", "Erase; on an empty line, close", ["Backspace"]) { palette, _ in
            if palette.text.isEmpty { return [.close(showing: palette.over)] }
            palette.text.apply(.eraseBackwards)
            palette.cursor = 0
            palette.paths = []
            return []
        },
    ]

    private mutating func move(by lines: Int, in context: ScreenContext) {
        cursor = max(0, min(cursor + lines, context.items(self).count - 1))
    }

    func hints(in context: ScreenContext) -> [Hint] {
        [
            context.keymap.hint("palette-accept", title: "run"),
            context.keymap.hint("palette-complete", title: "complete"),
            context.keymap.hint("palette-close", title: "close"),
        ].compactMap(\.self)
    }

    var isWaiting: Bool { accepts }

    mutating func fieldChanged(in context: ScreenContext) -> [ScreenOutcome] {
        cursor = 0
        completes = false
        paths = []
        return []
    }

    func draw(on canvas: inout Canvas) {
        if let over { canvas.draw(over) }
        let (context, theme) = (canvas.context, canvas.theme)
        let area = canvas.dialogArea
        let items = context.items(self)
        let isSearching = context.isSearching && items.isEmpty
        let rect = OverlayFrame.centered(
            columns: min(max(118, area.columns * 2 / 3), area.columns - 2),
            rows: min(max(16, area.rows / 2), max(1, items.count) + 1), in: area)
        let inner = canvas.drawFrame(rect, title: "Commands")
        canvas.surface.put(":", at: inner.origin, style: theme[.prompt])
        canvas.draw(text, in: inner.line(0).dropping(columns: 1), isActive: true)
        let rows = inner.rows - 1
        guard rows > 0 else { return }
        if items.isEmpty {
            let words = isSearching ? "searching …" : nothing
            canvas.put(
                [(" " + theme.text(words), .dim)], at: inner.line(1).origin,
                maxWidth: inner.columns)
        }
        let first = max(0, cursor - rows + 1)
        let shown = items.dropFirst(first).prefix(rows)
        let nameWidth = Self.nameWidth(of: shown, in: inner.columns)
        for (row, item) in shown.enumerated() {
            let line = inner.line(1 + row)
            switch item {
            case .action(let match):
                canvas.draw(match, in: line, nameWidth: nameWidth)
            case .place(let place): canvas.draw(place, in: line)
            }
            if first + row == cursor { canvas.surface.bar(line, theme[.menuSelection]) }
        }
        canvas.drawMore(
            first: first, shown: rows, of: items.count, besides: others.text, in: rect)
    }

    /// The message if nothing matches.
    private var nothing: String {
        place?.mustBeAnswered == true
            ? "only the commands of this dialog are available until you close it"
            : "no action, row or store matches"
    }

    /// Returns the width of the action names with their arguments, so that titles align.
    private static func nameWidth(of items: some Sequence<PaletteItem>, in columns: Int) -> Int {
        let widths = items.compactMap { item in
            if case .action(let match) = item {
                CharacterWidth.width(of: match.name) + 1
            } else {
                nil
            }
        }
        // Short columns suffice for properties of a store.
        let isShort = items.contains { item in
            if case .action(let match) = item { match.store != nil } else { false }
        }
        let most = isShort ? columns - 22 : columns / 2
        return max(min(widths.max() ?? 0, most), min(21, most)) + 1
    }
}

extension PaletteMatch {
    /// The action with its argument, as typed.
    fileprivate var name: String {
        action.name + ((choice ?? action.argument).map { " \($0)" } ?? "")
    }
}

extension Canvas {
    fileprivate mutating func draw(_ match: PaletteMatch, in line: Rect, nameWidth: Int) {
        let (action, reason) = (match.action, match.reason)
        put(
            [(" " + match.name, reason == nil ? .label : .disabled)], at: line.origin,
            maxWidth: nameWidth)
        if let note = match.note {
            put(
                [(note, .plain)],
                at: line.origin.right(by: nameWidth + 1),
                maxWidth: line.columns - nameWidth - 2)
            return
        }
        if match.choice != nil, CommandPalette.takesPath(action.name) {
            return draw(match.store, in: line, from: nameWidth + 1)
        }
        let key = theme.text(context.keymap.hint(for: action.name))
        let keyWidth = CharacterWidth.width(of: key)
        put(
            [
                (match.title, reason == nil ? .plain : .disabled),
                (reason.map { "  (\($0))" } ?? "", .dim),
            ], at: line.origin.right(by: nameWidth + 1),
            maxWidth: line.columns - nameWidth - 2 - keyWidth)
        surface.put(key, in: line, style: theme[.keyName], alignment: .trailing)
    }

    /// Draws the properties of a store: kind and size in aligned columns.
    private mutating func draw(_ store: NearbyPaths.Entry?, in line: Rect, from column: Int) {
        guard let store, store.path.last != "/" else { return }
        put([(store.kind ?? "not found", .dim)], at: line.origin.right(by: column), maxWidth: 10)
        surface.put(store.size ?? "", in: line, style: theme[.dim], alignment: .trailing)
    }

    /// Draws a name and, right-aligned, its location.
    fileprivate mutating func draw(_ place: Place, in line: Rect) {
        let half = line.columns / 2
        let width = min(half, CharacterWidth.width(of: place.location))
        put(
            [(" " + place.name, .key)], at: line.origin, maxWidth: line.columns - width - 1)
        put([(place.location, .dim)], at: line.point(line.endColumn - width), maxWidth: width)
    }
}

extension CommandPalette {
    private mutating func accept(in context: ScreenContext) -> [ScreenOutcome] {
        let items = context.items(self)
        let typed = text.text
        let mustBeAnswered = place?.mustBeAnswered == true
        if let row = Int(typed), row > 0, !mustBeAnswered {
            return [.close(), .selectRow(row - 1)]
        }
        if context.isSearching, cursor == 0, !mustBeAnswered, !(items.first?.isMeant ?? false) {
            accepts = true
            return []
        }
        guard items.indices.contains(cursor) else {
            return [.notice(.warning, "\(typed): \(nothing)")]
        }
        switch items[cursor] {
        case .place(let place): return [.close(), .go(to: place)]
        case .action(let match): return accept(match)
        }
    }

    private mutating func accept(_ match: PaletteMatch) -> [ScreenOutcome] {
        let name = match.action.name
        if match.action.needsArgument, (match.choice ?? match.argument)?.isEmpty ?? true {
            let begun = name + " "
            let isBegun = text.text == begun
            type(begun)
            guard isBegun, let argument = match.action.argument else { return [] }
            return [.notice(.warning, ":\(name) needs an argument: \(argument)")]
        }
        if let choice = match.choice, choice.hasSuffix(" ") {
            // The user has to type more after the completion.
            type("\(name) \(choice)")
            return []
        }
        let argument = match.choice ?? match.argument ?? ""
        return [.close(), .run(name, argument: argument, over: place)]
    }

    private mutating func type(_ text: String) {
        self.text = TextField(text)
        cursor = 0
    }

    /// Completes the text or reports why this isn't possible. If a folder is still being listed,
    /// waits for the listing.
    mutating func complete(in context: ScreenContext) -> [ScreenOutcome] {
        completes = false
        if let text = completion(in: context) {
            type(text)
            return []
        }
        guard isLooking else { return [.notice(.info, "nothing to complete")] }
        completes = true
        let folder = nearby.folder ?? ""
        return [
            .notice(.info, "still reading \(folder.isEmpty ? "this folder" : folder) …")
        ]
    }

    /// Returns the text after completion: the selected action with its suggested argument, the next
    /// path, or the next match. Returns `nil` if nothing can be completed.
    private mutating func completion(in context: ScreenContext) -> String? {
        let items = context.items(self)
        guard items.indices.contains(cursor), case .action(let match) = items[cursor] else {
            return nil
        }
        guard match.choice != nil || match.argument == nil else {
            if Self.takesPath(match.action.name), let typed = match.argument {
                return nextPath(after: typed, in: context).map { "\(match.action.name) \($0)" }
            }
            // The typed command is complete, so offer the next match.
            guard items.count > 1, case .action(let next) = items[1], let choice = next.choice
            else { return nil }
            return "\(next.action.name) \(choice)"
        }
        return match.action.name
            + (match.action.argument == nil ? "" : " \(match.choice ?? "")")
    }
}

extension PaletteItem {
    /// Whether no later result could be a better match.
    fileprivate var isMeant: Bool {
        guard case .action(let match) = self else { return false }
        return match.score < 2_000_000
    }
}
