import Replication

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
        // A comparison doesn't block keys, but Escape cancels it.
        let isComparing = overlay == nil && requests.background != nil
        let isBlocked = mustWait || !pendingInput.waiting.isEmpty || isComparing
        if isBlocked, input == .key(Key(.escape)), canCancelWait { return cancelWait() }
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
            pendingInput.keys + [key], where: { $0.applies(in: self) })
    }

    /// Handles an input with its meaning.
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
            // Actions of time travel explain how to start time travel. The last key of a sequence
            // is never handled alone, so actions of other places also show where they work.
            let past = Action.Scope.panel(.timeline)
            if case .action(let action) = keymap.resolve(
                keys, where: { wasSequence || $0.scope == past })
            {
                return perform(action, Action.Invocation())
            }
            let help = keymap.hint(for: "help")
            let typed = KeyNotation.text(for: keys)
            say(.info, "\(typed) has no function here. Press \(help) for help")
            return []
        }
    }
}
