import Replication
import TidelineCore

extension Model {
    /// Returns the value of a successful answer, or shows why the request failed.
    mutating func success<Value: Sendable>(of answer: Answer<Value>) -> Value? {
        switch answer {
        case .success(let value): return value
        case .failure(let failure):
            say(.error, failure.message)
            return nil
        }
    }

    mutating func receiveConflicts(_ id: RequestID, _ answer: Answer<[RowID: [RowConflict]]>) {
        let isMissing = session.status.phase == .missing
        overlay?.changeFirst(where: { (view: ConflictView) in view.pending == id }) { view in
            view.pending = nil
            if isMissing, view.conflict != nil { return }
            switch answer {
            case .success(let known):
                let conflict = known[view.row]?.first
                view.show(conflict)
                view.problem = conflict == nil ? "the conflict is resolved" : nil
            case .failure(let failure): view.problem = failure.message
            }
        }
    }

    mutating func receiveConflictDetail(_ id: RequestID, _ answer: Answer<ConflictDetail?>) {
        let isMissing = session.status.phase == .missing
        overlay?.changeFirst(where: { (view: ConflictView) in view.detailRequest == id }) { view in
            view.detailRequest = nil
            if isMissing, view.detail != nil { return }
            // If the details are missing, the user can still choose a side.
            if case .success(let detail) = answer { view.show(detail) }
        }
    }

    mutating func receiveProposal(_ id: RequestID, _ answer: Answer<RowConflict.Proposal?>) {
        overlay?.changeFirst(where: { (view: ConflictView) in view.proposalRequest == id }) {
            $0.proposalRequest = nil
            // The preview reports any failure, with the reason.
            if case .success(let proposal?) = answer { $0.show(picked: proposal) }
        }
    }

    mutating func receiveOpened(_ id: RequestID, _ answer: Answer<SourceInfo?>) -> [Effect] {
        guard let awaited = requests.take(id) else {
            // The user has left the parent list in the meantime.
            if case .success(let source?) = answer { return [.release([source.id])] }
            return []
        }
        switch (answer, awaited.purpose) {
        case (.success(let source?), _):
            guard list?.source.id == awaited.source else { return [.release([source.id])] }
            // Keep the notice when rows are grouped into folders. Grouping can happen at the start,
            // and the notice can contain a problem that was found at the start.
            if awaited.purpose != list?.source.folders.map({ .open($0) }) { notice = nil }
            // A comparison with another store replaces the previous one.
            var effects: [Effect] = []
            if awaited.purpose == .comparison,
                let previous = pane?.lists.firstIndex(where: \.isComparison)
            {
                effects += navigation.leaveInnerLists(
                    of: navigation.activePane, keeping: previous)
            }
            if case .open(_, []) = awaited.purpose, let list {
                enter(source, filter: list.source.info.innerFilter(of: list.query.filter))
            } else {
                enter(
                    source, isDifference: awaited.purpose == .difference,
                    isComparison: awaited.purpose == .comparison)
            }
            if case .open(let row, let path) = awaited.purpose {
                navigation.withList { $0.opener = row }
                if !path.isEmpty { return go(along: path) }
            }
            if awaited.purpose == .difference, time == nil { effects.append(forgetPastSoon()) }
            if let forms = list?.columnView.forms, !forms.isEmpty {
                effects.append(.showNumbers(source.id, forms))
            }
            return effects
        case (.success, .open(let row, _)):
            if let selected = list?.selectedRow, selected.id == row, selected.isConflict {
                return openConflict()
            }
            panels.focus = .inspector
        case (.success, .comparison): say(.info, "no differences between the stores")
        case (.success, _): break
        case (.failure(let failure), _):
            say(.error, failure.message)
        }
        return []
    }

    mutating func receiveEditable(_ id: RequestID, _ answer: Answer<TypedText?>) -> [Effect] {
        guard let awaited = requests.take(id) else { return [] }
        switch (answer, awaited.purpose) {
        case (.success(let typed?), .edit(let row, let field)):
            beginEditing(typed, row: row, field: field)
        case (.success(let typed?), .externalEdit(let row, let field)):
            let job = EditorJob(
                source: awaited.source, purpose: .set(row, field: field), kind: typed.kind,
                original: typed.text)
            return edit(job, text: typed.text)
        case (.success(let typed?), .duplicate): beginAdding(like: typed)
        case (.success, .duplicate): say(.warning, "the row no longer exists")
        case (.success, .edit), (.success, .externalEdit):
            if !selectFieldToEdit() { say(.warning, "no value to edit here") }
        case (.success, _): break
        case (.failure(let failure), _): say(.error, failure.message)
        }
        return []
    }

    /// Focuses the fields of a row that is edited field by field. Returns whether it has any.
    private mutating func selectFieldToEdit() -> Bool {
        if overlay?.module is ConflictView { overlay = nil }
        let context = context
        guard panels.focus == .list, panelStates.inspector.selectField(in: context) else {
            return false
        }
        panels.focus = .inspector
        let keymap = preferences.keymap
        say(
            .info,
            "choose a field in the inspector (\(keymap.hint(for: "down"))/\(keymap.hint(for: "up"))), "
                + "then press \(keymap.hint(for: "edit"))")
        return true
    }

    mutating func receiveCopyForms(_ id: RequestID, _ answer: Answer<[CopyForm]>) -> [Effect] {
        guard requests.take(id) != nil, var forms = success(of: answer) else { return [] }
        if forms.isEmpty, let row = list?.selectedRow {
            forms = [CopyForm("row", row.cells.map(\.text).joined(separator: "\t"))]
        }
        if panels.focus == .inspector, let line = panelStates.inspector.selectedLine {
            // A line about a write includes its device.
            let writer = line.writer.map { session.name(of: .device($0)) }
            let text = writer == line.label ? "\(line.label)  \(line.text)" : line.text
            forms.insert(CopyForm("line", text), at: 0)
        }
        let items = forms.map { form in
            Menu.Item(title: form.name, hint: String(form.text.prefix(200)), choice: .copy(form))
        }
        overlay = Overlay(Menu(title: "Copy", items: items))
        return []
    }

    mutating func receivePreviews(_ id: RequestID, _ answer: Answer<[EditPreview]>) -> [Effect] {
        switch overlay?.module {
        case var editor as FieldEditor where editor.pending == id:
            editor.pending = nil
            switch answer {
            case .success(let previews):
                // Canceling the preview returns to the typed text.
                overlay = Overlay(editor)
                showPreviews(typed: previews, source: editor.source)
            case .failure(let failure):
                editor.refuse(failure.message, in: context)
                overlay = Overlay(editor)
            }
            return []
        case var dialog as ChangedRowDialog where dialog.pending == id:
            dialog.pending = nil
            switch answer {
            case .success(let previews): dialog.after = previews
            case .failure(let failure):
                dialog.problem = failure.message
                dialog.isDeleted = failure.editCode == .notFound
            }
            overlay = Overlay(dialog)
            return []
        default: break
        }
        guard let awaited = requests.take(id) else { return [] }
        switch (answer, awaited.purpose) {
        case (.success(let previews), .preview(let direction, let subject)):
            if previews.contains(where: { $0.edit.kind == .run }) { notice = nil }
            if !previews.isEmpty, previews.allSatisfy({ !$0.edit.writes }) {
                return apply(previews, to: awaited.source)
            }
            showPreviews(previews, direction: direction, subject: subject, source: awaited.source)
        case (.success(let previews), .editorPreview(let job, let text)):
            let edited = EditedTextDialog(job: job, text: text, over: chooser)
            showPreviews(typed: previews, source: awaited.source)
            // Canceling returns to the text.
            overlay?.module.over = Overlay(edited)
        case (.failure(let failure), .preview(.undo, let subject?))
        where subject == writing.journal.nextToUndo?.id:
            say(.error, failure.message)
            writing.refusedEntry = subject
            return [.readJournal]
        case (.failure(let failure), .editorPreview(let job, let text)):
            overlay = Overlay(
                EditedTextDialog(job: job, text: text, problem: failure.message, over: chooser))
        case (.failure(let failure), _): say(.error, failure.message)
        case (.success, _): break
        }
        return []
    }

    mutating func receiveEdited(_ id: RequestID, _ answer: Answer<String?>) -> [Effect] {
        guard case .editor(let job) = requests.take(id)?.purpose else { return [] }
        // The user may have typed in the editor for a long time.
        pendingInput.lastTime = now
        if case .failure(let failure) = answer { keptTextPath = failure.keptPath }
        guard let text = success(of: answer) else {
            guard let draft = job.draft else { return [] }
            return receiveEdited(draft, for: job)
        }
        return receiveEdited(text, for: job)
    }

    mutating func receiveStore(_ id: RequestID, _ answer: Answer<String>) -> [Effect] {
        guard let awaited = requests.take(id) else { return [] }
        switch answer {
        case .success(let path):
            if let index = session.stores.names.firstIndex(of: path) {
                if index != session.stores.shown {
                    return leave(.show(by: index - session.stores.shown))
                }
                return say(.info, "\(path) is already open")
            }
            if case .store(isBeside: true) = awaited.purpose { return leave(.add(path: path)) }
            return leave(.open(path: path))
        case .failure(let failure):
            return say(.error, "can't open: \(failure.message)")
        }
    }

    mutating func wake(_ alarm: Alarm) -> [Effect] {
        requests.alarms[alarm] = nil
        switch alarm {
        case .marks: watching.marks.fade(at: now)
        case .deletedRows: session.version += 1
        // The clock has advanced, so a redraw suffices.
        case .ages, .timeline: break
        case .play:
            if time?.playing != nil { panelStates.timeline.step(backwards: false) }
        case .opening: pendingInput.waitsForStore = false
        case .past: return time == nil ? [.forgetPast] : []
        case .relock:
            let idle = now.microseconds(since: pendingInput.lastTime)
            guard writing.isWritable, idle >= Self.relockAfter else { break }
            // Writing can't be unlocked in a dialog, so its text could no longer be written.
            guard unwrittenText == nil, overlay?.module.isWaiting != true else {
                pendingInput.lastTime = now
                break
            }
            writing.isWritable = false
            let (effects, isUnfinished) = closeEdits()
            say(
                .info,
                isUnfinished
                    ? "writing is locked after 10 minutes without a key; nothing was written"
                    : "writing is locked again: no key was pressed for 10 minutes")
            return [.setWritable(false)] + effects
        }
        return []
    }

    /// Closes the dialogs of edits, in which writing can't be unlocked, and the overlays in front of
    /// them.
    ///
    /// - Returns: The effects, and whether a change was closed that wasn't written.
    private mutating func closeEdits() -> ([Effect], isUnfinished: Bool) {
        var (shown, last) = (overlay, Overlay?.none)
        var isUnfinished = false
        while let current = shown {
            if current.module.unfinished != nil || current.module is FieldEditor {
                last = current
                isUnfinished = isUnfinished || current.module.unfinished != nil
            }
            shown = current.module.over
        }
        guard let last else { return ([], false) }
        return (goBack(to: last.module.over), isUnfinished)
    }

    /// The time without a key press after which writing is locked, in microseconds.
    static let relockAfter: Int64 = 600_000_000
}
