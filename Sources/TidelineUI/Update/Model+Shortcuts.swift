import TidelineCore

extension Model {
    /// Returns all keyboard shortcuts with their current keys.
    ///
    /// - Parameter over: The overlay whose keys come first, without keys that the overlay hides. If
    ///   `nil`, the keys of the focused panel come first.
    func shortcuts(over: Overlay?) -> [HelpSection] {
        let every = keymap.actions.filter { action in
            guard let over, action.scope == .overlay(over.kind) else { return true }
            return over.offers(action) && !over.module.isIdle(action)
        }
        let near =
            over.map { over in every.filter { $0.scope == .overlay(over.kind) }.map(\.group) }
            ?? groupsOfMode
        let groups = (near + Action.Group.allCases).uniqued()
        let sections = groups.map { group in
            let passing = Overlay.modules.filter { $0.group == group }.flatMap { $0.passes }
            let listed = every.filter { $0.group == group } + passing.compactMap(Action.named)
            return HelpSection(title: group.title, entries: listed.compactMap(shortcut))
        }
        let isInEvents = panels.focus == .events
        let known = isInEvents ? EventLine.fields : list?.source.filterFields ?? []
        let fields = known.map {
            HelpSection.Entry(
                keys: ($0.names.first ?? $0.name) + ":", title: "for example \($0.example)")
        }
        return sections + [
            HelpSection(title: "Marks in the margin", entries: Self.marks),
            HelpSection(title: "Counts and mouse", entries: Self.otherShortcuts),
            HelpSection(
                title: isInEvents ? "Filter fields in Events" : "Filter fields in this list",
                entries: fields + (known.isEmpty ? [] : [Self.caseHelp])),
        ]
    }

    private var groupsOfMode: [Action.Group] {
        if panels.focus == .events { return [.live] }
        let isAboutConflicts = pane?.listsConflicts == true
        return (time == nil ? [] : [.time]) + (isAboutConflicts ? [.conflicts] : [])
            + [.rows, .editing]
    }

    private func shortcut(of action: Action) -> HelpSection.Entry? {
        var keys = keymap.keys(for: action.name).map { KeyNotation.text(for: $0) }
        if let argument = action.argument { keys.append(":\(action.name) \(argument)") }
        if keys.isEmpty, [.commands, .lists].contains(action.group) { keys = [":\(action.name)"] }
        guard !keys.isEmpty else { return nil }
        // Actions of dialogs need no reason, because the user sees whether the dialog is open.
        let reason = action.isGlobal ? whyUnavailable(action) : nil
        return HelpSection.Entry(
            keys: keys.joined(separator: " "), title: numberedTitle(of: action), reason: reason,
            name: action.name)
    }

    /// Returns the title of an action. For a number key, adds the name of its tab.
    private func numberedTitle(of action: Action) -> String {
        let pane = navigation.panes.first { pane in
            pane.number.map { "pane-\($0)" } == action.name
        }
        return action.title + (pane.map { ": \($0.lists[0].source.title)" } ?? "")
    }

    private static let caseHelp = HelpSection.Entry(
        keys: "A…Z",
        title: "capital letters make the match case-sensitive; = matches the exact text")

    private static let marks: [HelpSection.Entry] = [
        .init(keys: "≠", title: "in conflict, or with conflicts inside"),
        .init(keys: "≈", title: "in a conflict that you ignore"),
        .init(keys: "+ ~ -", title: "added, changed or deleted in the last minute"),
        .init(keys: "~", title: "in time travel: differs from now"),
        .init(keys: "◆", title: "with an alert"),
        .init(keys: "*", title: "marked"),
    ]

    private static let otherShortcuts: [HelpSection.Entry] = [
        .init(keys: "M-1 … M-9", title: "start a count: M-2 0 j moves down 20"),
        .init(keys: "click", title: "select a row, or sort by a column"),
        .init(keys: "double-click", title: "open a row"),
        .init(keys: "wheel", title: "scroll"),
    ]
}
