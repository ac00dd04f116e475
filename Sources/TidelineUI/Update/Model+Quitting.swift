import TidelineCore

extension ExitReason {
    fileprivate var closesStore: Bool {
        switch self {
        case .quit, .open, .close: true
        case .add, .show: false
        }
    }
}

extension Model {
    /// Leaves the screen, after asking if work is unfinished.
    mutating func leave(_ exitReason: ExitReason) -> [Effect] {
        if let reason = overlay?.module.unfinished { return ask(exitReason, because: reason) }
        if let export = requests.export {
            return ask(
                exitReason, because: "the export to \(export.path) is still running",
                request: export.id)
        }
        if let running = commands.running {
            return ask(
                exitReason, because: "“\(running.command.title)” is still running",
                request: running.id)
        }
        // Unsaved changes are kept if the store stays open.
        if let unsaved = session.status.unsaved, exitReason.closesStore {
            // Other overlays close with the screen.
            return ask(exitReason, because: reason(of: unsaved))
        }
        return ending(exitReason)
    }

    /// The typed or edited text that ending the program now would lose; `nil` if there is none.
    public var unwrittenText: String? {
        if case .editorPreview(_, let text)? = requests.awaited?.purpose { return text }
        var shown = overlay
        while let module = shown?.module {
            if let text = module.unwrittenText, !text.isEmpty { return text }
            shown = module.over
        }
        return nil
    }

    /// The texts of edits that aren't saved yet; `nil` if there are none.
    public var unsavedText: String? {
        guard session.status.unsaved != nil, !writing.unsavedTexts.isEmpty else { return nil }
        return writing.unsavedTexts.joined(separator: "\n")
    }

    private mutating func ask(
        _ exitReason: ExitReason, because reason: String, request: RequestID? = nil
    ) -> [Effect] {
        overlay = Overlay(
            QuitDialog(
                exitReason: exitReason, reason: reason, request: request, over: overlay))
        return []
    }

    /// Closes the prompt that appears before quitting, if the work that it is about has ended.
    mutating func closeLeaving(dueTo request: RequestID) {
        guard let dialog = overlay?.module as? QuitDialog, dialog.request == request else { return }
        overlay = dialog.over
    }

    /// Returns the reason why leaving would lose unsaved changes.
    private func reason(of unsaved: UnsavedChanges) -> String {
        let subject =
            unsaved.subjects.count == 1
            ? "\(unsaved.subjects[0]) is" : "\(Counted.grouped(unsaved.subjects.count)) changes are"
        return "\(subject) not saved: \(unsaved.reason)"
    }
}

extension Edit {
    /// The text that the edit writes; `nil` if the edit doesn't have a text of its own.
    var typedText: String? {
        switch self {
        case .set(_, _, let typed), .resolve(_, .value(let typed)): typed.text
        case .add(let name, _, _, let typed):
            [name, typed.text].filter { !$0.isEmpty }.joined(separator: "\n")
        case .rename(_, _, let name): name
        case .resolve(_, .properties(let parts)):
            parts.values.lazy.compactMap { part -> String? in
                if case .value(let typed) = part { typed.text } else { nil }
            }.first
        case .remove, .resolve, .relate, .count, .restore, .takeOver, .revert, .run: nil
        }
    }
}
