import Replication
import TidelineCore

/// An action that matches the text in the palette.
struct PaletteMatch: Sendable {
    var action: Action
    var score: Int
    /// Whether the text is the action's name with an argument.
    var argument: String?
    /// A suggested argument.
    var choice: String?
    /// Details of the store, if the argument is the path of one.
    var store: NearbyPaths.Entry?
    /// The meaning of the suggested argument, if it isn't obvious.
    var note: String?
    /// The title of the action for the current selection.
    var title = ""
    /// The reason why the action is unavailable.
    var reason: String?
}

extension Model {
    /// Returns the actions that match a text, best first. Recently used actions come before others.
    ///
    /// - Parameters:
    ///   - nearby: The paths that complete the text.
    ///   - place: The open overlay, whose actions come first.
    func paletteMatches(
        for text: String, nearby: NearbyPaths = NearbyPaths(), over place: Overlay? = nil
    ) -> [PaletteMatch] {
        matches(for: text, nearby: nearby, over: place).filter { offers($0.action, over: place) }
    }

    /// Returns whether the palette offers an action while an overlay is open.
    private func offers(_ action: Action, over place: Overlay?) -> Bool {
        if place?.offers(action) == true { return true }
        return action.isGlobal && action.name != "palette" && place?.mustBeAnswered != true
    }

    /// Returns the items of a palette, with each action's title and availability in the place where
    /// the palette was opened.
    func describedItems(_ palette: CommandPalette) -> [PaletteItem] {
        var behind = self
        behind.overlay = palette.place
        return paletteItems(palette).map { item in
            guard case .action(var match) = item else { return item }
            match.title = title(of: match.action)
            match.reason = behind.whyUnavailable(match.action)
            return .action(match)
        }
    }

    /// Runs an action that the palette found. If the action belongs to the overlay behind the
    /// palette, this overlay is opened again first.
    mutating func run(_ name: String, argument: String, over place: Overlay?) -> [Effect] {
        guard let action = keymap.action(named: name) else { return [] }
        recents.actions.removeAll { $0 == name }
        recents.actions.append(name)
        let effects = place.flatMap { $0.offers(action) ? open($0) : nil } ?? []
        return effects + perform(action, Action.Invocation(argument: argument))
    }

    private func matches(
        for text: String, nearby: NearbyPaths, over place: Overlay?
    ) -> [PaletteMatch] {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, let action = Action.named(String(parts[0])), action.argument != nil {
            let typed = PaletteMatch(action: action, score: 0, argument: String(parts[1]))
            if action.name == "relate" {
                return [typed] + relationChoices(of: action, for: String(parts[1]))
            }
            let choices = choices(
                of: action, for: String(parts[1]), typed: String(parts[1]), nearby: nearby)
            return [typed] + choices
        }
        var matches: [PaletteMatch] = []
        guard let letters = PaletteName.letters(of: text) else { return [] }
        let known = PaletteName.all + keymap.commands.map { PaletteName.names(of: $0.action) }
        for (order, action) in keymap.actions.enumerated() where offers(action, over: place) {
            let names = known[order]
            let inName = names.name.score(of: letters)
            let inTitle = names.title.score(of: letters).map { $0 + 20 }
            guard let score = [inName, inTitle].compactMap({ $0 }).min() else { continue }
            let recent = recents.actions.lastIndex(of: action.name).map {
                recents.actions.count - $0
            }
            let isOwn = place?.offers(action) == true
            let rank = isOwn ? (action.isGlobal ? 1 : 0) : recent.map { $0 + 1 } ?? 1_000
            // Sort by match, then by recent use, then in help order. If nothing is typed, actions
            // with well-known keys come last.
            let isPlain =
                letters.isEmpty && recent == nil && [.moving, .panes].contains(action.group)
            matches.append(
                PaletteMatch(
                    action: action,
                    score: (score + (isPlain ? 1 : 0)) * 1_000_000 + rank * 1_000 + order))
        }
        if let action = Action.named(text), action.argument != nil {
            // The action without arguments comes first.
            matches += choices(of: action, for: "", typed: nil, nearby: nearby).map {
                PaletteMatch(action: action, score: $0.score + 1_000_000, choice: $0.choice)
            }
        }
        if !letters.isEmpty {
            for name in ["pane", "theme"] where name != text {
                guard let action = Action.named(name) else { continue }
                matches += choices(of: action, for: text, typed: nil)
            }
        }
        return matches.sorted { $0.score < $1.score }
    }

    /// Returns the suggested arguments that match a text.
    private func choices(
        of action: Action, for text: String, typed: String?,
        nearby: NearbyPaths = NearbyPaths()
    ) -> [PaletteMatch] {
        guard let letters = PaletteName.letters(of: text) else { return [] }
        let isPath = CommandPalette.takesPath(action.name)
        var all = possibleArguments(of: action)
        if isPath {
            if let typed {
                let head = CommandPalette.typedPath(in: typed).head
                all += nearby.inFolder.map { head + $0.path }
            }
            all = nearby.different(all, than: [session.path])
        }
        return all.enumerated().compactMap { order, choice in
            guard choice != typed, let score = PaletteName(choice).score(of: letters) else {
                return nil
            }
            return PaletteMatch(
                action: action, score: score * 1_000_000 + 900_000 + order, argument: typed,
                choice: choice, store: isPath && typed != nil ? nearby[choice] : nil)
        }.sorted { $0.score < $1.score }
    }

    private func possibleArguments(of action: Action) -> [String] {
        switch action.name {
        case "pane": navigation.panes.map(\.lists[0].source.title) + [Self.eventsTitle]
        case "theme": preferences.themes
        case "device": session.status.devices.map(\.id.name)
        case "alert": session.status.devices.filter { !$0.isOwn }.map { "device:\($0.id.name)" }
        case "export": exportsOffered
        case "column": columnChangesOffered
        case _ where action.group == .lists: commandChoices(of: action)
        case "frequency": (list?.source.columns ?? []).map(\.typedName)
        case _ where CommandPalette.storeActions.contains(action.name): recents.stores
        default: []
        }
    }

    private func commandChoices(of action: Action) -> [String] {
        let command = ListCommand.standard.first { $0.name == action.name }
        return command.flatMap(offer(of:))?.choices ?? []
    }

    /// Each format, with a file named after the list.
    private var exportsOffered: [String] {
        let title = panels.focus == .events ? Self.eventsTitle : list?.source.title
        let name = (title ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
            .joined(separator: "-")
        guard !name.isEmpty else { return [] }
        return ExportFormat.allCases.map { "\($0.rawValue) \(name).\($0.rawValue)" }
    }

    /// For each column, the change that hides or shows it.
    private var columnChangesOffered: [String] {
        (list?.source.columns ?? []).map { column in
            let isHidden = list?.columnView.hidden.contains(column.id) == true
            return "\(column.typedName) \(isHidden ? "show" : "hide")"
        }
    }

    private static let eventsTitle = "Events"
}
