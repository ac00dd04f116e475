/// A step of the guided tour of the demo store: a notice that asks for a key.
///
/// The requested key leads to the next step. Any other key has its usual meaning and ends the tour,
/// except in the conflict screen, where the user can resolve the conflict.
struct TourStep: Hashable, Sendable {
    /// The number of the step, from 1.
    let number: Int
    /// The action whose key leads to the next step.
    let action: String

    private static let actions = ["next-conflict", "enter", "conflict-close", "time", "help"]

    /// Whether the step lasts until its dialog is closed, regardless of the keys pressed in it.
    var isInDialog: Bool { action == "conflict-close" }

    /// The step after this one; `nil` if this one is the last.
    var next: TourStep? { TourStep(number: number + 1) }

    init?(number: Int) {
        guard Self.actions.indices.contains(number - 1) else { return nil }
        self.number = number
        action = Self.actions[number - 1]
    }

    /// Returns the text of the step; `nil` if its action has no key.
    fileprivate func text(_ keymap: Keymap) -> String? {
        let key = keymap.hint(for: action)
        guard !key.isEmpty else { return nil }
        let text =
            switch action {
            case "next-conflict":
                "two devices changed a value without having seen each other's change. Press "
                    + "\(key) to go to such a conflict"
            case "enter": "press \(key) to see what each device wrote, and what it had seen before"
            case "conflict-close":
                "\(keymap.hint(for: "unlock")) unlocks writing, and then "
                    + "\(keymap.hint(for: "conflict-take")) keeps a side. Press \(key) to go back"
            case "time": "press \(key) to see the store at an earlier time"
            default:
                "\(keymap.hint(for: "step-back")) and \(keymap.hint(for: "step-forward")) go from "
                    + "write to write, and \(keymap.hint(for: "now")) returns to now. Press \(key) "
                    + "for all keys"
            }
        return "Tour \(number)/\(Self.actions.count): \(text)"
    }
}

extension Notice {
    /// Creates the first notice of the guided tour; `nil` if its key is not bound.
    ///
    /// - Parameter keymap: The key bindings, which determine the key that the notice names.
    public init?(tourWith keymap: Keymap) {
        guard let first = TourStep(number: 1) else { return nil }
        self.init(first, keymap)
    }

    fileprivate init?(_ step: TourStep, _ keymap: Keymap) {
        guard let text = step.text(keymap) else { return nil }
        self.init(.info, text)
        tourStep = step
    }
}

extension Model {
    /// Shows the next step of the tour if the user pressed the key of the current step, or closed
    /// its dialog.
    mutating func goOn(withTour step: TourStep, after input: Input) {
        guard case .key(let key) = input, let next = step.next else { return }
        let isOpen = step.isInDialog && overlay != nil
        let isDone =
            preferences.keymap.keys(for: step.action).contains([key])
            || step.isInDialog && overlay == nil
        guard isDone || isOpen else { return }
        switch notice?.kind {
        case .warning, .error:
            // If the action failed, its message stays visible, and the tour ends outside a dialog.
            if isOpen { notice?.tourStep = step }
        case .info, .done, nil:
            // After the dialog was closed, the pressed key may already be the key of the next step.
            let isAhead =
                step.isInDialog && preferences.keymap.keys(for: next.action).contains([key])
            let shown = isOpen ? step : isAhead ? next.next ?? next : next
            notice = Notice(shown, preferences.keymap)
        }
    }
}
