/// An overlay: its state, actions, hints and drawing. It receives all keys until it is closed.
///
/// An overlay changes only its own state. It reads the rest of the screen from a ``ScreenContext``,
/// and returns effects on the rest of the screen as ``ScreenOutcome`` values.
///
/// If there is a text field, a key that can be typed changes its text. Any other key calls the
/// first matching action: an action of the overlay itself, then of text fields, then of all
/// overlays.
protocol OverlayModule: Hashable, Sendable {
    /// The heading under which help lists its actions.
    static var group: Action.Group { get }
    /// The reason why its actions are unavailable while it is closed.
    static var whyNotOpen: String { get }
    static var actions: [OverlayAction<Self>] { get }
    /// Global actions whose keys also work in this overlay.
    static var passes: [String] { get }
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
    /// A description of the work that quitting would lose.
    var unfinished: String? { get }
    /// The typed or edited text that isn't written yet; `nil` if there is none.
    var unwrittenText: String? { get }
    /// The number of choices for actions that end with a number.
    var choiceCount: Int { get }
    /// Whether an action has no meaning for the current content and is hidden.
    func hides(_ action: Action) -> Bool
    /// Whether an action has no effect now: the palette shows why, and help omits it.
    func isIdle(_ action: Action) -> Bool
    /// Returns the most useful keys for the footer, best first.
    func hints(in context: ScreenContext) -> [Hint]
    /// Whether a character is typed as text, and not used as a key.
    func takes(_ character: Character) -> Bool
    /// Called after the text was changed.
    mutating func fieldChanged(in context: ScreenContext) -> [ScreenOutcome]
    /// Requests missing data.
    ///
    /// - Parameter requests: The pending requests and timers. The overlay adds its new requests to
    ///   them.
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect]
    /// Called for a key without a meaning in this overlay. If it returns `nil`, the user gets a
    /// hint.
    mutating func pressedNothing(in context: ScreenContext) -> [ScreenOutcome]?
    func draw(on canvas: inout Canvas)
}

extension OverlayModule {
    static var kind: Overlay.Kind { Overlay.Kind(self) }

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
    var unwrittenText: String? { nil }
    static var passes: [String] { [] }
    var choiceCount: Int { 0 }
    func takes(_ character: Character) -> Bool { field != nil }
    mutating func fieldChanged(in context: ScreenContext) -> [ScreenOutcome] { [] }
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] { [] }
    mutating func pressedNothing(in context: ScreenContext) -> [ScreenOutcome]? { nil }
}

struct OverlayAction<State>: Sendable {
    let name: String
    let title: String
    /// The default keys, the one that help shows first.
    let keys: [String]
    /// Returns the reason why the action is unavailable; `nil` if it is available.
    let unavailable: @Sendable (State) -> String?
    /// Changes the overlay, and returns the effects on the rest of the screen.
    let perform: @Sendable (inout State, ScreenContext) -> [ScreenOutcome]
}

extension OverlayModule {
    static func action(
        _ name: String, _ title: String, _ keys: [String],
        unless unavailable: @escaping @Sendable (Self) -> String? = { _ in nil },
        _ perform: @escaping @Sendable (inout Self, ScreenContext) -> [ScreenOutcome]
    ) -> OverlayAction<Self> {
        OverlayAction(
            name: name, title: title, keys: keys, unavailable: unavailable, perform: perform)
    }

    /// Creates an action that changes only the overlay.
    static func change(
        _ name: String, _ title: String, _ keys: [String],
        unless unavailable: @escaping @Sendable (Self) -> String? = { _ in nil },
        _ change: @escaping @Sendable (inout Self, ScreenContext) -> Void
    ) -> OverlayAction<Self> {
        action(name, title, keys, unless: unavailable) { state, context in
            change(&state, context)
            return []
        }
    }
}

/// Keys and their effect, for the footer.
struct Hint: Hashable, Sendable {
    var keys: String
    var title: String
}

extension Keymap {
    /// Returns a hint with the first keys of the given actions; `nil` if none has a key.
    func hint(_ actions: String..., title: String) -> Hint? {
        let keys = firstKeys(of: actions)
        return keys.isEmpty ? nil : Hint(keys: keys, title: title)
    }

    /// Returns the first key of each action that has one.
    func firstKeys(of actions: [String]) -> String {
        actions.map { hint(for: $0) }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Returns a hint for an action on the current choice. If there are several choices, the hint
    /// also has the keys of the numbered actions, which act on a choice by its number.
    func hint(_ action: String, numbersUpTo count: Int, title: String) -> Hint? {
        let numbers = count > 1 ? digits(of: action, upTo: count) : ""
        let keys = [hint(for: action), numbers].filter { !$0.isEmpty }
        return keys.isEmpty ? nil : Hint(keys: keys.joined(separator: " "), title: title)
    }

    /// Returns the keys of `count` numbered actions; `1-4` if the keys are the digits.
    func digits(of action: String, upTo count: Int) -> String {
        let numbers = (1...9).prefix(max(0, count))
        let keys = numbers.map { hint(for: "\(action)-\($0)") }
        if keys == numbers.map(String.init), let last = keys.last {
            return keys.count == 1 ? last : "1-\(last)"
        }
        return keys.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
