import Foundation
import Replication
import TidelineCore

/// The preview of edits, waiting for confirmation.
struct PreviewDialog: OverlayModule {
    typealias Direction = UndoHistory.Direction

    var source: SourceID
    var direction: Direction
    /// The journal entry that is undone or redone.
    var subject: UUID?
    var previews: [EditPreview]
    /// The row count typed as confirmation.
    var count = TextField()
    var problem: String?
    /// The write in progress.
    var pending: RequestID?
    /// The overlay to return to if the edits are canceled.
    var over: Overlay?
    /// Whether the preview was opened from the screen of a conflict.
    var isOfConflict: Bool {
        let edited = over?.module as? EditedTextDialog
        return (edited == nil ? over : edited?.over)?.module is ConflictView
    }
    /// The suggested name of the device that the write creates; `nil` if it needs no name.
    var suggestedName: String?
    /// The name that the user has given to this device.
    var deviceName: String?
    /// The name of this device that is being typed.
    private(set) var naming: TextField?
    private(set) var scrolled = Scrolled.start

    /// The number of rows that the user asked to change. Rows that change as a consequence, such as
    /// the old name of a renamed row or the relationships of a deleted row, are not counted.
    var rowCount: Int { previews.reduce(0) { $0 + $1.shownRowCount } }
    /// Changing more than one row requires typing the row count. Undo doesn't, because it only
    /// restores values that a confirmed write changed.
    var needsCount: Bool { direction != .undo && rowCount > 1 }

    static let group = Action.Group("Preview of a change")
    static let whyNotOpen = "no change is waiting for confirmation"
    var isWaiting: Bool { pending != nil }
    var unfinished: String? {
        pending == nil ? "a change is waiting for confirmation" : "a write is in progress"
    }
    var unwrittenText: String? { direction == .edit ? previews.first?.edit.typedText : nil }
    var field: TextField? {
        get { naming ?? (needsCount ? count : nil) }
        set {
            if naming != nil { naming = newValue } else { count = newValue ?? TextField() }
        }
    }

    /// The verb for confirming. Changes without a file only affect the running program.
    private var verb: String {
        guard let preview = previews.first, preview.file == nil else { return "write" }
        return switch preview.edit {
        case .remove: "forget"
        case .run: "show"
        default: "keep"
        }
    }

    /// Whether the write creates the folder of a device that isn't in the store yet.
    var createsDevice: Bool { previews.contains { $0.createsDevice } }

    static let actions: [OverlayAction<Self>] = [
        action("preview-yes", "Write", ["y"]) { dialog, context in
            if dialog.acceptName() { return [] }
            guard dialog.needsCount else { return [.write] }
            dialog.problem =
                "more than one row changes: type \(dialog.rowCount) and "
                + context.keymap.hint(for: "preview-count")
            return []
        },
        action("preview-count", "Write, after typing the row count", ["Enter"]) { dialog, context in
            if dialog.acceptName() { return [] }
            guard dialog.needsCount else {
                dialog.problem =
                    "\(context.keymap.hint(for: "preview-count")) doesn't confirm here; press "
                    + context.keymap.hint(for: "preview-yes")
                return []
            }
            if Int(dialog.count.text) == dialog.rowCount { return [.write] }
            dialog.problem = "type \(dialog.rowCount) to change that many rows"
            return []
        },
        action("preview-no", "Cancel", ["Esc", "n", "q"]) { dialog, _ in
            if dialog.naming != nil {
                dialog.naming = nil
                return []
            }
            return [.notice(.info, "nothing was written"), .close(showing: dialog.over)]
        },
        action("preview-more", "Increase the amount by one", ["+"], unless: whyNoCount) {
            dialog, _ in dialog.count(by: 1)
        },
        action(
            "preview-less", "Decrease the amount by one", ["-"], unless: whyNoCount
        ) { dialog, _ in dialog.count(by: -1) },
        change("preview-name", "Name this device", ["r"], unless: whyNoName) { dialog, _ in
            dialog.naming = TextField(dialog.deviceName ?? "")
        },
        change("preview-down", "Line down", ["Down", "j"]) { $0.scroll(by: 1, in: $1) },
        change("preview-up", "Line up", ["Up", "k"]) { $0.scroll(by: -1, in: $1) },
        change("preview-page-down", "Page down", ["PgDn"]) { $0.scroll(by: 10, in: $1) },
        change("preview-page-up", "Page up", ["PgUp"]) { $0.scroll(by: -10, in: $1) },
        change("preview-first", "First line", ["Home", "g"]) { dialog, _ in
            dialog.scrolled = .start
        },
        change("preview-last", "Last line", ["End", "G"]) { dialog, _ in dialog.scrolled = .end },
    ]

    /// The previewed counter and the amount.
    private var counting: (row: RowID, amount: Int64)? {
        guard direction == .edit, previews.count == 1,
            case .count(let row, let amount) = previews[0].edit
        else { return nil }
        return (row, amount)
    }

    func hides(_ action: Action) -> Bool {
        switch action.name {
        case "preview-more", "preview-less": counting == nil
        case "preview-count": !needsCount
        case "preview-yes": needsCount
        case "preview-name": suggestedName == nil
        default: false
        }
    }

    @Sendable private static func whyNoCount(_ dialog: PreviewDialog) -> String? {
        dialog.counting == nil ? "this edit doesn't change a counter" : nil
    }

    @Sendable private static func whyNoName(_ dialog: PreviewDialog) -> String? {
        guard dialog.suggestedName == nil else { return nil }
        return dialog.createsDevice
            ? "this device has the name that you chose; to change it, use the Devices pane"
            : "here, you can only name a new device"
    }

    /// Keeps the typed name, or else the suggested name, until the write.
    ///
    /// - Returns: Whether a name was being typed.
    private mutating func acceptName() -> Bool {
        guard let naming else { return false }
        let name = naming.text.trimmingCharacters(in: .whitespaces)
        deviceName = name.isEmpty ? suggestedName : name
        self.naming = nil
        return true
    }

    /// Previews a different amount. An amount of zero closes the preview.
    private func count(by step: Int64) -> [ScreenOutcome] {
        guard let (row, amount) = counting else { return [] }
        let (sum, isTooMuch) = amount.addingReportingOverflow(step)
        if isTooMuch { return [] }
        guard sum != 0 else {
            return [
                .close(), .notice(.info, "nothing to write: the counter stays the same"),
            ]
        }
        return [.preview(source, [.count(row, by: sum)])]
    }

    private mutating func scroll(by lines: Int, in context: ScreenContext) {
        scrolled.move(by: lines, to: lineCount(in: context))
    }

    /// Asks for the row count, and mentions how to scroll to all changes.
    private mutating func askForCount(_ keymap: Keymap) {
        problem = "type \(rowCount) and \(keymap.hint(for: "preview-count")) to write"
        let scrolling = keymap.hint(
            "preview-down", "preview-up", "preview-page-down", "preview-page-up", "preview-first",
            "preview-last", title: "scroll")
        if let scrolling { problem? += "; \(scrolling.keys) \(scrolling.title)" }
    }

    /// Returns the maximum number of lines of the changes and warnings.
    private func lineCount(in context: ScreenContext) -> Int {
        previews.reduce(0) { count, preview in
            preview.changes.reduce(count + 6 + preview.warnings.count) {
                $0 + $1.lineCount(in: context)
            }
        }
    }

    func takes(_ character: Character) -> Bool {
        naming != nil || needsCount && character.isNumber
    }
    mutating func fieldChanged(in context: ScreenContext) -> [ScreenOutcome] {
        problem = nil
        return []
    }
    mutating func pressedNothing(in context: ScreenContext) -> [ScreenOutcome]? {
        if naming != nil { return nil }
        if needsCount { askForCount(context.keymap) }
        return needsCount || isWaiting ? [] : nil
    }

    func hints(in context: ScreenContext) -> [Hint] {
        if pending != nil { return [] }
        if naming != nil {
            return [
                context.keymap.hint("preview-count", title: "use the name"),
                context.keymap.hint("preview-no", title: "cancel"),
            ].compactMap(\.self)
        }
        let no = context.keymap.hint("preview-no", title: "cancel")
        // The last line is the question.
        let scroll =
            context.fits(lineCount(in: context) + 1)
            ? nil : context.keymap.hint("preview-down", "preview-up", title: "scroll")
        if context.whyNotThere != nil { return [no, scroll].compactMap(\.self) }
        let yes =
            needsCount
            ? Hint(
                keys: "\(rowCount) \(context.keymap.hint(for: "preview-count"))",
                title: verb)
            : context.keymap.hint("preview-yes", title: verb)
        let more =
            counting == nil
            ? nil : context.keymap.hint("preview-more", "preview-less", title: "adjust")
        let name =
            suggestedName == nil ? nil : context.keymap.hint("preview-name", title: "name")
        return [yes, more, no, name, scroll].compactMap(\.self)
    }

    func draw(on canvas: inout Canvas) {
        var lines: [TextLine] = []
        for preview in previews {
            lines += canvas.sentence("", canvas.theme.text(preview.summary), .title)
            for change in preview.changes {
                lines.append(TextLine([("  " + canvas.theme.text(change.subject), .key)]))
                if let old = change.old, old == change.new {
                    lines += canvas.lines("  = ", old, .plain)
                    lines.append(TextLine("    \(effect(ofSameValueIn: preview))", .dim))
                } else {
                    lines += canvas.lines(of: change)
                }
            }
            lines += preview.warnings.flatMap { canvas.sentence("! ", $0, .warning) }
        }
        if let preview = previews.first {
            lines.append(TextLine(""))
            if let device = preview.device {
                lines.append(
                    TextLine([
                        ("device  ", .label),
                        (
                            deviceName.map { canvas.theme.text($0) } ?? canvas.text(of: device),
                            canvas.role(of: .device(device))
                        ),
                        (createsDevice ? "  (new)" : "", .warning),
                    ]))
            }
            lines += fileLines.enumerated().map { index, text in
                TextLine([(index == 0 ? "file    " : "        ", .label), (text, .plain)])
            }
        }
        // Problems and warnings stay visible next to the question while the changes scroll.
        let problems = problem.map { canvas.sentence("! ", canvas.theme.text($0), .error) } ?? []
        let end = newDeviceNote(on: canvas) + question(on: canvas)
        let isWhole = lines.count + problems.count + end.count + 2 <= canvas.dialogArea.rows
        let foot = problems + (isWhole ? [] : warnings(on: canvas)) + end
        let title =
            switch direction {
            case .edit: verb.capitalized + "?"
            case .undo: "Undo this change?"
            case .redo: "Redo this change?"
            }
        canvas.drawLines(lines, over: foot, title: title, scrolled: scrolled)
    }

    /// Returns the reason why an edit writes the current value again.
    private func effect(ofSameValueIn preview: EditPreview) -> String {
        if direction == .undo { return "the value is the same; the conflict comes back" }
        // Redoing writes the current value again only if the edit resolved a conflict.
        let resolves =
            direction == .redo || preview.resolvesConflict || preview.edit.kind == .resolve
        return resolves
            ? "the value is the same; writing it resolves the conflict"
            : "the value is the same; its type may change"
    }

    /// The files that are written, each once.
    private var fileLines: [String] {
        let files = previews.compactMap(\.file).uniqued()
        if files.isEmpty { return ["none (kept in memory for this run)"] }
        let limit = 8
        let more = files.count > limit ? ["and \(files.count - limit) more"] : []
        return Array(files.prefix(limit)) + more
    }

    /// Returns the warnings in short, because the full ones may be scrolled out of sight.
    private func warnings(on canvas: Canvas) -> [TextLine] {
        let all = previews.flatMap(\.warnings)
        guard let first = all.first else { return [] }
        let more = all.count > 1 ? ", and \(Counted.text(all.count - 1, "more warning"))" : ""
        return canvas.sentence("! ", canvas.theme.text(first + more), .warning)
    }

    private func newDeviceNote(on canvas: Canvas) -> [TextLine] {
        guard createsDevice, pending == nil, canvas.context.whyNotThere == nil else { return [] }
        let key = canvas.context.keymap.hint(for: "preview-name")
        let name = suggestedName == nil || key.isEmpty ? "" : "; \(key): name this device"
        return canvas.sentence("", "New device: writing creates its folder\(name)", .warning)
    }

    private func question(on canvas: Canvas) -> [TextLine] {
        let keymap = canvas.context.keymap
        let (yes, no) = (keymap.hint(for: "preview-yes"), keymap.hint(for: "preview-no"))
        if pending != nil { return [TextLine(canvas.theme.text("writing …"), .progress)] }
        if let reason = canvas.context.whyNotThere {
            return canvas.sentence("! ", "\(reason)   \(no): cancel", .error)
        }
        if let naming {
            let suggestion = canvas.theme.text(suggestedName ?? "")
            let enter = keymap.hint(for: "preview-count")
            return [
                TextLine([
                    ("Name of this device: ", .warning),
                    (canvas.theme.text(naming.text) + "_", .input),
                    (naming.text.isEmpty ? "  (\(enter): \(suggestion))" : "", .dim),
                ])
            ]
        }
        if needsCount {
            let enter = keymap.hint(for: "preview-count")
            return [
                TextLine([
                    ("Type \(rowCount) and \(enter) to \(verb): ", .warning),
                    (count.text + "_", .input),
                ])
            ]
        }
        return [TextLine("\(yes): \(verb)   \(no): cancel", .warning)]
    }
}

extension EditPreview {
    fileprivate var shownRowCount: Int {
        if let rowCount { return rowCount }
        return switch edit {
        // Rows that already have the restored values are not written.
        case .restore: changes.count
        case .remove(let rows, _), .takeOver(let rows): rows.count
        case .revert(let written): max(1, written.rowCount)
        default: 1
        }
    }
}

extension EditPreview.Change {
    /// Returns the maximum number of lines in which a dialog shows the change.
    func lineCount(in context: ScreenContext) -> Int {
        let columns = max(10, context.size.columns * 9 / 10 - 8)
        return [old, new].compactMap(\.self).reduce(2) {
            let text = $1.isCut ? $1.whole?.text ?? $1.line : $1.line
            let lines = text.utf8.count / columns + text.utf8.count { $0 == 10 } + 1
            return $0 + min(lines, Canvas.longestValue)
        }
    }
}
