import TidelineCore

/// A line in which the name of an action or a command with its argument is typed.
struct CommandPalette: OverlayModule {
    var text = TextField()
    var cursor = 0

    static let kind = Overlay.Kind.palette
    static let group = Action.Group.palette
    var overlay: Overlay { .palette(self) }
    var field: TextField? {
        get { text }
        set { text = newValue ?? TextField() }
    }

    static let actions: [Action] = [
        action("palette-accept", "Do what is selected") { model, palette in
            model.accept(&palette)
        },
        change("palette-close", "Close it") { model, _ in model.closeOverlay() },
        change("palette-next", "The next action") { model, palette in
            let count = model.paletteMatches(for: palette.text.text).count
            palette.cursor = min(palette.cursor + 1, max(0, count - 1))
        },
        change("palette-previous", "The action before") { _, palette in
            palette.cursor = max(0, palette.cursor - 1)
        },
        action("palette-complete", "Complete the name") { model, palette in
            let matches = model.paletteMatches(for: palette.text.text)
            guard matches.indices.contains(palette.cursor),
                matches[palette.cursor].argument == nil
            else { return [] }
            let action = matches[palette.cursor].action
            palette.text = TextField(action.name + (action.argument == nil ? "" : " "))
            palette.cursor = 0
            return []
        },
        change("palette-erase", "Erase; close an empty line") { model, palette in
            if palette.text.isEmpty {
                model.closeOverlay()
            } else {
                palette.text.apply(.eraseBackwards)
                palette.cursor = 0
            }
        },
    ]

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("palette-accept", title: "do"),
            model.hint("palette-complete", title: "complete"),
            model.hint("palette-close", title: "close"),
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in model: inout Model) { cursor = 0 }

    func draw(on screen: inout Screen) {
        let (model, theme) = (screen.model, screen.theme)
        let size = screen.surface.size
        let matches = model.paletteMatches(for: text.text)
        let rect = OverlayFrame.centered(
            columns: min(76, size.columns - 2), rows: min(16, matches.count + 1), size: size)
        let inner = screen.drawFrame(rect, title: "Do")
        screen.surface.put(":", at: inner.origin, style: theme[.prompt])
        screen.draw(
            text,
            in: Rect(
                column: inner.column + 1, row: inner.row, columns: inner.columns - 1, rows: 1),
            isActive: true)
        let rows = inner.rows - 1
        guard rows > 0 else { return }
        let first = max(0, cursor - rows + 1)
        for (row, match) in matches.dropFirst(first).prefix(rows).enumerated() {
            let line = inner.line(1 + row)
            let action = match.action
            let reason = model.availability(of: action).reason
            let name = action.name + (action.argument.map { " \($0)" } ?? "")
            let nameWidth = min(22, line.columns / 2)
            screen.put(
                [(" " + name, reason == nil ? .label : .disabled)], at: line.origin,
                maxWidth: nameWidth)
            let key = theme.text(model.keymap.hint(for: action.name))
            let keyWidth = CharacterWidth.width(of: key)
            screen.put(
                [
                    (model.title(of: action), reason == nil ? .plain : .disabled),
                    (reason.map { "  (\($0))" } ?? "", .dim),
                ], at: Point(column: line.column + nameWidth + 1, row: line.row),
                maxWidth: line.columns - nameWidth - 2 - keyWidth)
            screen.surface.put(
                key, at: Point(column: line.endColumn - keyWidth, row: line.row),
                style: theme[.keyName])
            if first + row == cursor { screen.surface.bar(line, theme[.menuSelection]) }
        }
    }
}

extension Model {
    fileprivate mutating func accept(_ palette: inout CommandPalette) -> [Effect] {
        let matches = paletteMatches(for: palette.text.text)
        let text = palette.text.text
        if let row = Int(text), row > 0 {
            closeOverlay()
            focus = .list
            selectInList(row - 1)
            return []
        }
        guard matches.indices.contains(palette.cursor) else {
            say(.warning, "there is no action \(text)")
            return []
        }
        let match = matches[palette.cursor]
        if match.action.needsArgument, match.argument?.isEmpty ?? true {
            palette.text = TextField(match.action.name + " ")
            palette.cursor = 0
            return []
        }
        closeOverlay()
        recentActions.removeAll { $0 == match.action.name }
        recentActions.append(match.action.name)
        return perform(match.action, Action.Invocation(argument: match.argument ?? ""))
    }
}
