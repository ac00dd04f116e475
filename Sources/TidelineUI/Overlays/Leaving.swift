import TidelineCore

/// Asks before leaving the program.
struct Leaving: OverlayModule {
    var outcome: Outcome
    var reason: String
    /// What staying returns to.
    var over: Overlay?

    static let kind = Overlay.Kind.quit
    static let group = Action.Group.leaving
    var overlay: Overlay { .quit(self) }

    static let actions: [Action] = [
        action("leave-anyway", "Leave, and lose it") { model, leaving in
            model.ending(leaving.outcome)
        },
        change("stay", "Stay, as any other key does") { model, leaving in
            model.overlay = leaving.over
        },
    ]

    func hints(in model: Model) -> [Hint] {
        [model.hint("leave-anyway", title: "leave"), Hint(keys: "any", title: "stay")]
            .compactMap(\.self)
    }

    mutating func pressedNothing(in model: inout Model) -> Bool {
        model.overlay = over
        return true
    }

    func draw(on screen: inout Screen) {
        let key = screen.model.keymap.hint(for: "leave-anyway")
        screen.drawLines(
            [TextLine("\(reason)."), TextLine("\(key) leaves anyway, any other key stays.")],
            title: "Leave?")
    }
}

extension Outcome {
    fileprivate var closesStore: Bool {
        switch self {
        case .quit, .open, .close: true
        case .add, .show: false
        }
    }
}

extension Model {
    /// Leaves the screen, after asking when a write is under way.
    mutating func leave(_ outcome: Outcome) -> [Effect] {
        if let overlay, let reason = overlay.module.unfinished {
            self.overlay = .quit(Leaving(outcome: outcome, reason: reason, over: overlay))
            return []
        }
        if let export {
            overlay = .quit(
                Leaving(
                    outcome: outcome, reason: "\(export.path) is still being written",
                    over: overlay))
            return []
        }
        // What waits to be written goes on waiting in a store that stays open.
        if let unsaved = status.unsaved, outcome.closesStore {
            // Whatever else stands in front is gone with the screen anyway.
            overlay = .quit(
                Leaving(outcome: outcome, reason: Self.reason(unsaved), over: overlay))
            return []
        }
        return ending(outcome)
    }

    /// Why leaving loses what is not written yet.
    private static func reason(_ unsaved: UnsavedChanges) -> String {
        let subject =
            unsaved.subjects.count == 1
            ? "\(unsaved.subjects[0]) is" : "\(unsaved.subjects.count) changes are"
        return "\(subject) not written yet: \(unsaved.reason)"
    }
}
