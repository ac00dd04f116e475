import Replication
import TidelineCore

extension Action {
    static let editing: [Action] = [
        Action("unlock", "Toggle write mode", .editing, when: canUnlock) {
            model, _ in
            guard model.writing.isWritable else {
                let id = model.requests.newID()
                model.writing.obstacleRequest = id
                return [.writeObstacle(id)]
            }
            model.writing.isWritable = false
            model.say(.info, "writing is locked")
            return [.setWritable(false)]
        },
        Action(
            "edit", "Edit value", .editing,
            when: { $0.selectedQuery == nil ? $0.canEdit(.set) : $0.canKeepQuery }
        ) { model, _ in model.askEditableValue(externally: false) },
        Action("edit-external", "Edit value in $EDITOR", .editing, when: { $0.canEdit(.set) }) {
            model, _ in model.askEditableValue(externally: true)
        },
        .change(
            "add", "Add a row (in the inspector: a field)", .editing, when: { $0.canEdit(.add) }
        ) { model, _ in model.beginAdding() },
        .change("rename", "Rename row or list entry", .editing, when: { $0.canEdit(.rename) }) {
            model, _ in model.beginRenaming()
        },
        .change(
            "keep-query", "Keep the query under a name", .editing, when: { $0.canKeepQuery }
        ) { model, _ in model.beginKeepingQuery() },
        Action(
            "count-up", "Increase the selected counter", .editing, scope: .counter,
            when: canCount
        ) { model, call in model.previewCount(by: call.count ?? 1) },
        Action(
            "count-down", "Decrease the selected counter", .editing, scope: .counter,
            when: canCount
        ) { model, call in model.previewCount(by: -(call.count ?? 1)) },
        Action("delete", "Delete selected or marked rows", .editing, when: { $0.canEdit(.remove) })
        {
            model, _ in model.previewRemoval()
        },
        Action(
            "relate", "Relate the row to another row", .editing,
            argument: "FIELD ROW [KIND]", when: { $0.canEdit(.relate) }
        ) { model, call in model.previewRelation(call.argument) },
        Action("undo", "Undo last change", .editing, when: { $0.canUndo }) {
            model, _ in model.previewUndo(.undo)
        },
        Action("redo", "Redo", .editing, when: { $0.canRedo }) {
            model, _ in model.previewUndo(.redo)
        },
        Action(
            "withdraw", "Discard unsaved changes", .editing,
            when: { $0.canWithdraw }
        ) { model, _ in model.withdraw() },
        Action("journal", "Change journal: undo any earlier change", .editing) {
            model, _ in
            model.overlay = .journal(
                JournalView(cursor: max(0, model.writing.journal.entries.count - 1)))
            return [.readJournal]
        },
    ]

    @Sendable private static func canCount(_ model: Model) -> Availability {
        if let reason = model.whyNoCounter { return .unavailable(because: reason) }
        return model.canEdit(.count)
    }

    static let conflicts: [Action] = [
        Action("next-conflict", "Next conflict", .conflicts, when: hasConflicts) { model, _ in
            model.goToConflict(by: 1)
        },
        Action("previous-conflict", "Previous conflict", .conflicts, when: hasConflicts) {
            model, _ in model.goToConflict(by: -1)
        },
        Action(
            "resolve-many", "Resolve multiple conflicts", .conflicts, when: { $0.canEdit(.resolve) }
        ) { model, _ in model.askManyConflicts() },
        Action(
            "ignore", "Ignore this conflict, or stop ignoring it",
            .conflicts, when: { $0.canIgnore }
        ) { model, _ in model.toggleIgnored() },
    ]

    @Sendable private static func canUnlock(_ model: Model) -> Availability {
        if let reason = model.lockedBecause { return .unavailable(because: reason) }
        if !model.writing.isWritable, let reason = model.whyNotThere {
            return .unavailable(because: reason)
        }
        return .available
    }

    @Sendable private static func hasConflicts(_ model: Model) -> Availability {
        // The number of conflicts in the past is unknown.
        if model.time != nil { return .available }
        if model.openConflictCount > 0
            || model.list?.rows.contains(where: model.needsAttention) == true
        {
            return .available
        }
        if model.watching.ignored.count > 0 {
            return .unavailable(because: Model.allIgnored(model.watching.ignored.count))
        }
        return .unavailable(because: "no conflicts in this store")
    }
}

extension Model {
    /// Whether the store can be written now.
    var canWrite: Availability {
        if let whyPast { return .unavailable(because: whyPast) }
        return canWriteNow
    }

    /// Whether the store can be written, regardless of the shown instant.
    var canWriteNow: Availability {
        if let lockedBecause { return .unavailable(because: lockedBecause) }
        if let whyNotThere { return .unavailable(because: whyNotThere) }
        if !writing.isWritable {
            let key = preferences.keymap.hint(for: "unlock")
            return .unavailable(because: "read-only. Press \(key) to unlock")
        }
        return .available
    }

    /// The reason why the open store can't currently be written: it is missing or couldn't be read.
    var whyNotThere: String? {
        switch session.status.phase {
        case .gone: Self.whyGone
        case .failed(let failure): failure.reason
        case .loading, .live: nil
        }
    }

    static let whyGone = "the store was moved or deleted; showing its last known content"

    /// The reason why an action for the present is unavailable during time travel; `nil` in the
    /// present.
    var whyPast: String? {
        guard time != nil else { return nil }
        return "showing the past. Press \(preferences.keymap.hint(for: "now")) to return to now"
    }

    /// The reason why no row of the list can be acted on: the focused panel shows something else.
    var rowsAreElsewhere: String? {
        if panels.focus.module.isAboutRow { return nil }
        return
            "no row is selected here. Press \(preferences.keymap.hint(for: "back")) to go to the rows"
    }

    /// The reason why counting is unavailable; `nil` if a counter is selected in a writable list.
    var whyNoCounter: String? {
        if let rowsAreElsewhere { return rowsAreElsewhere }
        guard let list, case .available? = list.source.edits[.count],
            list.selectedRow?.isCounter == true, panels.focus == .list
        else { return "no writable counter is selected" }
        return nil
    }

    /// Whether this kind of edit can be made to the selection.
    func canEdit(_ kind: EditKind) -> Availability {
        guard let list else { return .unavailable(because: "nothing is open yet") }
        if let rowsAreElsewhere { return .unavailable(because: rowsAreElsewhere) }
        // Reasons that unlocking wouldn't remove come first.
        guard let possible = list.source.edits[kind] else {
            return .unavailable(because: kind.refusal(by: list.source.title))
        }
        if !list.source.holdsQueries, case .unavailable = canWrite { return canWrite }
        if case .unavailable = possible { return possible }
        if kind != .add, list.selectedRow == nil {
            return .unavailable(because: "no row is selected")
        }
        if let reason = whyLineIsNothing(for: kind) { return .unavailable(because: reason) }
        return .available
    }

    /// Whether rows can be restored: the selection during time travel, and otherwise the row whose
    /// history has the focus.
    var canRestore: Availability {
        guard restorableInstant != nil else {
            let time = preferences.keymap.hint(for: "time")
            return .unavailable(
                because: "select a write in the inspector's history, or press \(time) to view an "
                    + "earlier time")
        }
        if let rowsAreElsewhere, time != nil { return .unavailable(because: rowsAreElsewhere) }
        if case .unavailable = canRestorePrefix { return canRestorePrefix }
        if restorableRows.isEmpty { return .unavailable(because: "no row is selected") }
        return .available
    }

    /// The instant whose values can be restored: the instant shown or, in the present, the one
    /// selected in the history of a row.
    var restorableInstant: Timestamp? {
        instant
            ?? (panels.focus == .inspector ? regions.inspector.selectedLine?.instant : nil)
    }

    /// The rows that can be restored.
    var restorableRows: [RowID] {
        instant != nil ? list?.targets ?? [] : [regions.inspector.shown?.row].compactMap(\.self)
    }

    /// Whether rows of the list can be restored to the shown instant.
    var canRestorePrefix: Availability {
        guard let list else { return .unavailable(because: "nothing is open yet") }
        guard let possible = list.source.edits[.restore] else {
            return .unavailable(because: "only key values can be restored")
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
    func canUndo(_ entry: Journal.Entry) -> Availability {
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

    /// Whether an entry changed the user's queries rather than the store.
    private func isAboutQueries(_ entry: Journal.Entry) -> Bool {
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
    /// Returns why a list doesn't support this kind of edit.
    fileprivate func refusal(by title: String) -> String {
        switch self {
        case .set: "\(title) can't be edited"
        case .add: "\(title): nothing can be added"
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
