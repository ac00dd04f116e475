import Foundation
import Replication
import TidelineCore

extension Model {
    mutating func askEditableValue(externally: Bool) -> [Effect] {
        if !externally, let (list, row, _) = selectedQuery {
            return askEditableValue(of: row, field: nil, in: list.id, externally: false)
        }
        guard let list, let row = list.selectedRow else { return [] }
        return askEditableValue(
            of: row.id, field: selectedField ?? row.editedProperty.map { FieldPath($0) },
            in: list.source.id, externally: externally)
    }

    mutating func askEditableValue(
        of row: RowID, field: FieldPath?, in source: SourceID, externally: Bool
    ) -> [Effect] {
        let id = requests.wait(
            for: externally ? .externalEdit(row: row, field: field) : .edit(row: row, field: field),
            of: source)
        return [.editableValue(id, source, row, field: field)]
    }

    mutating func beginEditing(_ typed: TypedText, row: RowID, field: FieldPath?) {
        guard let list else { return }
        if let (queries, query, _) = selectedQuery, query == row {
            return beginEditing(query: typed, row: row, in: queries)
        }
        var kinds = list.source.valueKinds
        if !kinds.contains(typed.kind) { kinds.insert(typed.kind, at: 0) }
        var editor = FieldEditor(
            source: list.source.id, purpose: .set(row, field: field), kinds: kinds,
            kind: typed.kind)
        let shown = list.rows.first { $0.id == row }
        let name = shown?.shownName ?? row.name
        editor.name = TextField(field?.title(ofRow: name) ?? name)
        editor.value = TextField(typed.text)
        editor.seen = typed
        // The other marked rows of a table also get the new value.
        if let field, list.source.tableName != nil, list.chosen.contains(row) {
            editor.others = list.targets.filter { $0 != row }
            if !editor.others.isEmpty {
                editor.name = TextField("\(field) of \(editor.others.count + 1) rows")
                editor.seen = nil
            }
        }
        open(editor)
    }

    /// Requests the values of the selected row, to add another row with them.
    mutating func askTemplate() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        let source = list.source.id
        return [.template(requests.wait(for: .duplicate, of: source), source, row.id)]
    }

    /// Opens the editor for a new row with the values of another row.
    mutating func beginAdding(like typed: TypedText) {
        guard let list else { return }
        var editor = FieldEditor(
            source: list.source.id, purpose: .add(parent: nil, field: nil),
            kinds: list.source.valueKinds, kind: typed.kind)
        editor.value = TextField(typed.text)
        open(editor)
    }

    mutating func beginAdding() {
        guard let list else { return }
        if list.source.holdsQueries { return beginQuery(in: list.source) }
        let kinds = list.source.valueKinds
        let parent = panels.focus == .inspector ? list.selectedRow?.id : nil
        var editor = FieldEditor(
            source: list.source.id, purpose: .add(parent: parent, field: nil), kinds: kinds,
            kind: kinds.first ?? .string, part: .name)
        switch selectedAddition {
        case .member(let field): editor.purpose = .add(parent: parent, field: field)
        case .item(let field, let number):
            editor.purpose = .add(parent: parent, field: field)
            editor.name = TextField(String(number))
            editor.isNumbered = true
            editor.part = .value
        case .property, nil: break
        }
        open(editor)
    }

    mutating func beginRenaming() {
        guard let list, let row = list.selectedRow else { return }
        if list.source.holdsQueries { return beginKeepingQuery() }
        let field = selectedField
        var name = row.cells.first?.text ?? row.id.name
        if pane?.id == .devices, let device = row.device {
            // The text of the cell includes more than the name.
            name = session.name(of: .device(device))
        }
        beginRenaming(row.id, field: field, from: field?.steps.last ?? name, in: list.source.id)
    }

    mutating func beginRenaming(
        _ row: RowID, field: FieldPath? = nil, from name: String, in source: SourceID
    ) {
        var editor = FieldEditor(source: source, purpose: .rename(row, field: field), part: .name)
        editor.name = TextField(name)
        if navigation.paneName(of: source) == PaneID.devices.text {
            editor.nameTitle = "Name of this device"
        } else if holdsQueries(source) {
            editor.nameTitle = "Save query"
        }
        open(editor)
    }

    mutating func open(_ editor: FieldEditor) {
        var editor = editor
        editor.begin(in: context)
        if overlay?.module is ConflictView { editor.over = overlay }
        overlay = Overlay(editor)
    }

    /// Requests the preview of the typed value, or the results of the typed query.
    mutating func acceptField() -> [Effect] {
        guard var editor = overlay?.module as? FieldEditor else { return [] }
        let effects = editor.accept(requests.newID())
        overlay = Overlay(editor)
        return effects
    }

    mutating func previewRemoval() -> [Effect] {
        guard let list else { return [] }
        let field = selectedField
        let rows = field == nil ? list.targets : list.selectedRow.map { [$0.id] } ?? []
        guard !rows.isEmpty else { return [] }
        return askPreview(.edit, source: list.source.id, [.remove(rows, field: field)])
    }

    mutating func previewTakingOver() -> [Effect] {
        guard let list, !list.targets.isEmpty else { return [] }
        return askPreview(.edit, source: list.source.id, [.takeOver(list.targets)])
    }

    mutating func previewCount(by amount: Int) -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        return askPreview(.edit, source: list.source.id, [.count(row.id, by: Int64(amount))])
    }

    mutating func previewUndo(_ direction: PreviewDialog.Direction) -> [Effect] {
        let entry =
            direction == .undo ? writing.journal.nextToUndo : writing.journal.redoable.last
        guard let entry else { return [] }
        return previewUndo(of: entry, direction)
    }

    /// Previews undoing an entry of the open journal, or redoing it.
    mutating func undo(_ entry: UndoHistory.Entry) -> [Effect] {
        if let reason = whyNoUndo(of: entry) {
            return say(.warning, reason)
        }
        overlay = nil
        return previewUndo(of: entry, entry.direction == .undo ? .redo : .undo)
    }

    mutating func previewUndo(of entry: UndoHistory.Entry, _ direction: PreviewDialog.Direction)
        -> [Effect]
    {
        // Changes that aren't saved are discarded, so there is nothing to undo.
        if direction == .undo, entry.applied.isPending { return withdraw() }
        guard let index = navigation.panes.map(\.id).index(undoing: entry),
            let source = navigation.panes[index].lists.first?.source.id
        else {
            let hint = entry.id == writing.journal.nextToUndo?.id ? earlierChangeHint : ""
            return say(
                .warning,
                "\(entry.applied.summary): this store has no pane \(entry.pane)\(hint)")
        }
        return askPreview(
            direction, subject: entry.id, source: source, entry.applied.undo)
    }

    /// A hint that changes before the newest one can be undone; empty if there are none.
    private var earlierChangeHint: String {
        let key = keymap.hint(for: "journal")
        let isUseful = writing.journal.undoable.count > 1 && !key.isEmpty
        return isUseful ? "; \(key): undo an earlier change" : ""
    }

    /// Adopts the entries of the journal file. If undo was refused and another window has added
    /// a newer entry, a notice says that the newer entry is undone next. Otherwise, the same entry
    /// would be refused again, so the notice says how to undo earlier changes.
    mutating func receiveJournal(_ kept: [JournalEntry]) {
        writing.journal.read(kept)
        guard let refused = writing.refusedEntry else { return }
        writing.refusedEntry = nil
        guard let next = writing.journal.nextToUndo, notice?.kind == .error else { return }
        guard next.id != refused else {
            let hint = earlierChangeHint
            notice?.text += hint
            return
        }
        let key = keymap.hint(for: "undo")
        notice?.text += "; \(key): first undo \(next.applied.summary)"
        if let change = next.applied.changes.shortChange { notice?.text += " (\(change))" }
    }

    mutating func askPreview(
        _ direction: UndoHistory.Direction, subject: UUID? = nil, source: SourceID, _ edits: [Edit]
    ) -> [Effect] {
        [
            .preview(
                requests.wait(for: .preview(direction, subject: subject), of: source), source, edits
            )
        ]
    }

    // MARK: External editor

    mutating func edit(_ job: EditorJob, text: String) -> [Effect] {
        let id = requests.wait(for: .editor(job), of: job.source)
        return [.terminal(.edit(id, text: text, fileExtension: job.fileExtension))]
    }

    mutating func merge(_ job: EditorJob, _ texts: MergedTexts, with tool: MergeTool) -> [Effect] {
        let id = requests.wait(for: .editor(job), of: job.source)
        return [.terminal(.merge(id, texts, fileExtension: job.fileExtension, with: tool))]
    }

    mutating func receiveEdited(_ text: String?, for job: EditorJob) -> [Effect] {
        guard let text = text ?? job.draft else {
            return say(.info, "no changes saved")
        }
        let value = job.value(in: text)
        // Texts in different Unicode normal forms are equal, but not the same bytes.
        if case .set = job.purpose, value.utf8.elementsEqual(job.original.utf8) {
            return say(.info, EditError.sameValue.message)
        }
        let id = requests.wait(for: .editorPreview(job, text: text), of: job.source)
        if !job.sides.isEmpty {
            return [.previewMerge(id, job.source, job.edit(with: value), of: job.sides)]
        }
        return [.preview(id, job.source, [job.edit(with: value)], typedOver: job.seen)]
    }
}
