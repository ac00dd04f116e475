import Replication
import TidelineCore

/// The change journal, from which any change can be undone.
struct JournalView: OverlayModule {
    var cursor: Int

    static let kind = Overlay.Kind.journal
    static let group = Action.Group.journal
    var overlay: Overlay { .journal(self) }

    static let actions: [Action] = [
        action("journal-undo", "Undo the selected change, or redo it") { model, journal in
            journal.undo(in: &model)
        },
        change("journal-close", "Close") { model, _ in model.closeOverlay() },
        action("journal-next", "Next entry") { model, journal in
            journal.select(journal.cursor + 1, model)
        },
        action("journal-previous", "Previous entry") { model, journal in
            journal.select(journal.cursor - 1, model)
        },
        action("journal-first", "First entry") { model, journal in journal.select(0, model) },
        action("journal-last", "Last entry") { model, journal in journal.select(.max, model) },
    ]

    private mutating func select(_ index: Int, _ model: Model) -> [Effect] {
        cursor = max(0, min(index, model.writing.journal.entries.count - 1))
        return []
    }

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("journal-next", "journal-previous", title: "move"),
            model.hint("journal-undo", title: "undo/redo"),
            model.hint("journal-close", title: "close"),
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let model = screen.model
        let lines = model.writing.journal.entries.enumerated().map { index, entry in
            let what =
                switch entry.direction {
                case .edit: ""
                case .undo: "undone: "
                case .redo: "redone: "
                }
            let undone =
                entry.direction == .undo
                ? model.writing.journal.summary(ofSubject: entry.subject) : nil
            let date = TimeText.text(.init(entry.applied.date), offset: model.preferences.utcOffset)
            let note =
                entry.applied.isPending
                ? "  (unsaved)" : model.writing.journal.isUndone(entry) ? "  (undone)" : ""
            return TextLine(
                [
                    (date.prefix(19) + " ", .timestamp), (entry.pane + " ", .label), (what, .dim),
                    (undone ?? entry.applied.summary, .plain), (note, .dim),
                ], isSelected: index == cursor)
        }
        let key = model.preferences.keymap.hint(for: "journal-undo")
        screen.drawLines(
            lines.isEmpty ? [TextLine("No changes yet", .dim)] : lines,
            title: "Change journal  (\(key): undo)",
            scrolled: Scrolled(lines: max(0, cursor - screen.surface.size.rows / 2)))
    }

    private func undo(in model: inout Model) -> [Effect] {
        guard model.writing.journal.entries.indices.contains(cursor) else { return [] }
        let entry = model.writing.journal.entries[cursor]
        if let reason = model.canUndo(entry).reason {
            model.say(.warning, reason)
            return []
        }
        model.closeOverlay()
        return model.previewUndo(of: entry, entry.direction == .undo ? .redo : .undo)
    }
}
