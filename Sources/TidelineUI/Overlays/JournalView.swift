import Replication
import TidelineCore

/// The change journal, from which any change can be undone.
struct JournalView: OverlayModule {
    var cursor: Int

    static let kind = Overlay.Kind.journal
    static let group = Action.Group.journal
    var overlay: Overlay { .journal(self) }

    static let actions: [OverlayAction<Self>] = [
        action("journal-undo", "Undo the selected change, or redo it") { journal, context in
            let entries = context.writing.journal.entries
            guard entries.indices.contains(journal.cursor) else { return [] }
            return [.undo(entries[journal.cursor])]
        },
        action("journal-close", "Close") { _, _ in [.close()] },
        change("journal-next", "Next entry") { $0.select($0.cursor + 1, in: $1) },
        change("journal-previous", "Previous entry") { $0.select($0.cursor - 1, in: $1) },
        change("journal-first", "First entry") { $0.select(0, in: $1) },
        change("journal-last", "Last entry") { $0.select(.max, in: $1) },
    ]

    private mutating func select(_ index: Int, in context: ScreenContext) {
        cursor = max(0, min(index, context.writing.journal.entries.count - 1))
    }

    func hints(in context: ScreenContext) -> [Hint] {
        [
            context.keymap.hint("journal-next", "journal-previous", title: "move"),
            context.keymap.hint("journal-undo", title: "undo/redo"),
            context.keymap.hint("journal-close", title: "close"),
        ].compactMap(\.self)
    }

    func draw(on canvas: inout Canvas) {
        let context = canvas.context
        let journal = context.writing.journal
        let lines = journal.entries.enumerated().map { index, entry in
            // The state of the entry comes first, because long summaries are cut off.
            let state =
                entry.applied.isPending
                ? "unsaved " : journal.isUndone(entry) ? "undone " : ""
            let what =
                switch entry.direction {
                case .edit: ""
                case .undo: "undo of: "
                case .redo: "redo of: "
                }
            let undone =
                entry.direction == .undo
                ? journal.summary(ofSubject: entry.subject) : nil
            let date = TimeText.text(
                .init(entry.applied.date), .short(columns: 14), at: context.now,
                offset: context.preferences.utcOffset)
            return TextLine(
                [
                    (date + "  ", .timestamp), (state, .dim), (what, .dim),
                    (undone ?? entry.applied.summary, .plain),
                    (entry.change.map { "  \($0)" } ?? "", .string),
                    ("  \(entry.pane)", .label),
                ], isSelected: index == cursor)
        }
        let key = context.keymap.hint(for: "journal-undo")
        canvas.drawLines(
            lines.isEmpty ? [TextLine("No changes yet", .dim)] : lines,
            title: "Change journal  (\(key): undo)",
            scrolled: Scrolled(lines: max(0, cursor - canvas.surface.size.rows / 2)))
    }
}
