/// A step of the guided tour of the demo store. Each step asks for a key.
/// The next step follows once the user has done what the step asks for. All other keys have their
/// usual meaning, and the step stays. Messages and other dialogs temporarily hide the line of the
/// step.
struct TourStep: Hashable, Sendable {
    /// The number of the step, from 1.
    let number: Int
    /// The action whose key the step names.
    let action: String

    private static let actions = ["next-conflict", "enter", "conflict-close", "time", "help"]

    /// Whether the step is shown in the conflict screen, and nowhere else.
    fileprivate var isInConflict: Bool { action == "conflict-close" }

    init?(number: Int) {
        guard Self.actions.indices.contains(number - 1) else { return nil }
        self.number = number
        action = Self.actions[number - 1]
    }

    /// Returns the text of the step; `nil` if its action has no key.
    fileprivate func text(_ keymap: Keymap, isWritable: Bool) -> String? {
        let key = keymap.hint(for: action)
        guard !key.isEmpty else { return nil }
        let text =
            switch action {
            case "next-conflict":
                "two devices changed a value without having seen each other's change; press "
                    + "\(key) to go to such a conflict"
            case "enter": "press \(key) to see what each device wrote, and what it had seen before"
            case "conflict-close":
                (isWritable ? "" : "\(keymap.hint(for: "unlock")) unlocks writing, and then ")
                    + "\(keymap.hint(for: "conflict-take")) keeps the selected side; press \(key) "
                    + "to go back"
            case "time": "press \(key) to see the store at an earlier time"
            default:
                "\(keymap.hint(for: "step-back")) and \(keymap.hint(for: "step-forward")) go from "
                    + "write to write, and \(keymap.hint(for: "now")) returns to now; press \(key) "
                    + "for all keys"
            }
        let back = keymap.hint(for: "back")
        let end = isInConflict || back.isEmpty ? "" : " (\(back) ends it)"
        return "Tour \(number)/\(Self.actions.count)\(end): \(text)"
    }
}

extension Model {
    /// The message at the bottom of the screen. It is the last message or the current step of the
    /// guided tour. After a message of success, the step is shown as well.
    var shownNotice: Notice? {
        guard let tourText else { return notice }
        guard var notice else { return Notice(.info, tourText) }
        if notice.kind == .done { notice.tourText = tourText }
        return notice
    }

    /// The text of the current step of the tour; `nil` if a dialog or keys hide the step.
    var tourText: String? {
        guard let tour, pendingInput.keys.isEmpty, pendingInput.count == nil,
            tour.isInConflict ? overlay?.module is ConflictView : overlay == nil
        else { return nil }
        return tour.text(preferences.keymap, isWritable: writing.isWritable)
    }

    /// Shows the next step of the tour if the user has done what the current step asks for.
    mutating func continueTour(after input: Input? = nil) {
        while let step = tour, isDone(step, after: input) {
            tour = TourStep(number: step.number + 1)
        }
    }

    private func isDone(_ step: TourStep, after input: Input?) -> Bool {
        let isInConflict = overlay?.module is ConflictView
        switch step.action {
        case "next-conflict":
            guard case .key(let key)? = input, overlay == nil,
                keymap.keys(for: step.action).contains([key])
            else { return isInConflict }
            // If there is no conflict, the screen shows a message.
            return notice?.kind != .warning && notice?.kind != .error
        case "enter": return isInConflict
        case "conflict-close": return overlay == nil
        case "time": return time != nil
        default: return time == nil || overlay?.module is Help
        }
    }

    mutating func endTour() {
        tour = nil
        say(.info, "the tour is over; press \(keymap.hint(for: "help")) for all keys")
    }
}
