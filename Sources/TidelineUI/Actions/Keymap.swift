/// Which keys call which actions: one table for the keys, the footer, the help and the palette.
public struct Keymap: Hashable, Sendable {
    struct Binding: Hashable, Sendable {
        var keys: [Key]
        var action: String
    }

    enum Resolution: Equatable {
        case action(String)
        /// The keys so far begin a longer sequence.
        case incomplete
        case nothing
    }

    private(set) var bindings: [Binding]

    /// The bindings of the program as it comes.
    public static let standard = Keymap(table: standardTable)

    private init(table: [(String, [String])]) {
        bindings = table.flatMap { action, notations in
            notations.compactMap { notation in
                KeyNotation.keys(in: notation).map { Binding(keys: $0, action: action) }
            }
        }
    }

    /// The standard table with other keys for some actions.
    ///
    /// - Parameter overrides: Keys by action's name; an empty array takes the keys away. A key
    ///   that another action had goes to the one named here.
    /// - Returns: The table, and what of `overrides` could not be used and why.
    public static func standard(
        overriddenBy overrides: [String: [String]]
    ) -> (keymap: Keymap, problems: [String]) {
        standard.overridden(by: overrides)
    }

    /// This table with other keys for some actions; see ``standard(overriddenBy:)``.
    func overridden(
        by overrides: [String: [String]]
    ) -> (keymap: Keymap, problems: [String]) {
        var keymap = self
        var problems: [String] = []
        for (name, notations) in overrides.sorted(by: { $0.key < $1.key }) {
            guard let action = Action.named(name) else {
                problems.append("there is no action \(name)")
                continue
            }
            keymap.bindings.removeAll { $0.action == name }
            for notation in notations {
                guard let keys = KeyNotation.keys(in: notation) else {
                    problems.append("\(name): \(notation) is not the name of a key")
                    continue
                }
                keymap.bindings.removeAll {
                    $0.keys == keys && Action.named($0.action)?.scope == action.scope
                }
                keymap.bindings.append(Binding(keys: keys, action: name))
            }
        }
        return (keymap, problems)
    }

    func keys(for action: String) -> [[Key]] {
        bindings.filter { $0.action == action }.map(\.keys)
    }

    /// The first key of an action as help shows it; empty when it has none.
    public func hint(for action: String) -> String {
        bindings.first { $0.action == action }.map { KeyNotation.text(for: $0.keys) } ?? ""
    }

    /// The first keys that call an action where `applies` says which can be meant: others may take
    /// its keys there. Nothing where none do.
    func hint(for action: String, where applies: (Action) -> Bool) -> String {
        keys(for: action).first { resolve($0, where: applies) == .action(action) }
            .map { KeyNotation.text(for: $0) } ?? ""
    }

    /// What a sequence of keys means where `applies` says which actions can be meant.
    func resolve(_ keys: [Key], where applies: (Action) -> Bool) -> Resolution {
        var wide: String?
        var isPrefix = false
        for binding in bindings where binding.keys.starts(with: keys) {
            guard let action = Action.named(binding.action), applies(action) else { continue }
            if binding.keys.count > keys.count {
                isPrefix = true
            } else if action.scope != .everywhere {
                return .action(action.name)
            } else if wide == nil {
                wide = action.name
            }
        }
        if let wide { return .action(wide) }
        return isPrefix ? .incomplete : .nothing
    }
}
