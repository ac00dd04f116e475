import TidelineCore

extension Model {
    /// The keys and actions in the footer, most useful first. Unavailable actions are left out,
    /// unless only because the row is still loading: hints shouldn't flicker with every cursor
    /// move.
    var hints: [Hint] {
        if let overlay {
            let key = helpKey(in: overlay.module)
            let help = key.isEmpty || overlay.kind == .help ? [] : [Hint(keys: key, title: "keys")]
            return overlay.module.hints(in: context) + help
        }
        let region = time == nil ? panels.focus : .timeline
        return region.module.hints(in: self).compactMap { name in
            guard let action = actions.named(name) else { return nil }
            let reason = availability(of: action).reason
            guard reason == nil || reason == InspectorRegion.isBeingRead else { return nil }
            return preferences.keymap.hint(name, title: shortTitle(of: name))
        }
    }

    /// Returns the short name of an action in the footer, depending on what its key does now.
    private func shortTitle(of action: String) -> String {
        if action == "pause", regions.events.isPaused { return "resume" }
        if action == "enter", panels.focus == .inspector,
            let word = InspectorRegion.opening(in: self)
        {
            return word
        }
        return Self.shortTitles[action] ?? action
    }

    private static let shortTitles = [
        "step-back": "earlier", "step-forward": "later", "week-back": "week",
        "next-conflict": "next≠", "mark-a": "mark A", "mark-b": "mark B",
        "compare-marks": "compare", "enter": "open",
        "next-region": "focus", "next-pane": "next tab", "help": "keys",
        "count-up": "count up", "count-down": "down", "keep-query": "keep",
        "resolve-many": "resolve many",
    ]
}
