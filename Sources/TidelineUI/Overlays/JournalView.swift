import Replication
import TidelineCore

/// The change journal, from which any change can be undone. The selected entry is shown in full
/// below the list.
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

    /// The minimum height of a screen that has room for the selected entry below the list.
    private static let leastRows = 12

    func draw(on canvas: inout Canvas) {
        let context = canvas.context
        let entries = context.writing.journal.entries
        let lines = entries.enumerated().map { index, entry in
            line(of: entry, isSelected: index == cursor, on: canvas)
        }
        let area = canvas.dialogArea
        let hasRoom = area.rows >= Self.leastRows && entries.indices.contains(cursor)
        let foot = hasRoom ? detail(of: entries[cursor], on: canvas) : []
        let frame = OverlayFrame.centered(
            columns: (lines.suffix(400) + foot).reduce(50) { max($0, $1.width + 2) },
            rows: max(1, lines.count) + foot.count, in: area)
        let body = max(1, frame.rows - 2 - foot.count)
        let key = context.keymap.hint(for: "journal-undo")
        canvas.drawLines(
            lines.isEmpty ? [TextLine("No changes yet", .dim)] : lines, over: foot,
            title: "Change journal  (\(key): undo)",
            scrolled: Scrolled(lines: max(0, cursor - body / 2)), in: frame)
    }

    /// Returns an entry in one line. Its state comes first, because the end of a long line is cut
    /// off.
    private func line(
        of entry: UndoHistory.Entry, isSelected: Bool, on canvas: Canvas
    ) -> TextLine {
        let (context, journal) = (canvas.context, canvas.context.writing.journal)
        let date = TimeText.text(
            .init(entry.applied.date), .short(columns: 14), at: context.now,
            offset: context.preferences.utcOffset)
        var line = TextLine([(date + "  ", .timestamp)], isSelected: isSelected)
        let state = entry.state(in: journal)
        line.parts.append((state.isEmpty ? "" : state + " ", .dim))
        line.parts.append((entry.direction.title, .dim))
        line.parts.append((entry.words(in: journal), .plain))
        // If there are several changes, showing a single value would be misleading.
        if entry.applied.changes.count == 1, let value = entry.applied.changes[0].new {
            line.parts.append((canvas.theme.text(" → "), .dim))
            line.parts.append((value.line, .string))
        }
        return line
    }

    /// Returns everything about an entry, in at most half of the dialog.
    private func detail(of entry: UndoHistory.Entry, on canvas: Canvas) -> [TextLine] {
        let (context, journal) = (canvas.context, canvas.context.writing.journal)
        var lines = [TextLine("")]
        lines += canvas.sentence("", entry.direction.title + entry.words(in: journal), .title)
        let time = Timestamp(entry.applied.date).secondText(in: context.preferences.utcOffset)
        lines.append(
            TextLine([
                (time, .timestamp), ("  \(entry.pane)  ", .label), (entry.state(in: journal), .dim),
            ]))
        var end: [TextLine] = []
        if entry.applied.undo.isEmpty, !entry.applied.isPending, let reason = entry.reason {
            end = canvas.sentence("! ", "can't be undone: \(reason)", .warning)
        }
        let most = canvas.dialogArea.rows / 2
        // The journal has only the first changes of a write, and the dialog shows those that fit.
        let count = entry.applied.changeCount
        var shown = 0
        for change in entry.applied.changes {
            let next = Self.lines(of: change, on: canvas)
            let mark = shown + 1 < count ? 1 : 0
            guard shown == 0 || lines.count + next.count + mark + end.count <= most else { break }
            lines += next
            shown += 1
        }
        if shown < count {
            end.insert(TextLine("  and \(Counted.grouped(count - shown)) more", .dim), at: 0)
        }
        guard lines.count + end.count > most else { return lines + end }
        return lines.prefix(max(1, most - end.count - 1))
            + [TextLine(canvas.theme.text("  … more"), .dim)] + end
    }

    private static func lines(of change: EditPreview.Change, on canvas: Canvas) -> [TextLine] {
        let subject = TextLine([("  " + canvas.theme.text(change.subject), .key)])
        guard let old = change.old, old == change.new else {
            return [subject] + canvas.lines(of: change)
        }
        return [subject] + canvas.lines("  = ", old, .plain)
    }
}

extension UndoHistory.Entry {
    /// The state of the entry in a word; empty if the entry is saved and in effect.
    fileprivate func state(in journal: UndoHistory) -> String {
        applied.isPending ? "unsaved" : journal.isUndone(self) ? "undone" : ""
    }

    /// Returns the summary of the entry, or of the entry that it undoes.
    fileprivate func words(in journal: UndoHistory) -> String {
        let undone = direction == .undo ? journal.summary(ofSubject: subject) : nil
        return undone ?? applied.summary
    }
}
