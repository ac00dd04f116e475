import TidelineCore

extension Model {
    /// Gives a key to what stands in front.
    mutating func handle(_ key: Key, in overlay: Overlay) -> [Effect] {
        if key == .character("c", .control), overlay.isLeftByInterrupt { return leave(.quit) }
        switch overlay {
        case .prompt(let prompt): return handle(key, in: prompt)
        case .palette(let palette): return handle(key, in: palette)
        case .menu(let menu): return handle(key, in: menu)
        case .help(let help): handle(key, in: help)
        case .field(let editor): return handle(key, in: editor)
        case .preview(let review): return handle(key, in: review)
        case .moved(let moved): return handle(key, in: moved)
        case .conflict(let view): return handle(key, in: view)
        case .reopen(let reopening): return handle(key, in: reopening)
        case .journal(let cursor): return handle(key, inJournalAt: cursor)
        case .quit(let outcome, _, let over):
            if key.code == .character("y") { return [.terminal(.leave(outcome))] }
            self.overlay = over
        }
        return []
    }

    /// Puts pasted text where text is typed; elsewhere it is not taken for keys.
    mutating func paste(_ text: String) -> [Effect] {
        if let limit = pasteLimit, text.utf8.count > limit {
            say(
                .warning,
                "nothing was pasted: \(TextParts.grouped(text.utf8.count)) bytes are more than the "
                    + "\(TextParts.grouped(limit)) that fit here")
            return []
        }
        switch overlay {
        case .prompt(var prompt):
            prompt.field.insert(Self.oneLine(text))
            overlay = .prompt(prompt)
            return promptChanged(prompt)
        case .palette(var palette):
            palette.field.insert(Self.oneLine(text))
            palette.cursor = 0
            overlay = .palette(palette)
        case .field(var editor):
            if editor.part == .name { editor.name.insert(text) } else { editor.value.insert(text) }
            editor.problem = nil
            overlay = .field(editor)
        case .help(var help) where help.isFiltering:
            help.filter.insert(text)
            overlay = .help(help)
        default: say(.info, "pasted text goes into fields only")
        }
        return []
    }

    /// How many bytes can be pasted into the field that is open: a line for a name, a filter or a
    /// command; a value may be longer, and a long one is better edited in an editor.
    private var pasteLimit: Int? {
        switch overlay {
        case .prompt, .palette, .help: 4_096
        case .field(let editor): editor.part == .name ? 4_096 : 65_536
        default: nil
        }
    }

    /// A text without line ends, for a field of one line.
    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    // MARK: Filter and search

    private mutating func handle(_ key: Key, in prompt: Prompt) -> [Effect] {
        var prompt = prompt
        switch (key.code, key.modifiers) {
        case (.escape, _), (.character("c"), .control):
            overlay = nil
            if case .filter(let before) = prompt.purpose, let list, list.latestQuery != before {
                setFilter(before.filter)
            }
            withList { $0.filterProblem = nil }
            return []
        case (.enter, _): return accept(prompt)
        case (.up, _), (.character("p"), .control): recall(1, in: &prompt)
        case (.down, _), (.character("n"), .control): recall(-1, in: &prompt)
        default:
            guard prompt.field.handle(key) else { return [] }
            prompt.historyDepth = 0
        }
        overlay = .prompt(prompt)
        return promptChanged(prompt)
    }

    private mutating func promptChanged(_ prompt: Prompt) -> [Effect] {
        if case .filter = prompt.purpose, let list, list.latestQuery.filter != prompt.field.text {
            setFilter(prompt.field.text)
        }
        return []
    }

    private mutating func accept(_ prompt: Prompt) -> [Effect] {
        let text = prompt.field.text
        switch prompt.purpose {
        case .filter:
            if let problem = list?.filterProblem {
                // The filter stays open: what is shown is not what is written there.
                say(.error, problem.message)
                return []
            }
            overlay = nil
            remember(text, in: \.filterHistory)
        case .search(let backwards):
            overlay = nil
            remember(text, in: \.searchHistory)
            withList { $0.searchText = text }
            focus = .list
            search(backwards: backwards)
        }
        return []
    }

    private mutating func remember(
        _ text: String, in history: WritableKeyPath<Model, [String]>
    ) {
        guard !text.isEmpty else { return }
        self[keyPath: history].removeAll { $0 == text }
        self[keyPath: history].append(text)
        if self[keyPath: history].count > 100 { self[keyPath: history].removeFirst() }
    }

    private func recall(_ step: Int, in prompt: inout Prompt) {
        let history =
            if case .filter = prompt.purpose { filterHistory } else { searchHistory }
        let depth = max(0, min(prompt.historyDepth + step, history.count))
        guard depth != prompt.historyDepth else { return }
        prompt.historyDepth = depth
        prompt.field = TextField(depth == 0 ? "" : history[history.count - depth])
    }

    // MARK: Menus

    private mutating func handle(_ key: Key, in menu: Menu) -> [Effect] {
        var menu = menu
        switch (key.code, key.modifiers) {
        case (.escape, _), (.character("q"), []):
            overlay = nil
            return []
        case (.down, _), (.character("j"), []), (.tab, _):
            menu.cursor = min(menu.cursor + 1, max(0, menu.items.count - 1))
        case (.up, _), (.character("k"), []), (.backTab, _): menu.cursor = max(0, menu.cursor - 1)
        case (.home, _): menu.cursor = 0
        case (.end, _): menu.cursor = max(0, menu.items.count - 1)
        case (.enter, _): return choose(menu.cursor, of: menu)
        case (.character(let character), []):
            guard let number = character.wholeNumberValue, number >= 1 else { return [] }
            return choose(number - 1, of: menu)
        default: return []
        }
        overlay = .menu(menu)
        return []
    }

    mutating func choose(_ index: Int, of menu: Menu) -> [Effect] {
        guard menu.items.indices.contains(index) else { return [] }
        let item = menu.items[index]
        if let reason = item.availability.reason {
            say(.warning, "\(item.title): \(reason)")
            return []
        }
        overlay = nil
        switch item.choice {
        case .sort(let sort):
            guard var query = list?.latestQuery else { return [] }
            query.sort = sort
            withList { $0.show(query) }
            return []
        case .copy(let form): return [.terminal(.copy(form.text, name: form.name))]
        case .action(let name):
            guard let action = Action.named(name) else { return [] }
            return perform(action, Action.Invocation())
        }
    }

    // MARK: Help and the journal

    private mutating func handle(_ key: Key, in help: Help) {
        var help = help
        let page = max(1, size.rows - 4)
        switch (key.code, key.modifiers) {
        case (.escape, _) where help.isFiltering:
            help.isFiltering = false
            help.filter = TextField()
        case (.enter, _) where help.isFiltering: help.isFiltering = false
        case (.escape, _):
            overlay = nil
            return
        case (.down, _): help.top += 1
        case (.up, _): help.top -= 1
        case (.pageDown, _): help.top += page
        case (.pageUp, _): help.top -= page
        case (.home, _): help.top = 0
        case (.end, _): help.top = .max
        default:
            if help.isFiltering {
                if help.filter.handle(key) { help.top = 0 }
                break
            }
            switch key.code {
            case .character("q"), .character("?"):
                overlay = nil
                return
            case .character("j"): help.top += 1
            case .character("k"): help.top -= 1
            case .character(" "): help.top += page
            case .character("g"): help.top = 0
            case .character("G"): help.top = .max
            case .character("/"): help.isFiltering = true
            default: break
            }
        }
        help.top = max(0, min(help.top, helpLines(filter: help.filter.text).count - 1))
        overlay = .help(help)
    }

    private mutating func handle(_ key: Key, inJournalAt cursor: Int) -> [Effect] {
        let last = max(0, journal.entries.count - 1)
        switch key.code {
        case .escape, .character("q"), .character("@"): overlay = nil
        case .down, .character("j"): overlay = .journal(cursor: min(cursor + 1, last))
        case .up, .character("k"): overlay = .journal(cursor: max(0, min(cursor, last) - 1))
        case .home, .character("g"): overlay = .journal(cursor: 0)
        case .end, .character("G"): overlay = .journal(cursor: last)
        case .enter, .character("z"):
            guard journal.entries.indices.contains(cursor) else { break }
            let entry = journal.entries[cursor]
            if let reason = canTakeBack(entry).reason {
                say(.warning, reason)
                break
            }
            overlay = nil
            return previewUndo(of: entry, entry.direction == .undo ? .redo : .undo)
        default: break
        }
        return []
    }
}

extension Overlay {
    /// Whether ^C means to leave the program; where a line is typed, it leaves the line.
    fileprivate var isLeftByInterrupt: Bool {
        switch self {
        case .prompt, .palette, .quit: false
        default: true
        }
    }
}
