import Replication
import TidelineCore

extension Model {
    /// Whether the store can be written now.
    var canWrite: Availability {
        if let whyPast { return .unavailable(because: whyPast) }
        return canWriteNow
    }

    /// Whether the store can be written, whichever instant is shown.
    var canWriteNow: Availability {
        if let lockedBecause { return .unavailable(because: lockedBecause) }
        if let whyNotThere { return .unavailable(because: whyNotThere) }
        if !writing.isWritable {
            let key = keymap.hint(for: "unlock")
            return .unavailable(because: "read-only. Press \(key) to unlock")
        }
        return .available
    }

    /// The reason why an action for the present is unavailable during time travel; `nil` in the
    /// present.
    var whyPast: String? {
        guard time != nil else { return nil }
        return "showing the past. Press \(keymap.hint(for: "now")) to return to now"
    }

    /// The reason why actions on rows aren't possible, if the focused panel isn't about rows;
    /// otherwise `nil`.
    var rowsAreElsewhere: String? {
        if panels.focus.isAboutRow { return nil }
        return
            "no row is selected here. Press \(keymap.hint(for: "back")) to go to the rows"
    }

    /// The reason why counting is unavailable; `nil` if a counter is selected in a writable list.
    var whyNoCounter: String? {
        if let rowsAreElsewhere { return rowsAreElsewhere }
        guard let list, list.hasCounter, panels.focus == .list else {
            return "no writable counter is selected"
        }
        return nil
    }

    /// Whether this kind of edit can be made to the selection.
    func canEdit(_ kind: EditKind) -> Availability {
        guard let list else { return .unavailable(because: "nothing is open yet") }
        if let rowsAreElsewhere { return .unavailable(because: rowsAreElsewhere) }
        // If there is a reason that unlocking doesn't remove, show that reason first.
        guard let possible = list.source.edits[kind] else {
            return .unavailable(because: kind.refusal(by: list.source.title))
        }
        if !list.source.holdsQueries, case .unavailable = canWrite { return canWrite }
        if case .unavailable = possible { return possible }
        if kind != .add, list.selectedRow == nil {
            return .unavailable(because: "no row is selected")
        }
        if let reason = list.selectedRow?.refusedEdits[kind] {
            return .unavailable(because: reason)
        }
        if kind != .resolve, list.chosen.isEmpty, let reason = whyFolder {
            return .unavailable(because: reason)
        }
        if let reason = whyLineIsNothing(for: kind) { return .unavailable(because: reason) }
        return .available
    }

    /// The reason why the selected row can't be edited, if it is a folder of rows; otherwise `nil`.
    var whyFolder: String? {
        list?.selectedRow?.isFolder == true
            ? "only the rows in a folder can be edited. "
                + "Press \(keymap.hint(for: "enter")) to open it" : nil
    }

    /// Whether rows can be restored: the selection during time travel, and otherwise the row whose
    /// history has the focus.
    var canRestore: Availability {
        guard restorableState != nil else {
            let time = keymap.hint(for: "time")
            return .unavailable(
                because: "select a write in the inspector's history, or press \(time) to view an "
                    + "earlier time")
        }
        if let rowsAreElsewhere, time != nil { return .unavailable(because: rowsAreElsewhere) }
        if let list, list.chosen.isEmpty, let reason = list.selectedRow?.refusedEdits[.restore] {
            return .unavailable(because: reason)
        }
        if case .unavailable = canRestoreRows { return canRestoreRows }
        if list?.chosen.isEmpty != false, let whyFolder { return .unavailable(because: whyFolder) }
        if restorableRows.isEmpty { return .unavailable(because: "no row is selected") }
        return .available
    }

    /// The state that can be restored: the state at the shown instant, or else a version in the
    /// history of a row. The field is the property in the inspector's line.
    var restorableState: (field: FieldPath?, instant: Timestamp)? {
        guard let instant else { return inspectedVersion.map { ($0.property, $0.instant) } }
        let property = selectedField.map { FieldPath($0.property) }
        return (property == FieldPath() ? nil : property, instant)
    }

    /// The rows that can be restored.
    var restorableRows: [RowID] {
        instant != nil && restorableState?.field == nil
            ? list?.targets ?? [] : [panelStates.inspector.shown?.row].compactMap(\.self)
    }

    /// Whether all rows with a prefix can be restored to the shown instant.
    var canRestorePrefix: Availability {
        if let reason = list?.source.whyNoPrefix { return .unavailable(because: reason) }
        return canRestoreRows
    }

    /// Whether rows of the list can be restored.
    private var canRestoreRows: Availability {
        guard let list else { return .unavailable(because: "nothing is open yet") }
        guard let possible = list.source.edits[.restore] else {
            return .unavailable(because: EditKind.restore.refusal(by: list.source.title))
        }
        if case .unavailable = canWriteNow { return canWriteNow }
        return possible
    }

    var canUndo: Availability {
        if writing.journal.nextToUndo?.applied.isPending == true { return canWithdraw }
        guard let last = writing.journal.nextToUndo else {
            if case .unavailable = canWrite { return canWrite }
            return .unavailable(
                because: writing.journal.entries.isEmpty
                    ? "nothing to undo"
                    : "nothing to undo: every change is already undone")
        }
        return canUndo(last)
    }

    /// Whether a journal entry can be undone, as far as is known without reading the store.
    func canUndo(_ entry: UndoHistory.Entry) -> Availability {
        if entry.applied.isPending { return canWithdraw }
        if !isAboutQueries(entry), case .unavailable = canWrite { return canWrite }
        if writing.journal.isUndone(entry) {
            return .unavailable(because: "\(entry.applied.summary) is already undone")
        }
        if entry.applied.undo.isEmpty {
            let reason = entry.reason.map { ": \($0)" } ?? ""
            return .unavailable(
                because: "\(entry.applied.summary) can't be undone\(reason)")
        }
        return .available
    }

    /// Whether an entry changed the user's queries instead of the store.
    private func isAboutQueries(_ entry: UndoHistory.Entry) -> Bool {
        navigation.panes.contains { pane in
            pane.id.text == entry.pane && pane.lists.first?.source.holdsQueries == true
        }
    }

    var canWithdraw: Availability {
        if let whyPast { return .unavailable(because: whyPast) }
        return session.status.unsaved == nil
            ? .unavailable(because: "nothing to discard: all edits are saved") : .available
    }

    var canRedo: Availability {
        guard let last = writing.journal.redoable.last else {
            if case .unavailable = canWrite { return canWrite }
            return .unavailable(because: "nothing to redo")
        }
        if !isAboutQueries(last), case .unavailable = canWrite { return canWrite }
        if last.applied.undo.isEmpty {
            return .unavailable(because: "can't redo \(last.applied.summary)")
        }
        return .available
    }
}

extension EditKind {
    /// Returns the reason why a list doesn't support this kind of edit.
    fileprivate func refusal(by title: String) -> String {
        switch self {
        case .set: "\(title) can't be edited"
        case .add: "\(title): nothing can be added"
        case .duplicate: "\(title) can't be duplicated"
        case .rename: "\(title) can't be renamed"
        case .remove: "\(title) can't be deleted"
        case .resolve: "\(title): no conflicts"
        case .relate: "\(title) can't be related"
        case .count: "\(title): no counters"
        case .restore, .revert: "\(title) can't be restored"
        case .run: "\(title): no commands"
        }
    }
}
