import Foundation
import Replication
import TidelineCore

/// The preview of edits, waiting for confirmation.
struct Review: OverlayModule {
    typealias Direction = Journal.Direction

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
    /// The suggested name of the device that the write creates; `nil` if it needs no name.
    var suggestedName: String?
    /// The name that the user has given to this device.
    var deviceName: String?
    /// The name of this device that is being typed.
    private(set) var naming: TextField?
    private(set) var scrolled = Scrolled.start

    /// The number of rows that the user asked to change. Rows that change as a consequence, such as
    /// the old name of a renamed row or the relationships of a deleted one, are not counted.
    var rowCount: Int { previews.reduce(0) { $0 + $1.shownRowCount } }
    /// Changing more than one row requires typing the row count. Undo doesn't, because it only
    /// restores what a confirmed write changed.
    var needsCount: Bool { direction != .undo && rowCount > 1 }

    static let kind = Overlay.Kind.preview
    static let group = Action.Group.preview
    var overlay: Overlay { .preview(self) }
    var isWaiting: Bool { pending != nil }
    var unfinished: String? {
        pending == nil ? "a change is waiting for confirmation" : "a write is in progress"
    }
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

    static let actions: [Action] = [
        action("preview-yes", "Write") { model, review in
            if review.acceptName() { return [] }
            guard review.needsCount else { return review.write(in: &model) }
            review.problem =
                "more than one row changes: type \(review.rowCount) and "
                + model.preferences.keymap.hint(for: "preview-count")
            return []
        },
        action("preview-count", "Write, after typing the row count") { model, review in
            if review.acceptName() { return [] }
            guard review.needsCount else {
                review.problem =
                    "\(model.preferences.keymap.hint(for: "preview-count")) doesn't confirm here. Press "
                    + model.preferences.keymap.hint(for: "preview-yes")
                return []
            }
            if Int(review.count.text) == review.rowCount { return review.write(in: &model) }
            review.problem = "type \(review.rowCount) to change that many rows"
            return []
        },
        action("preview-no", "Cancel") { model, review in
            if review.naming != nil {
                review.naming = nil
                return []
            }
            model.closeOverlay()
            model.say(.info, "nothing was written")
            return review.over.map { model.show(again: $0) } ?? []
        },
        action("preview-more", "Add one to the counter's change", unless: whyNoCount) {
            $1.count(by: 1, in: &$0)
        },
        action("preview-less", "Subtract one from the counter's change", unless: whyNoCount) {
            $1.count(by: -1, in: &$0)
        },
        change("preview-name", "Name this device", unless: whyNoName) { _, review in
            review.naming = TextField(review.deviceName ?? review.suggestedName ?? "")
        },
        change("preview-down", "Line down") { $1.scroll(by: 1, in: $0) },
        change("preview-up", "Line up") { $1.scroll(by: -1, in: $0) },
        change("preview-page-down", "Page down") { $1.scroll(by: 10, in: $0) },
        change("preview-page-up", "Page up") { $1.scroll(by: -10, in: $0) },
        change("preview-first", "First line") { $1.scrolled = .start },
        change("preview-last", "Last line") { $1.scrolled = .end },
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

    @Sendable private static func whyNoCount(_ review: Review) -> String? {
        review.counting == nil ? "the preview is not of a counter" : nil
    }

    @Sendable private static func whyNoName(_ review: Review) -> String? {
        review.suggestedName == nil ? "only a new device is named here" : nil
    }

    /// Keeps the typed name until the write.
    ///
    /// - Returns: Whether a name was being typed.
    private mutating func acceptName() -> Bool {
        guard let naming else { return false }
        let name = naming.text.trimmingCharacters(in: .whitespaces)
        deviceName = name.isEmpty ? nil : name
        self.naming = nil
        return true
    }

    /// Previews a different amount. An amount of zero closes the preview.
    private func count(by step: Int64, in model: inout Model) -> [Effect] {
        guard let (row, amount) = counting else {
            model.say(.info, "the preview is not of a counter")
            return []
        }
        let (sum, isTooMuch) = amount.addingReportingOverflow(step)
        if isTooMuch { return [] }
        guard sum != 0 else {
            model.closeOverlay()
            model.say(.info, "nothing to write: the counter stays the same")
            return []
        }
        return model.askPreview(.edit, source: source, [.count(row, by: sum)])
    }

    private mutating func scroll(by lines: Int, in model: Model) {
        scrolled.move(by: lines, to: lineCount(in: model))
    }

    /// Asks for the row count, and mentions how to scroll to all changes.
    private mutating func askForCount(in model: Model) {
        problem =
            "type \(rowCount) and \(model.preferences.keymap.hint(for: "preview-count")) to write"
        let scrolling = model.hint(
            "preview-down", "preview-up", "preview-page-down", "preview-page-up", "preview-first",
            "preview-last", title: "scroll")
        if let scrolling { problem? += "; \(scrolling.keys) \(scrolling.title)" }
    }

    /// Returns the maximum number of lines of the changes and warnings.
    private func lineCount(in model: Model) -> Int {
        let columns = max(10, model.panels.size.columns * 9 / 10 - 8)
        return previews.reduce(0) { count, preview in
            let values = preview.changes.flatMap { [$0.old, $0.new] }.compactMap(\.self)
            return values.reduce(count + 6 + preview.changes.count * 2 + preview.warnings.count) {
                let text = $1.isCut ? $1.whole?.text ?? $1.line : $1.line
                let lines = text.utf8.count / columns + text.utf8.count { $0 == 10 } + 1
                return $0 + min(lines, Screen.longestValue)
            }
        }
    }

    func takes(_ character: Character) -> Bool {
        naming != nil || needsCount && character.isNumber
    }
    mutating func fieldChanged(in model: inout Model) { problem = nil }
    mutating func pressedNothing(in model: inout Model) -> Bool {
        if naming != nil { return false }
        if needsCount { askForCount(in: model) }
        return needsCount || isWaiting
    }

    func hints(in model: Model) -> [Hint] {
        if pending != nil { return [] }
        if naming != nil {
            return [
                model.hint("preview-count", title: "keep the name"),
                model.hint("preview-no", title: "cancel"),
            ].compactMap(\.self)
        }
        let no = model.hint("preview-no", title: "cancel")
        let scroll = model.hint("preview-down", "preview-up", title: "scroll")
        if model.whyNotThere != nil { return [no, scroll].compactMap(\.self) }
        let yes =
            needsCount
            ? Hint(
                keys: "\(rowCount) \(model.preferences.keymap.hint(for: "preview-count"))",
                title: verb)
            : model.hint("preview-yes", title: verb)
        let more =
            counting == nil
            ? nil : model.hint("preview-more", "preview-less", title: "adjust")
        let name = suggestedName == nil ? nil : model.hint("preview-name", title: "name")
        return [yes, more, no, name, scroll].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        var lines: [TextLine] = []
        for preview in previews {
            lines += screen.sentence("", screen.theme.text(preview.summary), .title)
            for change in preview.changes {
                lines.append(TextLine([("  " + screen.theme.text(change.subject), .key)]))
                if let old = change.old, old == change.new {
                    lines += screen.lines("  = ", old, .plain)
                    let effect =
                        direction == .undo
                        ? "the conflict comes back"
                        : preview.edit.kind == .resolve
                            ? "written again to resolve" : "written again"
                    lines.append(TextLine("    value unchanged; \(effect)", .dim))
                } else {
                    lines += screen.lines(of: change)
                }
            }
            lines += preview.warnings.flatMap { screen.sentence("! ", $0, .warning) }
        }
        if let preview = previews.first {
            lines.append(TextLine(""))
            if let device = preview.device {
                lines.append(
                    TextLine([
                        ("device  ", .label),
                        (
                            deviceName.map { screen.theme.text($0) } ?? screen.text(of: device),
                            screen.role(of: .device(device))
                        ),
                        (createsDevice ? "  (new)" : "", .warning),
                    ]))
            }
            lines += fileLines.enumerated().map { index, text in
                TextLine([(index == 0 ? "file    " : "        ", .label), (text, .plain)])
            }
        }
        // Problems stay visible next to the question while the changes scroll.
        let foot =
            (problem.map { screen.sentence("! ", screen.theme.text($0), .error) } ?? [])
            + news(on: screen) + [question(on: screen)]
        let title =
            switch direction {
            case .edit: verb.capitalized + "?"
            case .undo: "Undo this change?"
            case .redo: "Redo this change?"
            }
        screen.drawLines(lines, over: foot, title: title, scrolled: scrolled)
    }

    /// The files that are written, each once.
    private var fileLines: [String] {
        var files: [String] = []
        for file in previews.compactMap(\.file) where !files.contains(file) { files.append(file) }
        if files.isEmpty { return ["none (kept in memory for this run)"] }
        let limit = 8
        let more = files.count > limit ? ["and \(files.count - limit) more"] : []
        return Array(files.prefix(limit)) + more
    }

    private func news(on screen: Screen) -> [TextLine] {
        guard createsDevice, pending == nil, screen.model.whyNotThere == nil else { return [] }
        let key = screen.model.preferences.keymap.hint(for: "preview-name")
        let name = suggestedName == nil || key.isEmpty ? "" : ". \(key): name this device"
        return screen.sentence("", "New device: writing creates its folder\(name)", .warning)
    }

    private func question(on screen: Screen) -> TextLine {
        let keymap = screen.model.preferences.keymap
        let (yes, no) = (keymap.hint(for: "preview-yes"), keymap.hint(for: "preview-no"))
        if pending != nil { return TextLine(screen.theme.text("writing …"), .progress) }
        if let reason = screen.model.whyNotThere {
            return TextLine("! \(reason)   \(no): cancel", .error)
        }
        if let naming {
            return TextLine([
                ("Name of this device: ", .warning),
                (screen.theme.text(naming.text) + "_", .input),
            ])
        }
        if needsCount {
            let enter = keymap.hint(for: "preview-count")
            return TextLine([
                ("Type \(rowCount) and \(enter) to \(verb): ", .warning),
                (count.text + "_", .input),
            ])
        }
        return TextLine("\(yes): \(verb)   \(no): cancel", .warning)
    }
}

extension EditPreview {
    fileprivate var shownRowCount: Int {
        if let rowCount { return rowCount }
        return switch edit {
        // Rows that already have the restored values are not written.
        case .restore: changes.count
        case .remove(let rows, _): rows.count
        case .revert(let written): max(1, written.rowCount)
        default: 1
        }
    }
}

extension Review {
    fileprivate mutating func write(in model: inout Model) -> [Effect] {
        let needsWriting = previews.contains(where: \.edit.writes) && !model.holdsQueries(source)
        if needsWriting, let reason = model.canWriteNow.reason {
            model.say(.warning, reason)
            return []
        }
        let id = model.requests.newID()
        pending = id
        problem = nil
        return [
            .apply(
                id, source, previews,
                JournalNote(
                    pane: model.navigation.paneName(of: source), direction: direction.kept,
                    subject: subject))
        ]
    }
}
