import Replication
import TidelineCore

/// The change journal, from which any change can be undone. Below the list, the selected entry is
/// shown in full. A long list of changes can be scrolled.
struct JournalView: OverlayModule {
    private(set) var cursor: Int
    /// The first visible line of the selected entry's changes.
    private var scrolled = Scrolled.start

    init(cursor: Int) { self.cursor = cursor }

    static let group = Action.Group("Change journal")
    static let whyNotOpen = "the change journal is not open"

    static let actions: [OverlayAction<Self>] = [
        action("journal-undo", "Undo the selected change, or redo it", ["z", "Enter"]) {
            journal, context in
            let entries = context.writing.journal.entries
            guard entries.indices.contains(journal.cursor) else { return [] }
            return [.undo(entries[journal.cursor])]
        },
        action("journal-close", "Close", ["Esc", "q", "Backspace", "@"]) { _, _ in [.close()] },
        change("journal-next", "Next entry", ["j", "Down"]) { $0.select($0.cursor + 1, in: $1) },
        change("journal-previous", "Previous entry", ["k", "Up"]) {
            $0.select($0.cursor - 1, in: $1)
        },
        change("journal-first", "First entry", ["g", "Home"]) { $0.select(0, in: $1) },
        change("journal-last", "Last entry", ["G", "End"]) { $0.select(.max, in: $1) },
        change("journal-page-down", "Page down in the selected entry", ["PgDn"]) {
            $0.scroll(by: 1, in: $1)
        },
        change("journal-page-up", "Page up in the selected entry", ["PgUp"]) {
            $0.scroll(by: -1, in: $1)
        },
    ]

    private mutating func select(_ index: Int, in context: ScreenContext) {
        cursor = max(0, min(index, context.writing.journal.entries.count - 1))
        scrolled = .start
    }

    private mutating func scroll(by pages: Int, in context: ScreenContext) {
        let entries = context.writing.journal.entries
        guard entries.indices.contains(cursor) else { return }
        let lines = entries[cursor].applied.changes.reduce(1) { $0 + $1.lineCount(in: context) }
        // The title, the time, the reason and the position take at most eight lines of the details.
        scrolled.move(by: pages * max(1, context.dialogArea.rows / 2 - 8), to: lines)
    }

    func hints(in context: ScreenContext) -> [Hint] {
        let close = context.keymap.hint("journal-close", title: "close")
        if context.writing.journal.entries.isEmpty { return [close].compactMap(\.self) }
        return [
            context.keymap.hint("journal-next", "journal-previous", title: "move"),
            context.keymap.hint("journal-undo", title: "undo/redo"),
            close,
        ].compactMap(\.self)
    }

    /// The minimum height of a screen that has room for the selected entry below the list.
    private static let leastRows = 12
    /// The number of newest entries that determine the width of the list.
    private static let measuredCount = 400

    func draw(on canvas: inout Canvas) {
        let context = canvas.context
        let entries = context.writing.journal.entries
        let area = canvas.dialogArea
        let undone = Set(entries.compactMap(\.subject))
        // A journal can be long. Lines that are neither visible nor measured stay empty.
        let lines = entries.indices.map { index in
            abs(index - cursor) <= area.rows || entries.count - index <= Self.measuredCount
                ? line(
                    of: entries[index], isUndone: undone.contains(entries[index].id),
                    isSelected: index == cursor, on: canvas)
                : TextLine([])
        }
        let hasRoom = area.rows >= Self.leastRows && entries.indices.contains(cursor)
        let foot = hasRoom ? detail(of: entries[cursor], on: canvas) : []
        let frame = OverlayFrame.centered(
            columns: (lines.suffix(Self.measuredCount) + foot).reduce(50) { max($0, $1.width + 2) },
            rows: max(1, lines.count) + foot.count, in: area)
        let body = max(1, frame.rows - 2 - foot.count)
        let key = context.keymap.hint(for: "journal-undo")
        canvas.drawLines(
            lines.isEmpty ? [TextLine("No changes yet", .dim)] : lines, over: foot,
            title: "Change journal  (\(key): undo)",
            scrolled: Scrolled(lines: max(0, cursor - body / 2)), in: frame)
    }

    /// Returns an entry in one line. Its state comes first, so that it isn't cut off.
    private func line(
        of entry: UndoHistory.Entry, isUndone: Bool, isSelected: Bool, on canvas: Canvas
    ) -> TextLine {
        let (context, journal) = (canvas.context, canvas.context.writing.journal)
        let date = TimeText.text(
            .init(entry.applied.date), .short(columns: 14), at: context.now,
            offset: context.preferences.utcOffset)
        var line = TextLine([(date + "  ", .timestamp)], isSelected: isSelected)
        let state = entry.state(isUndone: isUndone)
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

    /// Returns the details of an entry, in at most half of the dialog. A long list of changes is
    /// scrolled.
    private func detail(of entry: UndoHistory.Entry, on canvas: Canvas) -> [TextLine] {
        let (context, journal) = (canvas.context, canvas.context.writing.journal)
        var lines = [TextLine("")]
        let title = canvas.sentence("", entry.direction.title + entry.words(in: journal), .title)
        lines += title.prefix(title.count > 3 ? 2 : 3)
        if title.count > 3 { lines.append(TextLine(canvas.theme.text("…"), .title)) }
        let time = Timestamp(entry.applied.date).secondText(in: context.preferences.utcOffset)
        lines.append(
            TextLine([
                (time, .timestamp), ("  \(entry.pane)  ", .label),
                (entry.state(isUndone: journal.isUndone(entry)), .dim),
            ]))
        var end: [TextLine] = []
        if entry.applied.undo.isEmpty, !entry.applied.isPending, let reason = entry.reason {
            end = canvas.sentence("! ", "can't be undone: \(reason)", .warning)
        }
        var changes = entry.applied.changes.flatMap { Self.lines(of: $0, on: canvas) }
        // The journal has only the first changes of a write.
        let hidden = entry.applied.changeCount - entry.applied.changes.count
        if hidden > 0 {
            changes.append(TextLine("  and \(Counted.grouped(hidden)) more", .dim))
        }
        let most = canvas.dialogArea.rows / 2
        lines = Array(lines.prefix(max(2, most - end.count - 2)))
        let room = max(2, most - lines.count - end.count)
        guard changes.count > room else { return lines + changes + end }
        let first = scrolled.top(of: changes.count, shown: room - 1)
        let position = canvas.moreText(first: first, shown: room - 1, of: changes.count)
        let keys = canvas.context.keymap.hint(
            "journal-page-down", "journal-page-up", title: "scroll")
        let hint = keys.map { " \($0.keys): \($0.title)" } ?? ""
        return lines + changes.dropFirst(first).prefix(room - 1)
            + [TextLine(" \(position)\(canvas.theme.text(hint))", .dim)] + end
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
    fileprivate func state(isUndone: Bool) -> String {
        applied.isPending ? "unsaved" : isUndone ? "undone" : ""
    }

    /// Returns the summary of the entry, or of the entry that it undoes.
    fileprivate func words(in journal: UndoHistory) -> String {
        let undone = direction == .undo ? journal.summary(ofSubject: subject) : nil
        return undone ?? applied.summary
    }
}
