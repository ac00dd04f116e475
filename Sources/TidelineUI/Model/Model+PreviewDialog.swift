import Foundation
import TidelineCore

extension Model {
    mutating func showPreviews(
        _ previews: [EditPreview], direction: PreviewDialog.Direction, subject: UUID? = nil,
        source: SourceID
    ) {
        // An open preview is replaced if the user changes the amount for a counter. The edit is
        // still the same, so keep the device's name.
        let deviceName = (overlay?.module as? PreviewDialog)?.deviceName
        overlay = Overlay(
            PreviewDialog(
                source: source, direction: direction, subject: subject, previews: previews,
                over: chooser, suggestedName: suggestedDeviceName(for: previews),
                deviceName: deviceName))
    }

    /// Carries out edits that only change the view, without asking.
    mutating func apply(_ previews: [EditPreview], to source: SourceID) -> [Effect] {
        let id = requests.newID()
        let direction = PreviewDialog.Direction.edit
        overlay = Overlay(
            PreviewDialog(source: source, direction: direction, previews: previews, pending: id))
        let note = JournalNote(
            pane: navigation.paneName(of: source), direction: direction.kept)
        return [.apply(id, source, previews, note)]
    }

    /// The overlay to return to if edits are canceled.
    var chooser: Overlay? {
        switch overlay?.module {
        case is ConflictView, is ManyConflicts, is FieldEditor: overlay
        case let changed as ChangedRowDialog: changed.over
        default: nil
        }
    }

    /// Shows the preview of typed edits. If the value changed in the meantime, first compares the
    /// previous, current and typed values.
    mutating func showPreviews(typed previews: [EditPreview], source: SourceID) {
        guard previews.contains(where: { $0.baseline != nil }) else {
            return showPreviews(previews, direction: .edit, source: source)
        }
        let isRemoved = previews.allSatisfy { preview in
            preview.baseline == nil || preview.changes.allSatisfy { $0.old == nil }
        }
        let problem =
            isRemoved
            ? "the row was deleted while you were typing"
            : "the value changed while you were typing"
        overlay = Overlay(
            ChangedRowDialog(
                source: source, direction: .edit, before: previews.map(\.asTyped),
                after: previews, problem: problem, over: chooser))
    }

    /// Writes the edits of the open preview.
    mutating func write() -> [Effect] {
        guard var dialog = overlay?.module as? PreviewDialog else { return [] }
        let needsWriting =
            dialog.previews.contains(where: \.edit.writes) && !holdsQueries(dialog.source)
        if needsWriting, let reason = whyNoWritingNow {
            return say(.warning, reason)
        }
        let id = requests.newID()
        dialog.pending = id
        dialog.problem = nil
        overlay = Overlay(dialog)
        let note = JournalNote(
            pane: navigation.paneName(of: dialog.source), direction: dialog.direction.kept,
            subject: dialog.subject)
        return [.apply(id, dialog.source, dialog.previews, note)]
    }

    /// Closes the overlay and shows the overlay behind it.
    mutating func goBack(to overlay: Overlay?) -> [Effect] {
        self.overlay = nil
        return overlay.map { open($0) } ?? []
    }

    /// Opens an overlay, or returns to it. The sides of a conflict are read again.
    mutating func open(_ overlay: Overlay) -> [Effect] {
        self.overlay = overlay
        guard var view = overlay.module as? ConflictView else { return [] }
        let context = context
        let effects = view.load(in: context, &requests)
        self.overlay = Overlay(view)
        return effects
    }

    mutating func receiveApplied(
        _ id: RequestID, _ applied: [AppliedEdit], left: [EditPreview], failure: RequestFailure?
    ) -> [Effect] {
        guard var dialog = overlay?.module as? PreviewDialog, dialog.pending == id else {
            return []
        }
        dialog.pending = nil
        if let whole = AppliedEdit(applied) {
            if dialog.previews.contains(where: \.edit.writes) {
                writing.journal.record(
                    .init(
                        pane: navigation.paneName(of: dialog.source), applied: whole,
                        direction: dialog.direction, subject: dialog.subject))
            }
            session.version += 1
        }
        if applied.contains(where: \.isPending), let text = dialog.unwrittenText, !text.isEmpty {
            writing.unsavedTexts.append(text)
        }
        guard let failure else {
            overlay = nil
            // Keep the selection after restoring, so that the user can restore several rows in
            // turn. Other edits select the written row.
            let restores = dialog.previews.allSatisfy { $0.edit.kind == .restore }
            let stays = restores || !dialog.previews.contains(where: \.edit.writes)
            let effects = time != nil && stays ? [] : leavePast()
            afterWriting(dialog, applied)
            advanceConflict(after: dialog, applied)
            if time != nil {
                let now = keymap.hint(for: "now")
                notice?.text += "; \(now): return to now"
            }
            return effects + nameDevice(dialog.deviceName)
        }
        let skippedEdits = Set(applied.flatMap(\.skipped).map(\.edit))
        let skipped = dialog.previews.filter { skippedEdits.contains($0.edit) }
        let progress = dialog.progress(left: left, skipped: skipped)
        let problem = failure.message.withRelativePaths(inStoreAt: session.path) + (progress ?? "")
        if failure.editCode == .moved {
            let request = requests.newID()
            overlay = Overlay(
                ChangedRowDialog(
                    source: dialog.source, direction: dialog.direction,
                    subject: dialog.subject, before: left, problem: problem, pending: request,
                    over: dialog.over?.module.unwrittenText == nil ? nil : dialog.over))
            return [.preview(request, dialog.source, left.map(\.edit))]
        }
        // The number of rows has changed, so the user must confirm it again.
        if left.count < dialog.previews.count { dialog.count = TextField() }
        dialog.previews = left.map { preview in
            var preview = preview
            // The reason replaces the warning that announced it.
            preview.warnings.removeAll { $0.hasPrefix(failure.message) }
            return preview
        }
        let isNothing = progress == nil && failure.editCode != .unconfirmed
        dialog.problem = (isNothing ? "nothing was written: " : "") + problem
        overlay = Overlay(dialog)
        return []
    }

    /// Discards unsaved changes.
    mutating func withdraw() -> [Effect] {
        say(.info, "discarding unsaved changes …")
        writing.isWithdrawing = true
        return [.withdraw(requests.newID())]
    }

    /// Reports that the pending changes are saved, and shows them.
    mutating func noteSaved() {
        writing.unsavedTexts = []
        let saved = writing.journal.notePendingWritten()
        guard !saved.isEmpty else { return }
        session.version += 1
        say(.done, "saved: \(AppliedEdit.summary(of: saved))")
    }

    mutating func receiveWithdrawn(_ answer: Answer<[String]>) -> [Effect] {
        writing.isWithdrawing = false
        switch answer {
        case .success([]):
            writing.journal.notePendingWritten()
            return say(.done, "nothing to discard: all edits are saved")
        case .success(let subjects):
            writing.unsavedTexts = []
            let forgotten = writing.journal.removePending()
            session.version += 1
            say(.done, "discarded: \(subjects.joined(separator: ", "))")
            return forgotten.isEmpty ? [] : [.forget(forgotten)]
        case .failure(let failure):
            return say(.error, failure.message)
        }
    }

    private mutating func afterWriting(_ dialog: PreviewDialog, _ applied: [AppliedEdit]) {
        let skipped = applied.flatMap(\.skipped)
        let summary =
            dialog.summaryOfMany(skipping: skipped.count) ?? AppliedEdit.summary(of: applied)
        let key = keymap.hint(for: "undo")
        switch dialog.direction {
        case _ where applied.contains(where: \.isPending):
            let reason = session.status.unsaved.map { ": \($0.reason)" } ?? ""
            say(.warning, "not saved yet, retrying (\(key): discard)\(reason)")
        case .edit where applied.contains(where: { !$0.undo.isEmpty }):
            let lasting = AppliedEdit(applied)?.lasting ?? []
            let rest =
                lasting.isEmpty ? "" : "; can't be undone: \(AppliedEdit.summary(lasting))"
            say(.done, "\(AppliedEdit.done(summary)) (\(key): undo)\(rest)")
        case .edit: say(.done, AppliedEdit.done(summary))
        case .undo:
            let undone = writing.journal.applied(ofSubject: dialog.subject)
            say(.done, "undone: \(undone?.undoneSummary ?? summary)")
        case .redo: say(.done, "redone: \(summary)")
        }
        if !skipped.isEmpty, let text = notice?.text {
            say(.warning, "\(text); \(SkippedEdit.summary(of: skipped))")
        }
        finishWriting(dialog, applied)
    }

    private mutating func finishWriting(_ dialog: PreviewDialog, _ applied: [AppliedEdit]) {
        navigation.withList { $0.unmark() }
        if let part = dialog.previews.first?.edit.partAfter { panelStates.inspector.want(part) }
        if dialog.previews.first?.edit.kind == .restore { panelStates.inspector.showRow() }
        guard list?.source.id == dialog.source else { return }
        let removesOnly = dialog.previews.allSatisfy { $0.edit.kind == .remove }
        let rows = applied.flatMap(\.rows)
        let renamed = dialog.previews.first?.edit.renamedRow
        if !removesOnly, let row = rows.first(where: { $0 != renamed }) ?? rows.first {
            navigation.reveal(row)
        }
    }
}

extension Edit {
    /// The row that the edit renames; `nil` for other edits, and for parts of rows.
    fileprivate var renamedRow: RowID? {
        if case .rename(let row, nil, _) = self { row } else { nil }
    }

    /// The part of a row that the edit renames, with its new name.
    fileprivate var partAfter: FieldPath? {
        switch self {
        case .add(let name, .some, let field, _) where !name.isEmpty:
            field?.inside(name) ?? FieldPath(name)
        case .rename(_, let field?, let name):
            field.steps.isEmpty
                ? FieldPath(name)
                : FieldPath(
                    field.property, entry: field.entry, steps: field.steps.dropLast() + [name])
        default: nil
        }
    }
}

extension PreviewDialog {
    /// Returns the text to show after the reason why a write failed: how many rows were written,
    /// skipped and not written (`left`). `nil` if nothing was written.
    fileprivate func progress(left: [EditPreview], skipped: [EditPreview]) -> String? {
        guard left.count + skipped.count < previews.count else { return nil }
        func count(_ part: [EditPreview]) -> Int {
            var dialog = self
            dialog.previews = part
            return dialog.rowCount
        }
        let (left, skipped) = (count(left), count(skipped))
        let counts = [
            ("written", rowCount - left - skipped), ("skipped", skipped), ("not written", left),
        ]
        return "; "
            + counts.filter { $0.1 > 0 }.map { "\(Counted.grouped($0.1)) \($0.0)" }
            .joined(separator: ", ")
    }

    /// Returns the summary of resolving several rows, some skipped; `nil` for other edits.
    fileprivate func summaryOfMany(skipping skipped: Int) -> String? {
        let count = rowCount - skipped
        guard count > 1, direction == .edit, previews.allSatisfy({ $0.edit.kind == .resolve }),
            let first = previews.first?.changes.first?.subject
        else { return nil }
        let names = skipped > 0 ? "" : ": \(first), …"
        return "resolve \(Counted.grouped(count)) conflicts\(names)"
    }
}

extension EditPreview {
    /// The preview with the values that were stored when typing started.
    fileprivate var asTyped: EditPreview {
        guard let seen = baseline, !changes.isEmpty else { return self }
        var preview = self
        let isText = seen.kind == .string || seen.kind == .text
        let line = isText ? JSONValue.string(seen.text).line : seen.text
        preview.changes[0].old = Value(line, whole: seen, isCut: seen.text.contains("\n"))
        return preview
    }
}
