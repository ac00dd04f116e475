import Replication
import TidelineCore

/// What was written from here, to take any of it back.
struct JournalView: OverlayModule {
    var cursor: Int

    static let kind = Overlay.Kind.journal
    static let group = Action.Group.journal
    var overlay: Overlay { .journal(self) }

    static let actions: [Action] = [
        action("journal-take-back", "Take the entry back, or write it again") { model, journal in
            model.takeBack(entryAt: journal.cursor)
        },
        change("journal-close", "Close it") { model, _ in model.closeOverlay() },
        action("journal-next", "The next entry") { model, journal in
            journal.select(journal.cursor + 1, model)
        },
        action("journal-previous", "The entry before") { model, journal in
            journal.select(journal.cursor - 1, model)
        },
        action("journal-first", "The first entry") { model, journal in journal.select(0, model) },
        action("journal-last", "The last entry") { model, journal in journal.select(.max, model) },
    ]

    private mutating func select(_ index: Int, _ model: Model) -> [Effect] {
        cursor = max(0, min(index, model.journal.entries.count - 1))
        return []
    }

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("journal-next", "journal-previous", title: "move"),
            model.hint("journal-take-back", title: "take back"),
            model.hint("journal-close", title: "close"),
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let model = screen.model
        let lines = model.journal.entries.enumerated().map { index, entry in
            let what =
                switch entry.direction {
                case .edit: ""
                case .undo: "taken back: "
                case .redo: "again: "
                }
            let undone =
                entry.direction == .undo
                ? model.journal.summary(ofSubject: entry.subject) : nil
            let date = TimeText.text(.init(entry.applied.date), offset: model.utcOffset)
            let note =
                entry.applied.isPending
                ? "  (not written yet)" : model.journal.isTakenBack(entry) ? "  (taken back)" : ""
            return TextLine(
                [
                    (date.prefix(19) + " ", .timestamp), (entry.pane + " ", .label), (what, .dim),
                    (undone ?? entry.applied.summary, .plain), (note, .dim),
                ], isSelected: index == cursor)
        }
        let key = model.keymap.hint(for: "journal-take-back")
        screen.drawLines(
            lines.isEmpty ? [TextLine("Nothing was written from here yet.", .dim)] : lines,
            title: "Written from here  (\(key) takes back)",
            scrolled: Scrolled(lines: max(0, cursor - screen.surface.size.rows / 2)))
    }
}

extension Model {
    fileprivate mutating func takeBack(entryAt index: Int) -> [Effect] {
        guard journal.entries.indices.contains(index) else { return [] }
        let entry = journal.entries[index]
        if let reason = canTakeBack(entry).reason {
            say(.warning, reason)
            return []
        }
        closeOverlay()
        return previewUndo(of: entry, entry.direction == .undo ? .redo : .undo)
    }
}
