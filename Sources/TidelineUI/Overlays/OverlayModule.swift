import TidelineCore

/// An overlay: its state, actions, hints and drawing. It receives all keys until it is closed.
///
/// Its actions have the scope ``Action/Scope/overlay(_:)``, so that help and key bindings include
/// them. A key first types text, if there is a text field. Otherwise, it calls an action: of the
/// overlay, of text fields, or of all overlays, in this order.
protocol OverlayModule: Hashable, Sendable {
    static var kind: Overlay.Kind { get }
    /// The heading under which help lists its actions.
    static var group: Action.Group { get }
    static var actions: [Action] { get }
    /// Global actions whose keys also work here.
    static var passes: [String] { get }
    /// The module as an overlay.
    var overlay: Overlay { get }
    /// The overlay behind this one, to return to.
    var over: Overlay? { get set }
    /// The text being typed; `nil` without a text field.
    var field: TextField? { get set }
    /// The longest text that can be pasted, in bytes.
    var pasteLimit: Int { get }
    /// Whether the text being typed can have several lines.
    var takesLines: Bool { get }
    /// Whether an answer is pending that only this overlay can receive.
    var isWaiting: Bool { get }
    /// The work that quitting would lose, in words.
    var unfinished: String? { get }
    /// The number of choices for actions that end with a number.
    var choiceCount: Int { get }
    /// Whether an action has no meaning for the current content and is hidden.
    func hides(_ action: Action) -> Bool
    /// Whether an action has no effect now. The palette shows the reason; help leaves it out.
    func isIdle(_ action: Action) -> Bool
    /// Returns the most useful keys for the footer, best first.
    func hints(in model: Model) -> [Hint]
    /// Whether a character is typed as text rather than used as a key.
    func takes(_ character: Character) -> Bool
    /// Called after the text was changed.
    mutating func fieldChanged(in model: inout Model)
    /// Called for a key without a meaning here.
    ///
    /// - Returns: Whether the overlay handled the key. If not, the user gets a hint.
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
    var takesLines: Bool { false }
    var isWaiting: Bool { false }
    var unfinished: String? { nil }
    static var passes: [String] { [] }
    var choiceCount: Int { 0 }
    func takes(_ character: Character) -> Bool { field != nil }
    mutating func fieldChanged(in model: inout Model) {}
    mutating func pressedNothing(in model: inout Model) -> Bool { false }
}

extension OverlayModule {
    /// Creates an action of the overlay.
    ///
    /// - Parameters:
    ///   - unavailable: The reason why the action is unavailable; `nil` if it is available.
    ///   - perform: Changes the overlay or replaces it.
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

    /// Creates an action without effects.
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

/// Keys and their effect, for the footer.
struct Hint: Hashable, Sendable {
    var keys: String
    var title: String
}

extension Model {
    /// Returns a hint with the first keys of some actions; `nil` if none has a key.
    func hint(_ actions: String..., title: String) -> Hint? {
        let keys = actions.map { preferences.keymap.hint(for: $0) }.filter { !$0.isEmpty }
        return keys.isEmpty ? nil : Hint(keys: keys.joined(separator: " "), title: title)
    }

    /// Returns the keys of numbered actions, up to the number of choices: `1-4` if they are the
    /// digits.
    func digits(of action: String, upTo count: Int) -> String {
        let numbers = (1...9).prefix(max(0, count))
        let keys = numbers.map { preferences.keymap.hint(for: "\(action)-\($0)") }
        if keys == numbers.map(String.init), let last = keys.last {
            return keys.count == 1 ? last : "1-\(last)"
        }
        return keys.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Reports that a number is out of range.
    mutating func sayNone(_ number: Int, of count: Int) {
        say(
            .info,
            count == 0
                ? "nothing to choose"
                : "choose \(count == 1 ? "1" : "1–\(count)")")
    }

    /// Passes a key to the open overlay.
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
                "\(KeyNotation.text(for: key)) has no function here. Press \(helpKey(in: module)) for help"
            )
        }
        if self.overlay == overlay { self.overlay = now.overlay }
        return []
    }

    /// Returns the first key that opens help here and isn't typed as text.
    func helpKey(in module: any OverlayModule) -> String {
        let kind = module.overlay.kind
        let keys = preferences.keymap.keys(for: "overlay-help").first { keys in
            guard let key = keys.first,
                action(for: key, where: { $0.scope == .overlay(kind) }) == nil
            else { return false }
            guard case .character(let character) = key.code else { return true }
            return !module.takes(character)
        }
        return keys.map { KeyNotation.text(for: $0) } ?? ""
    }

    private func action(for key: Key, where applies: (Action) -> Bool) -> Action? {
        guard case .action(let name) = preferences.keymap.resolve([key], where: applies) else {
            return nil
        }
        return actions.named(name)
    }

    /// Changes the text being typed.
    mutating func editText(_ change: (inout TextField) -> Void) {
        guard let overlay, var field = overlay.module.field else { return }
        var module = overlay.module
        change(&field)
        module.field = field
        self.overlay = module.overlay
        module.fieldChanged(in: &self)
        self.overlay = module.overlay
    }

    /// Inserts pasted text. Outside of text fields it is never interpreted as keys.
    mutating func paste(_ text: String) -> [Effect] {
        guard let module = overlay?.module, module.field != nil else {
            say(.info, "text can only be pasted into a field")
            return []
        }
        if text.utf8.count > module.pasteLimit {
            say(
                .warning,
                "nothing pasted: \(TextParts.grouped(text.utf8.count)) bytes exceed the limit of "
                    + "\(TextParts.grouped(module.pasteLimit)) bytes")
            return []
        }
        // Filters, commands and names are single lines. Terminals paste line breaks as returns.
        let shown = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .joined(separator: module.takesLines ? "\n" : " ")
        editText { $0.insert(shown) }
        return []
    }

    /// Closes the overlay.
    mutating func closeOverlay() { overlay = nil }
}

extension Action {
    /// Actions that work in all overlays.
    static let overlays: [Action] = [
        Action("leave", "Quit", .dialogs, scope: .overlays) { model, _ in
            model.leave(.quit)
        },
        Action("overlay-help", "Keyboard shortcuts", .dialogs, scope: .overlays) { model, _ in
            guard let overlay = model.overlay, !overlay.module.isWaiting else { return [] }
            model.overlay = .help(Help(over: overlay))
            return []
        },
        Action(
            "overlay-palette", "Commands, those of this dialog first", .dialogs,
            scope: .overlays
        ) { model, _ in
            guard let overlay = model.overlay, !overlay.module.isWaiting else { return [] }
            model.overlay = .palette(CommandPalette(over: overlay))
            return []
        },
    ]
}
