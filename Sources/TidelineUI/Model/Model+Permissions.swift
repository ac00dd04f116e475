import Replication
import TidelineCore

extension Model {
    /// The reason why the store can't be written; `nil` if it can.
    var whyNoWriting: String? { whyPast ?? whyNoWritingNow }

    /// The reason why the store can't be written, whichever instant is shown; `nil` if it can.
    var whyNoWritingNow: String? {
        if let reason = lockedBecause ?? whyNotThere { return reason }
        return writing.isWritable
            ? nil : "read-only; press \(keymap.hint(for: "unlock")) to unlock"
    }

    /// The reason why an action isn't possible during time travel; `nil` in the present.
    var whyPast: String? {
        guard time != nil else { return nil }
        return "showing the past; press \(keymap.hint(for: "now")) to return to now"
    }

    /// The reason why the focused panel has no actions on rows; `nil` if it is about rows.
    var rowsAreElsewhere: String? {
        if panels.focus.isAboutRow { return nil }
        return
            "no row is selected here; press \(keymap.hint(for: "back")) to go to the rows"
    }

    /// The reason why the keys of counters don't apply; `nil` if a counter is selected in the list.
    var whyNoCounter: String? {
        if let rowsAreElsewhere { return rowsAreElsewhere }
        guard let list, list.hasCounter, panels.focus == .list else {
            return "no counter is selected"
        }
        return nil
    }

    /// The reason why actions on the selected row are unavailable; `nil` if a row is selected.
    var whyNoRow: String? {
        rowsAreElsewhere ?? (list?.selectedRow == nil ? "no row is selected" : nil)
    }

    /// Returns the reason why this kind of edit can't be made to the selection; `nil` if it can.
    func whyNoEdit(_ kind: EditKind) -> String? {
        guard let list else { return "nothing is open yet" }
        if let rowsAreElsewhere { return rowsAreElsewhere }
        // If there is a reason that unlocking doesn't remove, show it first.
        guard let possible = list.source.edits[kind] else {
            return kind.refusal(by: list.source.title)
        }
        if !list.source.holdsQueries, let reason = whyNoWriting { return reason }
        if let reason = possible.reason { return reason }
        if kind != .add, list.selectedRow == nil { return "no row is selected" }
        if let reason = list.selectedRow?.refusedEdits[kind] { return reason }
        if kind != .resolve, list.chosen.isEmpty, let whyFolder { return whyFolder }
        return whyLineIsNothing(for: kind)
    }

    /// The reason why the selected row can't be edited, if it is a folder of rows; otherwise `nil`.
    var whyFolder: String? {
        list?.selectedRow?.isFolder == true
            ? "only the rows in a folder can be edited; "
                + "press \(keymap.hint(for: "enter")) to open it" : nil
    }

    /// The reason why rows can't be restored; `nil` if they can. The rows are the selection during
    /// time travel, and otherwise the row whose history has the focus.
    var whyNoRestoring: String? {
        guard restorableState != nil else {
            let time = keymap.hint(for: "time")
            return "select a write in the inspector's history, or press \(time) to view an "
                + "earlier time"
        }
        if let rowsAreElsewhere, time != nil { return rowsAreElsewhere }
        if let list, list.chosen.isEmpty, let reason = list.selectedRow?.refusedEdits[.restore] {
            return reason
        }
        if let reason = whyNoRestoringOfRows { return reason }
        if list?.chosen.isEmpty != false, let whyFolder { return whyFolder }
        return restorableRows.isEmpty ? "no row is selected" : nil
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

    /// The reason why rows with a prefix can't be restored; `nil` if they can.
    var whyNoRestoringOfPrefix: String? { list?.source.whyNoPrefix ?? whyNoRestoringOfRows }

    /// The reason why rows of the list can't be restored; `nil` if they can.
    private var whyNoRestoringOfRows: String? {
        guard let list else { return "nothing is open yet" }
        guard let possible = list.source.edits[.restore] else {
            return EditKind.restore.refusal(by: list.source.title)
        }
        return whyNoWritingNow ?? possible.reason
    }

    var whyNoUndo: String? {
        guard let last = writing.journal.nextToUndo else {
            let hasUndone = !writing.journal.entries.isEmpty
            return whyNoWriting
                ?? "nothing to undo" + (hasUndone ? ": every change is already undone" : "")
        }
        return whyNoUndo(of: last)
    }

    /// Returns why a journal entry can't be undone, as far as known without reading the store.
    func whyNoUndo(of entry: UndoHistory.Entry) -> String? {
        if entry.applied.isPending { return whyNothingToWithdraw }
        if !isAboutQueries(entry), let reason = whyNoWriting { return reason }
        if writing.journal.isUndone(entry) {
            return "\(entry.applied.summary) is already undone"
        }
        if entry.applied.undo.isEmpty {
            let reason = entry.reason.map { ": \($0)" } ?? ""
            return "\(entry.applied.summary) can't be undone\(reason)"
        }
        return nil
    }

    /// Whether an entry changed the user's queries instead of the store.
    private func isAboutQueries(_ entry: UndoHistory.Entry) -> Bool {
        navigation.panes.contains { pane in
            pane.id.text == entry.pane && pane.lists.first?.source.holdsQueries == true
        }
    }

    var whyNothingToWithdraw: String? {
        whyPast
            ?? (session.status.unsaved == nil ? "nothing to discard: all edits are saved" : nil)
    }

    var whyNoRedo: String? {
        guard let last = writing.journal.redoable.last else {
            return whyNoWriting ?? "nothing to redo"
        }
        if !isAboutQueries(last), let reason = whyNoWriting { return reason }
        return last.applied.undo.isEmpty ? "can't redo \(last.applied.summary)" : nil
    }
}

extension EditKind {
    /// Returns the reason why a list doesn't support this kind of edit.
    fileprivate func refusal(by title: String) -> String {
        switch self {
        case .set: "rows of \(title) can't be edited"
        case .add: "rows can't be added to \(title)"
        case .duplicate: "rows of \(title) can't be duplicated"
        case .rename: "rows of \(title) can't be renamed"
        case .remove: "rows of \(title) can't be deleted"
        case .resolve: "conflicts can't be resolved in \(title)"
        case .relate: "rows of \(title) can't be related"
        case .count: "\(title) has no counters"
        case .restore, .revert: "rows of \(title) can't be restored"
        case .takeOver: "only in a comparison; type :compare PATH to compare with another store"
        case .run: "\(title) has no commands"
        }
    }
}

extension Availability {
    /// The reason why something is unavailable; `nil` if it is available.
    var reason: String? {
        if case .unavailable(let reason) = self { reason } else { nil }
    }
}
