import TidelineCore

/// A line in which the name of an action, a row or a store is typed, or a command with its argument.
struct CommandPalette: OverlayModule {
    var text = TextField()
    var cursor = 0
    /// The places that were found last, and the name that they were asked for by.
    var found: [Place] = []
    /// How many more there are of them.
    var others = PlacesFound.Others()
    var askedFor: String?
    /// What is in the folder of this store, or in the one that a path is typed of.
    var nearby = Nearby()
    /// Whether the first of what is still looked for is to be gone to.
    var accepts = false
    /// Whether what is typed is to be completed by what is still looked for.
    var completes = false
    /// The paths that completing goes through, once it was asked for.
    var paths: [String] = []
    /// What closing returns to.
    var over: Overlay?

    /// What stands in front of the regions, as far as its actions are offered: not the help, which
    /// tells of what is behind it.
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
        action("palette-accept", "Do what is selected, or go there") { model, palette in
            model.accept(&palette)
        },
        action("palette-close", "Close it") { model, palette in model.goBack(to: palette.over) },
        change("palette-next", "The next line") { $1.move(by: 1, in: $0) },
        change("palette-previous", "The line before") { $1.move(by: -1, in: $0) },
        change("palette-page-down", "A page down") { $1.move(by: 10, in: $0) },
        change("palette-page-up", "A page up") { $1.move(by: -10, in: $0) },
        change("palette-complete", "Complete the name") { model, palette in
            model.complete(&palette)
        },
        action("palette-erase", "Erase; close an empty line") { model, palette in
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
        let isSearching = model.placesRequest != nil && items.isEmpty
        let rect = OverlayFrame.centered(
            columns: min(max(118, area.columns * 2 / 3), area.columns - 2),
            rows: min(max(16, area.rows / 2), max(1, items.count) + 1), in: area)
        let inner = screen.drawFrame(rect, title: "Do or find")
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

    /// What is said where nothing has the name that is typed.
    fileprivate var nothing: String {
        place?.mustBeAnswered == true
            ? "no action of this question is called that; rows wait until it is answered"
            : "no action, row or store is called that"
    }

    /// The columns of the names of actions with their arguments: the titles beside them begin in
    /// one column.
    private static func nameWidth(of items: some Sequence<PaletteItem>, in columns: Int) -> Int {
        let widths = items.compactMap { item in
            if case .action(let match) = item {
                CharacterWidth.width(of: match.name) + 1
            } else {
                nil
            }
        }
        // What is known of a store is short.
        let isShort = items.contains { item in
            if case .action(let match) = item { match.store != nil } else { false }
        }
        let most = isShort ? columns - 22 : columns / 2
        return max(min(widths.max() ?? 0, most), min(21, most)) + 1
    }
}

extension PaletteMatch {
    /// The action with its argument, as it is called or could be.
    fileprivate var name: String {
        action.name + ((choice ?? action.argument).map { " \($0)" } ?? "")
    }
}

extension Screen {
    /// - Parameter behind: The model as it is while the action is done.
    fileprivate mutating func draw(
        _ match: PaletteMatch, in line: Rect, nameWidth: Int, of behind: Model
    ) {
        let action = match.action
        let reason = behind.availability(of: action).reason
        put(
            [(" " + match.name, reason == nil ? .label : .disabled)], at: line.origin,
            maxWidth: nameWidth)
        if match.choice != nil, action.name == Model.pathAction {
            return draw(match.store, in: line, from: nameWidth + 1)
        }
        let key = theme.text(model.keymap.hint(for: action.name))
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

    /// What is known of a store: its kind and size, each in its column.
    private mutating func draw(_ store: NearbyPaths.Entry?, in line: Rect, from column: Int) {
        guard let store, store.path.last != "/" else { return }
        put(
            [(store.kind ?? "not there", .dim)],
            at: Point(column: line.column + column, row: line.row), maxWidth: 10)
        let size = store.size ?? ""
        let width = CharacterWidth.width(of: size)
        put(
            [(size, .dim)], at: Point(column: line.endColumn - width, row: line.row),
            maxWidth: width)
    }

    /// The name, and at the right where it is.
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
    /// Completes what is typed, or says why that is not possible; what waits for the list of a folder
    /// is completed once that is there.
    mutating func complete(_ palette: inout CommandPalette) {
        palette.completes = false
        if let text = completion(of: &palette) {
            palette.text = TextField(text)
            palette.cursor = 0
        } else if isLooking(palette) {
            palette.completes = true
            let folder = palette.nearby.folder ?? ""
            say(.info, "still looking into \(folder.isEmpty ? "this folder" : folder) …")
        } else {
            say(.info, "nothing to complete here")
        }
    }

    /// What is typed, with what is selected or stands first under it.
    private func completion(of palette: inout CommandPalette) -> String? {
        let items = paletteItems(palette)
        guard items.indices.contains(palette.cursor),
            case .action(let match) = items[palette.cursor]
        else { return nil }
        guard match.choice != nil || match.argument == nil else {
            if match.action.name == Self.pathAction, let typed = match.argument {
                return nextPath(after: typed, in: &palette).map { "\(match.action.name) \($0)" }
            }
            // What stands under a typed command completes it.
            guard items.count > 1, case .action(let next) = items[1], let choice = next.choice
            else { return nil }
            return "\(next.action.name) \(choice)"
        }
        return match.action.name
            + (match.action.argument == nil ? "" : " \(match.choice ?? "")")
    }

    /// The first path that a typed one may go on with, or the one after that which was put there
    /// before.
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
            focus = .list
            selectInList(row - 1)
            return []
        }
        if placesRequest != nil, palette.cursor == 0, !mustBeAnswered,
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
                say(.warning, "\(match.action.name): type \(argument) behind it")
            }
            palette.text = TextField(begun)
            palette.cursor = 0
            return []
        }
        closeOverlay()
        recentActions.removeAll { $0 == match.action.name }
        recentActions.append(match.action.name)
        let effects = palette.place.map { leave($0, for: match.action) } ?? []
        return effects
            + perform(
                match.action, Action.Invocation(argument: match.choice ?? match.argument ?? ""))
    }

    /// Shows again what an action is about; anything else is left for it.
    private mutating func leave(_ place: Overlay, for action: Action) -> [Effect] {
        place.offers(action) ? show(again: place) : []
    }
}

extension PaletteItem {
    /// Whether nothing that is found later can be meant rather than this.
    fileprivate var isMeant: Bool {
        guard case .action(let match) = self else { return false }
        return match.score < 2_000_000
    }
}
