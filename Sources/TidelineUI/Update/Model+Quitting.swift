import TidelineCore

extension Outcome {
    fileprivate var closesStore: Bool {
        switch self {
        case .quit, .open, .close: true
        case .add, .show: false
        }
    }
}

extension Model {
    /// Leaves the screen, after asking if work is unfinished.
    mutating func leave(_ outcome: Outcome) -> [Effect] {
        if let overlay, let reason = overlay.module.unfinished {
            self.overlay = .quit(QuitDialog(outcome: outcome, reason: reason, over: overlay))
            return []
        }
        if let export = requests.export {
            overlay = .quit(
                QuitDialog(
                    outcome: outcome, reason: "the export to \(export.path) is still running",
                    request: export.id, over: overlay))
            return []
        }
        if let running = commands.running {
            overlay = .quit(
                QuitDialog(
                    outcome: outcome, reason: "“\(running.command.title)” is still running",
                    request: running.id, over: overlay))
            return []
        }
        // Unsaved changes are kept if the store stays open.
        if let unsaved = session.status.unsaved, outcome.closesStore {
            // Other overlays close with the screen.
            overlay = .quit(
                QuitDialog(outcome: outcome, reason: reason(of: unsaved), over: overlay))
            return []
        }
        return ending(outcome)
    }

    /// Closes the prompt before quitting if it is about work that has ended.
    mutating func closeLeaving(dueTo request: RequestID) {
        guard case .quit(let leaving) = overlay, leaving.request == request else { return }
        overlay = leaving.over
    }

    /// Returns the reason why leaving would lose unsaved changes.
    private func reason(of unsaved: UnsavedChanges) -> String {
        let subject =
            unsaved.subjects.count == 1
            ? "\(unsaved.subjects[0]) is" : "\(unsaved.subjects.count) changes are"
        return "\(subject) not saved: \(unsaved.reason.withReasonFirst(inStoreAt: session.path))"
    }
}
