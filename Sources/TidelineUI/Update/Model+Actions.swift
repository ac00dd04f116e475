import TidelineCore

extension Model {
    /// Returns the reason why a panel's own keys don't apply now; `nil` if they do. The keys of the
    /// timeline, which can't have the focus, apply during time travel.
    func whyNoKeys(of panel: Panel) -> String? {
        if panel == .timeline {
            let key = keymap.hint(for: "time")
            return time == nil ? "only available during time travel. Press \(key) to start" : nil
        }
        return panels.focus == panel ? nil : "another panel has the focus"
    }

    /// Whether an action is available now, wherever it is called from.
    func availability(of action: Action) -> Availability {
        if case .panel(let panel) = action.scope, let reason = whyNoKeys(of: panel) {
            return .unavailable(because: reason)
        }
        if case .panes(let panes) = action.scope, !isIn(panes) {
            return .unavailable(because: "works only in \(panes.joined(separator: ", "))")
        }
        return action.availability(self)
    }

    /// Returns whether an action received its required argument, and shows a warning if it didn't.
    mutating func has(_ argument: String, for name: String) -> Bool {
        guard argument.isEmpty, let wanted = Action.named(name)?.argument else { return true }
        say(.warning, ":\(name) needs an argument: :\(name) \(wanted)")
        return false
    }

    /// Performs an action, or shows why it is unavailable.
    mutating func perform(_ action: Action, _ invocation: Action.Invocation) -> [Effect] {
        if case .unavailable(let reason) = availability(of: action) {
            // The part of a title after a colon or comma explains the action, or names another
            // effect of its key.
            var title = action.title.prefix { $0 != ":" && $0 != "(" && $0 != "," }
            if title.hasSuffix(" ") { title.removeLast() }
            // If both don't fit on one line, the reason is enough.
            let text = "\(title): \(reason)"
            let fits = CharacterWidth.width(of: text) + 2 <= panels.size.columns
            say(.warning, fits ? text : reason)
            return []
        }
        return action.perform(&self, invocation)
    }

    mutating func perform(_ name: String) -> [Effect] {
        actions.named(name).map { perform($0, Action.Invocation()) } ?? []
    }
}
