import TidelineCore

/// The command palette: finds actions, rows and stores by name and runs commands with arguments.
struct CommandPalette: OverlayModule {
    var text = TextField()
    var cursor = 0
    /// The latest search results, and the text they belong to.
    var found: [Place] = []
    /// The number of further results.
    var others = PlacesFound.Others()
    var askedFor: String?
    /// The contents of the store's folder, or of the folder being typed.
    var nearby = Nearby()
    /// Whether to open the first result once the search completes.
    var accepts = false
    /// Whether to complete the text once the search completes.
    var completes = false
    /// The paths that Tab cycles through.
    var paths: [String] = []
    /// The overlay to return to.
    var over: Overlay?

    /// The overlay whose actions are offered. While help is open, this is the overlay that the help
    /// describes.
    var place: Overlay? {
        if case .help(let help) = over { help.over } else { over }
    }
    var unfinished: String? { over?.module.unfinished }

    static let kind = Overlay.Kind.palette
    static let group = Action.Group.palette
    var overlay: Overlay { .palette(self) }
    var field: TextField? {
        get { text }
        set { text = newValue ?? TextField() }
    }

    static let actions: [Action] = [
        action("palette-accept", "Run or open the selection") { model, palette in
            model.accept(&palette)
        },
        action("palette-close", "Close") { model, palette in model.goBack(to: palette.over) },
        change("palette-next", "Next line") { $1.move(by: 1, in: $0) },
        change("palette-previous", "Previous line") { $1.move(by: -1, in: $0) },
        change("palette-page-down", "Page down") { $1.move(by: 10, in: $0) },
        change("palette-page-up", "Page up") { $1.move(by: -10, in: $0) },
        change("palette-complete", "Complete") { model, palette in
            model.complete(&palette)
        },
        action("palette-erase", "Erase; on an empty line, close") { model, palette in
            if palette.text.isEmpty { return model.goBack(to: palette.over) }
            palette.text.apply(.eraseBackwards)
            palette.cursor = 0
            palette.paths = []
            return []
        },
    ]

    private mutating func move(by lines: Int, in model: Model) {
        cursor = max(0, min(cursor + lines, model.paletteItems(self).count - 1))
    }

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("palette-accept", title: "do"),
            model.hint("palette-complete", title: "complete"),
            model.hint("palette-close", title: "close"),
        ].compactMap(\.self)
    }

    var isWaiting: Bool { accepts }

    mutating func fieldChanged(in model: inout Model) {
        cursor = 0
        completes = false
        paths = []
    }

    func draw(on screen: inout Screen) {
        if let over { screen.draw(over) }
        let (model, theme) = (screen.model, screen.theme)
        let area = screen.dialogArea
        let items = model.paletteItems(self)
        let behind = model.behind(self)
        let isSearching = model.requests.places != nil && items.isEmpty
        let rect = OverlayFrame.centered(
            columns: min(max(118, area.columns * 2 / 3), area.columns - 2),
            rows: min(max(16, area.rows / 2), max(1, items.count) + 1), in: area)
        let inner = screen.drawFrame(rect, title: "Commands")
        screen.surface.put(":", at: inner.origin, style: theme[.prompt])
        screen.draw(
            text,
            in: Rect(
                column: inner.column + 1, row: inner.row, columns: inner.columns - 1, rows: 1),
            isActive: true)
        let rows = inner.rows - 1
        guard rows > 0 else { return }
        if items.isEmpty {
            let words = isSearching ? "searching …" : nothing
            screen.put(
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
                screen.draw(match, in: line, nameWidth: nameWidth, of: behind)
            case .place(let place): screen.draw(place, in: line)
            }
            if first + row == cursor { screen.surface.bar(line, theme[.menuSelection]) }
        }
        screen.drawMore(
            first: first, shown: rows, of: items.count, besides: others.text, in: rect)
    }

    /// The message if nothing matches.
    fileprivate var nothing: String {
        place?.mustBeAnswered == true
            ? "no such action in this dialog. Close it to search rows"
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

extension Screen {
    /// Draws an action of the palette in a line.
    ///
    /// - Parameter behind: The model in which the action would run.
    fileprivate mutating func draw(
        _ match: PaletteMatch, in line: Rect, nameWidth: Int, of behind: Model
    ) {
        let action = match.action
        let reason = behind.availability(of: action).reason
        put(
            [(" " + match.name, reason == nil ? .label : .disabled)], at: line.origin,
            maxWidth: nameWidth)
        if let note = match.note {
            put(
                [(note, .plain)],
                at: Point(column: line.column + nameWidth + 1, row: line.row),
                maxWidth: line.columns - nameWidth - 2)
            return
        }
        if match.choice != nil, Model.pathActions.contains(action.name) {
            return draw(match.store, in: line, from: nameWidth + 1)
        }
        let key = theme.text(model.preferences.keymap.hint(for: action.name))
        let keyWidth = CharacterWidth.width(of: key)
        put(
            [
                (model.title(of: action), reason == nil ? .plain : .disabled),
                (reason.map { "  (\($0))" } ?? "", .dim),
            ], at: Point(column: line.column + nameWidth + 1, row: line.row),
            maxWidth: line.columns - nameWidth - 2 - keyWidth)
        surface.put(
            key, at: Point(column: line.endColumn - keyWidth, row: line.row), style: theme[.keyName]
        )
    }

    /// Draws the properties of a store: kind and size in aligned columns.
    private mutating func draw(_ store: NearbyPaths.Entry?, in line: Rect, from column: Int) {
        guard let store, store.path.last != "/" else { return }
        put(
            [(store.kind ?? "not found", .dim)],
            at: Point(column: line.column + column, row: line.row), maxWidth: 10)
        let size = store.size ?? ""
        let width = CharacterWidth.width(of: size)
        put(
            [(size, .dim)], at: Point(column: line.endColumn - width, row: line.row),
            maxWidth: width)
    }

    /// Draws a name and, right-aligned, its location.
    fileprivate mutating func draw(_ place: Place, in line: Rect) {
        let half = line.columns / 2
        let width = min(half, CharacterWidth.width(of: place.whereabouts))
        put(
            [(" " + place.name, .key)], at: line.origin, maxWidth: line.columns - width - 1)
        put(
            [(place.whereabouts, .dim)],
            at: Point(column: line.endColumn - width, row: line.row), maxWidth: width)
    }
}

extension Model {
    /// Completes the text or reports why it can't. If a folder is still being listed, completion
    /// waits for it.
    mutating func complete(_ palette: inout CommandPalette) {
        palette.completes = false
        if let text = completion(of: &palette) {
            palette.text = TextField(text)
            palette.cursor = 0
        } else if isLooking(palette) {
            palette.completes = true
            let folder = palette.nearby.folder ?? ""
            say(.info, "still reading \(folder.isEmpty ? "this folder" : folder) …")
        } else {
            say(.info, "nothing to complete")
        }
    }

    /// Returns the text that completes the palette's text with the selected match; `nil` if nothing
    /// completes it.
    private func completion(of palette: inout CommandPalette) -> String? {
        let items = paletteItems(palette)
        guard items.indices.contains(palette.cursor),
            case .action(let match) = items[palette.cursor]
        else { return nil }
        guard match.choice != nil || match.argument == nil else {
            if Self.pathActions.contains(match.action.name), let typed = match.argument {
                return nextPath(after: typed, in: &palette).map { "\(match.action.name) \($0)" }
            }
            // The typed command is complete, so offer the next match.
            guard items.count > 1, case .action(let next) = items[1], let choice = next.choice
            else { return nil }
            return "\(next.action.name) \(choice)"
        }
        return match.action.name
            + (match.action.argument == nil ? "" : " \(match.choice ?? "")")
    }

    /// Returns the next path that completes the typed one. Repeated calls cycle through all of
    /// them.
    private func nextPath(after typed: String, in palette: inout CommandPalette) -> String? {
        if palette.paths.count > 1, let place = palette.paths.firstIndex(of: typed) {
            return palette.paths[(place + 1) % palette.paths.count]
        }
        palette.paths = paths(beginningWith: typed, palette.nearby.paths)
        return palette.paths.first
    }

    fileprivate mutating func accept(_ palette: inout CommandPalette) -> [Effect] {
        let items = paletteItems(palette)
        let text = palette.text.text
        let mustBeAnswered = palette.place?.mustBeAnswered == true
        if let row = Int(text), row > 0, !mustBeAnswered {
            closeOverlay()
            panels.focus = .list
            selectInList(row - 1)
            return []
        }
        if requests.places != nil, palette.cursor == 0, !mustBeAnswered,
            !(items.first?.isMeant ?? false)
        {
            palette.accepts = true
            return []
        }
        guard items.indices.contains(palette.cursor) else {
            say(.warning, "\(text): \(palette.nothing)")
            return []
        }
        guard case .action(let match) = items[palette.cursor] else {
            closeOverlay()
            guard case .place(let place) = items[palette.cursor] else { return [] }
            return go(to: place)
        }
        if match.action.needsArgument, (match.choice ?? match.argument)?.isEmpty ?? true {
            let begun = match.action.name + " "
            if palette.text.text == begun, let argument = match.action.argument {
                say(.warning, "\(match.action.name) needs an argument: \(argument)")
            }
            palette.text = TextField(begun)
            palette.cursor = 0
            return []
        }
        if let choice = match.choice, choice.hasSuffix(" ") {
            // The argument needs more text.
            palette.text = TextField("\(match.action.name) \(choice)")
            palette.cursor = 0
            return []
        }
        closeOverlay()
        recents.actions.removeAll { $0 == match.action.name }
        recents.actions.append(match.action.name)
        let effects = palette.place.map { leave($0, for: match.action) } ?? []
        return effects
            + perform(
                match.action, Action.Invocation(argument: match.choice ?? match.argument ?? ""))
    }

    /// Returns to the overlay that the action applies to, unless the action opened another one.
    private mutating func leave(_ place: Overlay, for action: Action) -> [Effect] {
        place.offers(action) ? show(again: place) : []
    }
}

extension PaletteItem {
    /// Whether no later result could be a better match.
    fileprivate var isMeant: Bool {
        guard case .action(let match) = self else { return false }
        return match.score < 2_000_000
    }
}
