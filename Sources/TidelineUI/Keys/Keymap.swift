/// The table of key bindings, shared by input, footer, help and palette.
public struct Keymap: Hashable, Sendable {
    struct Binding: Hashable, Sendable {
        var keys: [Key]
        var action: String
    }

    enum Resolution {
        case action(Action)
        /// The keys are the start of a longer sequence.
        case incomplete
        case nothing

        var action: Action? { if case .action(let action) = self { action } else { nil } }
    }

    private(set) var bindings: [Binding]
    /// The commands of the user, which keys can call like the program's own actions.
    private(set) var commands: [CustomCommand] = []

    /// The default bindings.
    public static let standard = Keymap(table: standardTable)

    private init(table: [(String, [String])]) {
        bindings = table.flatMap { action, notations in
            notations.compactMap { notation in
                KeyNotation.keys(in: notation).map { Binding(keys: $0, action: action) }
            }
        }
    }

    /// Returns this keymap with the given actions rebound.
    ///
    /// - Parameter overrides: Keys by action name. An empty array unbinds the action. Other actions
    ///   of the same scope lose these keys.
    /// - Returns: The keymap, and a message for each override that couldn't be applied.
    func overridden(
        by overrides: [String: [String]]
    ) -> (keymap: Keymap, problems: [String]) {
        var keymap = self
        var problems: [String] = []
        for (name, notations) in overrides.sorted(by: { $0.key < $1.key }) {
            guard let action = Action.named(name) else {
                problems.append("unknown action \(name)")
                continue
            }
            keymap.bindings.removeAll { $0.action == action.name }
            for notation in notations {
                guard let keys = KeyNotation.keys(in: notation) else {
                    problems.append("\(name): \(notation) is not a key name")
                    continue
                }
                keymap.bindings.removeAll {
                    $0.keys == keys && self.action(named: $0.action)?.scope == action.scope
                }
                keymap.bindings.append(Binding(keys: keys, action: action.name))
            }
        }
        return (keymap, problems)
    }

    /// Returns messages about configured keys that don't work, or that disable a default key of an
    /// action without configured keys. Each message comes with the action of the configured key.
    func problems(ofRebound rebound: Set<String>) -> [(action: String, problem: String)] {
        var problems: [(action: String, problem: String)] = []
        for binding in bindings where rebound.contains(binding.action) {
            for problem in [obstacle(to: binding), loss(by: binding, except: rebound)] {
                if let problem { problems.append((binding.action, problem)) }
            }
        }
        return problems
    }

    /// Returns why the keys of a binding can't be typed in some or all places; otherwise `nil`.
    private func obstacle(to binding: Binding) -> String? {
        let keys = KeyNotation.text(for: binding.keys)
        if binding.keys.count > 1, isInDialogs(binding) {
            return "\(keys) can't be typed in dialogs, where every key takes effect at once"
        }
        let starts = bindings.filter { isStart($0, of: binding) }
        if let start = starts.first(where: { applies($0, where: binding) }) {
            return "\(keys) can't be typed, because \(KeyNotation.text(for: start.keys)) is a key "
                + "of \(start.action)"
        }
        return starts.first { applies(binding, where: $0) && !isInDialogs($0) }.map { start in
            "\(keys) can't be typed where \(KeyNotation.text(for: start.keys)) is a key of "
                + start.action
        }
    }

    /// Returns a message if a binding disables a default key of another action; otherwise `nil`.
    ///
    /// - Parameter rebound: The actions whose default keys are replaced on purpose.
    private func loss(by binding: Binding, except rebound: Set<String>) -> String? {
        let defaults = Self.standard.bindings.filter { !rebound.contains($0.action) }
        let key = KeyNotation.text(for: binding.keys)
        let scope = action(named: binding.action)?.scope
        let taken = defaults.first {
            $0.keys == binding.keys && action(named: $0.action)?.scope == scope
        }
        if let taken {
            let left = keys(for: taken.action).map { KeyNotation.text(for: $0) }
            let rest =
                left.isEmpty ? "now has no key" : "still has \(left.joined(separator: ", "))"
            return "\(key) was a key of \(taken.action), which \(rest); to avoid this message, "
                + "also set the keys of \(taken.action)"
        }
        return defaults.first { isStart(binding, of: $0) && applies(binding, where: $0) }
            .map { hidden in
                "\(key) makes it impossible to type \(KeyNotation.text(for: hidden.keys)), a key of "
                    + hidden.action
            }
    }

    /// Whether `other` is longer than `binding`, and starts with its keys.
    private func isStart(_ binding: Binding, of other: Binding) -> Bool {
        binding.keys.count < other.keys.count && other.keys.starts(with: binding.keys)
    }

    /// Whether the first binding applies wherever the second binding applies.
    private func applies(_ binding: Binding, where other: Binding) -> Bool {
        guard let scope = action(named: binding.action)?.scope else { return false }
        return scope == action(named: other.action)?.scope
            || scope == .everywhere && !isInDialogs(other)
    }

    /// Whether a binding applies only in dialogs or to typed text.
    private func isInDialogs(_ binding: Binding) -> Bool {
        guard let scope = action(named: binding.action)?.scope else { return false }
        return switch scope {
        case .overlay, .overlays, .typing: true
        case .everywhere, .panel, .counter, .panes: false
        }
    }

    /// Adds a command of the user.
    ///
    /// - Returns: A message for each key that can't be bound, because it isn't a key or another
    ///   action uses it in the same place.
    mutating func add(_ command: CustomCommand, keys notations: [String]) -> [String] {
        var problems: [String] = []
        let scope = command.action.scope
        for notation in notations {
            guard let keys = KeyNotation.keys(in: notation) else {
                problems.append("\(notation) is not a key name")
                continue
            }
            let others = bindings.filter {
                $0.keys.starts(with: keys) || keys.starts(with: $0.keys)
            }
            let other = others.compactMap { action(named: $0.action) }.first {
                $0.scope.overlaps(scope)
            }
            if let other {
                problems.append("\(notation) is a key of “\(other.title)” (\(other.name))")
            } else {
                bindings.append(Binding(keys: keys, action: command.name))
            }
        }
        commands.append(command)
        return problems
    }

    /// All actions that keys can call, in help order.
    var actions: [Action] {
        commands.isEmpty ? Action.every : Action.every + commands.map(\.action)
    }

    /// Returns the action with a current or former name.
    func action(named name: String) -> Action? {
        Action.named(name) ?? commands.first { $0.name == name }?.action
    }

    func keys(for action: String) -> [[Key]] {
        bindings.filter { $0.action == action }.map(\.keys)
    }

    /// Returns the first key of an action as help shows it, or an empty string if it has none.
    public func hint(for action: String) -> String {
        bindings.first { $0.action == action }.map { KeyNotation.text(for: $0.keys) } ?? ""
    }

    /// Returns the first key that calls an action, given the actions that apply. Skips keys that
    /// call another applicable action instead. Returns an empty string if no key is left.
    func hint(for action: String, where applies: (Action) -> Bool) -> String {
        keys(for: action).first { resolve($0, where: applies).action?.name == action }
            .map { KeyNotation.text(for: $0) } ?? ""
    }

    /// Returns the meaning of a key sequence, given the actions that apply.
    func resolve(_ keys: [Key], where applies: (Action) -> Bool) -> Resolution {
        var wide: Action?
        var isPrefix = false
        for binding in bindings where binding.keys.starts(with: keys) {
            guard let action = self.action(named: binding.action), applies(action) else { continue }
            if binding.keys.count > keys.count {
                isPrefix = true
            } else if action.scope != .everywhere {
                return .action(action)
            } else if wide == nil {
                wide = action
            }
        }
        if let wide { return .action(wide) }
        return isPrefix ? .incomplete : .nothing
    }
}

extension Action.Scope {
    /// Returns whether there is a place where both scopes apply and neither takes precedence.
    fileprivate func overlaps(_ other: Self) -> Bool {
        switch (self, other) {
        case (.panes(let panes), .panes(let others)): panes.contains(where: others.contains)
        case (.everywhere, .panes), (.panes, .everywhere): true
        default: self == other
        }
    }
}
