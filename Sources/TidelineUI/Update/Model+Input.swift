import Replication
import TidelineCore

extension Model {
    mutating func receive(_ input: Input) -> [Effect] {
        if case .resize(let columns, let rows) = input {
            resize(to: Size(columns: columns, rows: rows))
            return []
        }
        if pendingInput.isLeft {
            pendingInput.hold(input)
            return []
        }
        pendingInput.lastTime = now
        // The user has seen the path in a message.
        keptTextPath = nil
        if Layout.isTooSmall(panels.size) {
            // Nothing is visible at this size, so only quitting is possible.
            guard case .key(let key) = input, overlay == nil,
                case .action(let action) = keymap.resolve(
                    [key], where: { ["quit", "suspend"].contains($0.name) })
            else { return [] }
            return perform(action, Action.Invocation())
        }
        if time?.playing != nil { return change(\.timeline) { $0.stopPlaying(in: $1) } }
        pendingInput.isOnTour = notice == nil && tourText != nil
        pendingInput.closedNotice = notice?.kind
        notice = nil
        if input == .key(Key(.escape)), canCancelWait { return cancelWait() }
        let meaning = meaning(of: input)
        if holdIfNeeded(input, meaning: meaning) { return [] }
        navigation.conflictJump = nil
        return act(on: input, meaning: meaning)
    }

    /// Returns the meaning of the keys typed so far, including `input`; `nil` if `input` isn't a
    /// key, or if an overlay handles it.
    func meaning(of input: Input) -> Keymap.Resolution? {
        guard case .key(let key) = input, overlay == nil else { return nil }
        return keymap.resolve(
            pendingInput.keys + [key], where: { whyOutOfScope($0.scope) == nil })
    }

    /// Handles an input, given its meaning from ``meaning(of:)``.
    mutating func act(on input: Input, meaning: Keymap.Resolution?) -> [Effect] {
        defer { continueTour(after: input) }
        switch input {
        case .resize: return []
        case .paste(let text): return paste(text)
        case .mouse(let event): return receive(event)
        case .key(let key):
            if let overlay { return handle(key, in: overlay) }
            return receive(key, meaning: meaning)
        }
    }

    private mutating func resize(to size: Size) {
        panels.size = size
        revealSelections()
        overlay?.changeFirst(where: { (_: CommandOutput) in true }) {
            $0.wrap(columns: size.columns)
        }
        commands.finished?.wrap(columns: size.columns)
    }

    private mutating func receive(_ key: Key, meaning: Keymap.Resolution?) -> [Effect] {
        if case .character(let character) = key.code, let digit = character.wholeNumberValue,
            character.isASCII, pendingInput.keys.isEmpty,
            key.modifiers == .alt || (key.modifiers.isEmpty && pendingInput.count != nil)
        {
            pendingInput.count = min((pendingInput.count ?? 0) * 10 + digit, 999_999_999)
            return []
        }
        if key.code == .escape, pendingInput.count != nil || !pendingInput.keys.isEmpty {
            pendingInput.clearSequence()
            return []
        }
        let keys = pendingInput.keys + [key]
        switch meaning {
        case .incomplete:
            pendingInput.keys = keys
            return []
        case .action(let action):
            let invocation = Action.Invocation(count: pendingInput.count)
            pendingInput.clearSequence()
            return perform(action, invocation)
        case .nothing, nil:
            let wasSequence = !pendingInput.keys.isEmpty
            pendingInput.clearSequence()
            // Perform an action that doesn't apply here, so that it reports why. Outside of time
            // travel, the actions of time travel explain how to start it. For a sequence of keys,
            // actions of other panels and panes show where they work.
            let past = Action.Scope.panel(.timeline)
            if case .action(let action) = keymap.resolve(
                keys, where: { $0.scope == past || wasSequence && $0.isGlobal })
            {
                return perform(action, Action.Invocation())
            }
            let help = keymap.hint(for: "help")
            let typed = KeyNotation.text(for: keys)
            return say(.info, "\(typed) has no function here; press \(help) for help")
        }
    }
}

/// The availability of actions.
extension Model {
    /// Returns the reason why actions with a scope don't apply now; `nil` if they do.
    func whyOutOfScope(_ scope: Action.Scope) -> String? {
        switch scope {
        case .everywhere: nil
        case .panel(let panel): whyNoKeys(of: panel)
        case .counter: whyNoCounter
        case .panes(let panes):
            isIn(panes) ? nil : "works only in \(panes.joined(separator: ", "))"
        case .overlay(let kind): overlay?.kind == kind ? nil : kind.whyNotOpen
        case .typing: overlay?.module.field == nil ? "no text field is active" : nil
        case .overlays: overlay == nil ? "no dialog is open" : nil
        }
    }

    /// Returns the reason why a panel's own keys don't apply now; `nil` if they do. The keys of the
    /// timeline, which can't have the focus, apply during time travel.
    func whyNoKeys(of panel: Panel) -> String? {
        if panel == .timeline {
            let key = keymap.hint(for: "time")
            return time == nil ? "only available during time travel; press \(key) to start" : nil
        }
        return panels.focus == panel ? nil : "another panel has the focus"
    }

    /// Returns the reason why an action is unavailable now, wherever it is called from; `nil` if it
    /// is available.
    func whyUnavailable(_ action: Action) -> String? {
        whyOutOfScope(action.scope) ?? action.unavailable(self)
    }

    /// Returns whether an action received its required argument, and shows a warning if it didn't.
    mutating func hasArgument(_ argument: String, of name: String) -> Bool {
        guard argument.isEmpty, let wanted = Action.named(name)?.argument else { return true }
        say(.warning, ":\(name) needs an argument: :\(name) \(wanted)")
        return false
    }

    /// Performs an action, or shows why it is unavailable.
    mutating func perform(_ action: Action, _ invocation: Action.Invocation) -> [Effect] {
        if let reason = whyUnavailable(action) {
            // The part of a title after a colon or comma explains the action, or names another
            // effect of its key.
            var title = action.title.prefix { $0 != ":" && $0 != "(" && $0 != "," }
            if title.hasSuffix(" ") { title.removeLast() }
            // If the title and the reason don't fit on one line, show only the reason.
            let text = "\(title): \(reason)"
            let fits = CharacterWidth.width(of: text) + 2 <= panels.size.columns
            return say(.warning, fits ? text : reason)
        }
        return action.perform(&self, invocation)
    }

    mutating func perform(_ name: String) -> [Effect] {
        keymap.action(named: name).map { perform($0, Action.Invocation()) } ?? []
    }
}
