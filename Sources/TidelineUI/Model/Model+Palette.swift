import TidelineCore

/// An action that what is typed in the palette may mean.
struct PaletteMatch: Sendable {
    var action: Action
    var score: Int
    /// Whether what is typed is the action's name with its argument.
    var argument: String?
}

extension Model {
    /// The actions that a text may mean, the likeliest first; lately used ones before others.
    func paletteMatches(for text: String) -> [PaletteMatch] {
        // Nothing is called by a name longer than any: a long text can only be an argument.
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, let action = Action.named(String(parts[0])), action.argument != nil {
            return [PaletteMatch(action: action, score: 0, argument: String(parts[1]))]
        }
        var matches: [PaletteMatch] = []
        guard let letters = PaletteName.letters(of: text) else { return [] }
        for (order, action) in Action.all.enumerated() where action.name != "palette" {
            let names = PaletteName.all[order]
            let inName = names.name.score(of: letters)
            let inTitle = names.title.score(of: letters).map { $0 + 20 }
            guard let score = [inName, inTitle].compactMap({ $0 }).min() else { continue }
            let recent = recentActions.lastIndex(of: action.name).map {
                recentActions.count - $0
            }
            let rank = recent ?? 1_000
            // The typed text decides first, then what was used lately, then the help's order.
            matches.append(
                PaletteMatch(action: action, score: score * 1_000_000 + rank * 1_000 + order))
        }
        return matches.sorted { $0.score < $1.score }
    }

    mutating func handle(_ key: Key, in palette: CommandPalette) -> [Effect] {
        var palette = palette
        let matches = paletteMatches(for: palette.field.text)
        switch (key.code, key.modifiers) {
        case (.escape, _), (.character("c"), .control):
            overlay = nil
            return []
        case (.backspace, _) where palette.field.isEmpty:
            overlay = nil
            return []
        case (.down, _), (.character("n"), .control):
            palette.cursor = min(palette.cursor + 1, max(0, matches.count - 1))
        case (.up, _), (.character("p"), .control): palette.cursor = max(0, palette.cursor - 1)
        case (.tab, _):
            if matches.indices.contains(palette.cursor), matches[palette.cursor].argument == nil {
                let action = matches[palette.cursor].action
                palette.field = TextField(action.name + (action.argument == nil ? "" : " "))
                palette.cursor = 0
            }
        case (.enter, _): return accept(palette, matches)
        default: if palette.field.handle(key) { palette.cursor = 0 }
        }
        overlay = .palette(palette)
        return []
    }

    private mutating func accept(_ palette: CommandPalette, _ matches: [PaletteMatch]) -> [Effect] {
        var palette = palette
        let text = palette.field.text
        if let row = Int(text), row > 0 {
            overlay = nil
            focus = .list
            moveToEnd(last: false, row: row)
            return []
        }
        guard matches.indices.contains(palette.cursor) else {
            say(.warning, "there is no action \(text)")
            return []
        }
        let match = matches[palette.cursor]
        if match.action.argument != nil, match.argument?.isEmpty ?? true {
            palette.field = TextField(match.action.name + " ")
            palette.cursor = 0
            overlay = .palette(palette)
            return []
        }
        overlay = nil
        recentActions.removeAll { $0 == match.action.name }
        recentActions.append(match.action.name)
        return perform(match.action, Action.Invocation(argument: match.argument ?? ""))
    }
}
