import TidelineCore

/// What stands in front of the regions and takes the keys until it is closed: its state, what its
/// keys do, what it says of them, and how it is drawn.
///
/// Its keys are actions of the keymap with the scope ``Action/Scope/overlay(_:)``, so that help and
/// the user's own keys know them. A key goes to the text that is typed, where it types something,
/// then to the overlay's own actions, then to those of the line of text, then to those of all
/// overlays.
protocol OverlayModule: Hashable, Sendable {
    static var kind: Overlay.Kind { get }
    /// The heading under which help lists its actions.
    static var group: Action.Group { get }
    static var actions: [Action] { get }
    /// Actions from elsewhere whose keys mean the same here.
    static var passes: [String] { get }
    /// It as the one that is shown.
    var overlay: Overlay { get }
    /// What it stands over, and leads back to.
    var over: Overlay? { get set }
    /// The text that is being typed; `nil` where none is.
    var field: TextField? { get set }
    /// The longest text that may be pasted, in bytes.
    var pasteLimit: Int { get }
    /// Whether an answer is awaited that only this overlay can take.
    var isWaiting: Bool { get }
    /// What would be lost by leaving the program now.
    var unfinished: String? { get }
    /// How many of its actions that end with a number have something to choose.
    var choiceCount: Int { get }
    /// Whether an action of its own means nothing for what it shows now.
    func hides(_ action: Action) -> Bool
    /// Whether an action of its own does nothing for what it shows now: the palette tells why, the
    /// help leaves it out.
    func isIdle(_ action: Action) -> Bool
    /// The keys worth knowing, for the foot of the screen, the most useful first.
    func hints(in model: Model) -> [Hint]
    /// Whether a character goes into the text, rather than being a key.
    func takes(_ character: Character) -> Bool
    /// Told after the text was changed.
    mutating func fieldChanged(in model: inout Model)
    /// Told of a key that means nothing here.
    ///
    /// - Returns: Whether the key is answered by that; else a person is told of it.
    mutating func pressedNothing(in model: inout Model) -> Bool
    func draw(on screen: inout Screen)
}

extension OverlayModule {
    var over: Overlay? {
        get { nil }
        set {}
    }

    func hides(_ action: Action) -> Bool { false }
    func isIdle(_ action: Action) -> Bool { false }

    var field: TextField? {
        get { nil }
        set {}
    }
    var pasteLimit: Int { 4_096 }
    var isWaiting: Bool { false }
    var unfinished: String? { nil }
    static var passes: [String] { [] }
    var choiceCount: Int { 0 }
    func takes(_ character: Character) -> Bool { field != nil }
    mutating func fieldChanged(in model: inout Model) {}
    mutating func pressedNothing(in model: inout Model) -> Bool { false }
}

extension OverlayModule {
    /// One of its actions.
    ///
    /// - Parameters:
    ///   - unavailable: Why it cannot be done now; `nil` where it can.
    ///   - perform: Changes the overlay in place, or puts another in its place.
    static func action(
        _ name: String, _ title: String,
        unless unavailable: @escaping @Sendable (Self) -> String? = { _ in nil },
        _ perform: @escaping @Sendable (inout Model, inout Self) -> [Effect]
    ) -> Action {
        Action(
            name, title, group, scope: .overlay(kind),
            when: { model in
                guard let state = model.overlay?.module as? Self else {
                    return .unavailable(because: kind.whyNotOpen)
                }
                return unavailable(state).map { .unavailable(because: $0) } ?? .available
            }
        ) { model, _ in
            guard let before = model.overlay, var state = before.module as? Self else { return [] }
            let effects = perform(&model, &state)
            if model.overlay == before { model.overlay = state.overlay }
            return effects
        }
    }

    /// One of its actions that asks for nothing.
    static func change(
        _ name: String, _ title: String,
        unless unavailable: @escaping @Sendable (Self) -> String? = { _ in nil },
        _ change: @escaping @Sendable (inout Model, inout Self) -> Void
    ) -> Action {
        action(name, title, unless: unavailable) { model, state in
            change(&model, &state)
            return []
        }
    }
}

/// Keys and what they do.
struct Hint: Hashable, Sendable {
    var keys: String
    var title: String
}

extension Model {
    /// The first keys of some actions, as one hint; `nil` where none has a key.
    func hint(_ actions: String..., title: String) -> Hint? {
        let keys = actions.map { keymap.hint(for: $0) }.filter { !$0.isEmpty }
        return keys.isEmpty ? nil : Hint(keys: keys.joined(separator: " "), title: title)
    }

    /// The keys of actions that differ by a number, as far as there is something to choose: `1-4`
    /// where they are the digits.
    func digits(of action: String, upTo count: Int) -> String {
        let numbers = (1...9).prefix(max(0, count))
        let keys = numbers.map { keymap.hint(for: "\(action)-\($0)") }
        if keys == numbers.map(String.init), let last = keys.last {
            return keys.count == 1 ? last : "1-\(last)"
        }
        return keys.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Says that a number stands for none of the things to choose from.
    mutating func sayNone(_ number: Int, of count: Int) {
        say(
            .info,
            count == 0
                ? "there is nothing to choose"
                : "there is no \(number) here: \(count == 1 ? "1 is all" : "1 to \(count)")")
    }

    /// Gives a key to what stands in front.
    mutating func handle(_ key: Key, in overlay: Overlay) -> [Effect] {
        let module = overlay.module
        if case .character(let character) = key.code,
            key.modifiers.isDisjoint(with: [.control, .alt]), module.takes(character)
        {
            editText { $0.insert(String(character)) }
            return []
        }
        var scopes: [Action.Scope] = [.overlay(overlay.kind)]
        if module.field != nil { scopes.append(.typing) }
        scopes.append(.overlays)
        for scope in scopes {
            if let action = action(for: key, where: { $0.scope == scope }) {
                return perform(action, Action.Invocation())
            }
        }
        if let action = action(for: key, where: { overlay.passes.contains($0.name) }) {
            return perform(action, Action.Invocation())
        }
        var now = module
        if !now.pressedNothing(in: &self) {
            say(
                .info,
                "\(KeyNotation.text(for: key)) does nothing here; \(helpKey(in: module)) shows the keys"
            )
        }
        if self.overlay == overlay { self.overlay = now.overlay }
        return []
    }

    /// The first key that shows the keys of what stands in front, and is not typed as text there.
    func helpKey(in module: any OverlayModule) -> String {
        let kind = module.overlay.kind
        let keys = keymap.keys(for: "overlay-help").first { keys in
            guard let key = keys.first,
                action(for: key, where: { $0.scope == .overlay(kind) }) == nil
            else { return false }
            guard case .character(let character) = key.code else { return true }
            return !module.takes(character)
        }
        return keys.map { KeyNotation.text(for: $0) } ?? ""
    }

    private func action(for key: Key, where applies: (Action) -> Bool) -> Action? {
        guard case .action(let name) = keymap.resolve([key], where: applies) else { return nil }
        return Action.named(name)
    }

    /// Changes the text that is being typed.
    mutating func editText(_ change: (inout TextField) -> Void) {
        guard let overlay, var field = overlay.module.field else { return }
        var module = overlay.module
        change(&field)
        module.field = field
        self.overlay = module.overlay
        module.fieldChanged(in: &self)
        self.overlay = module.overlay
    }

    /// Puts pasted text where text is typed; elsewhere it is not taken for keys.
    mutating func paste(_ text: String) -> [Effect] {
        guard let module = overlay?.module, module.field != nil else {
            say(.info, "text can only be pasted into a field")
            return []
        }
        if text.utf8.count > module.pasteLimit {
            say(
                .warning,
                "nothing was pasted: \(TextParts.grouped(text.utf8.count)) bytes are more than the "
                    + "\(TextParts.grouped(module.pasteLimit)) that fit here")
            return []
        }
        let isLine = !(module is FieldEditor)
        // A filter or a command is one line.
        let shown =
            isLine ? text.split(whereSeparator: \.isNewline).joined(separator: " ") : text
        editText { $0.insert(shown) }
        return []
    }

    /// Closes what stands in front.
    mutating func closeOverlay() { overlay = nil }
}

extension Action {
    /// What overlays have in common.
    static let overlays: [Action] = [
        Action("leave", "Leave the program", .dialogs, scope: .overlays) { model, _ in
            model.leave(.quit)
        },
        Action("overlay-help", "The keys that work here", .dialogs, scope: .overlays) { model, _ in
            guard let overlay = model.overlay, !overlay.module.isWaiting else { return [] }
            model.overlay = .help(Help(over: overlay))
            return []
        },
        Action(
            "overlay-palette", "Any action by its name, those of this place first", .dialogs,
            scope: .overlays
        ) { model, _ in
            guard let overlay = model.overlay, !overlay.module.isWaiting else { return [] }
            model.overlay = .palette(CommandPalette(over: overlay))
            return []
        },
    ]
}
