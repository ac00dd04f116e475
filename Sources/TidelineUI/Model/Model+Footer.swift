import TidelineCore

/// The texts of the footer.
extension Model {
    /// The count and the keys of an incomplete command, followed by an ellipsis. Starts with
    /// another ellipsis if keys wait for an answer.
    var typedKeys: String {
        let typed =
            (pendingInput.count.map(String.init) ?? "") + KeyNotation.text(for: pendingInput.keys)
        return (mustWait ? "… " : "") + (typed.isEmpty ? "" : "\(typed)…  ")
    }

    /// Returns the keys and actions in the footer, most useful first. Unavailable actions are left
    /// out. Actions that are unavailable only until the row has loaded are kept, because hints
    /// shouldn't flicker with every cursor move.
    func hints(in context: ScreenContext) -> [Hint] {
        if let overlay {
            let key = helpKey(in: overlay.module)
            let help = key.isEmpty || overlay.module is Help ? [] : [Hint(keys: key, title: "keys")]
            return overlay.module.hints(in: context) + help
        }
        let module = panelStates[time == nil ? panels.focus : .timeline]
        var names = module.hints(in: context)
        // Held events make the screen out of date, so the key that releases them comes first.
        if time == nil, panelStates.events.isPaused, !names.contains("pause") {
            names.insert("pause", at: 0)
        }
        return names.compactMap { name in
            guard let action = keymap.action(named: name) else { return nil }
            let reason = whyUnavailable(action)
            guard reason == nil || reason == InspectorPanel.isBeingRead else { return nil }
            let title = shortTitle(of: name, in: context)
            // The footer shows both directions of a step as one hint.
            guard name == "week-back" else { return keymap.hint(name, title: title) }
            return keymap.hint(name, "week-forward", title: title)
        }
    }

    /// Returns the short name of an action in the footer, depending on what its key does now.
    private func shortTitle(of action: String, in context: ScreenContext) -> String {
        if action == "pause", panelStates.events.isPaused { return "resume" }
        if action == "back" { return backTitle }
        if action == "follow", panelStates.list.isFollowing { return "stop following" }
        if action == "compare-marks" {
            let timeline = panelStates.timeline
            let hasBoth = timeline.markA != nil && timeline.markB != nil
            return hasBoth ? "compare A and B" : "compare with now"
        }
        if action == "enter", panels.focus == .list, list?.selectedRow?.outerFilter != nil {
            return "filter by this"
        }
        if action == "enter", panels.focus == .inspector,
            let word = panelStates.inspector.opening(in: context)
        {
            return word
        }
        return Self.shortTitles[action] ?? action
    }

    /// The short name of the next effect of `back` in the focused panel.
    private var backTitle: String {
        switch panels.focus {
        case .list:
            guard let list else { return "back" }
            if list.rangeAnchor != nil || !list.chosen.isEmpty { return "unmark" }
            return list.hasTypedFilter && !returnsToValues ? "clear filter" : "back"
        case .events: return panelStates.events.filter.isEmpty ? "back" : "clear filter"
        case .sidebar, .inspector, .conflicts, .timeline: return "back"
        }
    }

    private static let shortTitles = [
        "step-back": "earlier", "step-forward": "later", "week-back": "week",
        "next-conflict": "next≠", "mark-a": "mark A", "mark-b": "mark B",
        "enter": "open",
        "next-region": "next panel", "next-pane": "next tab", "help": "keys",
        "count-up": "count up", "count-down": "down", "keep-query": "save",
        "resolve-many": "resolve many", "take-over": "copy over", "authors": "writers",
    ]
}
