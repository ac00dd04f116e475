import TidelineCore

extension Action {
    static let editing: [Action] = [
        Action("unlock", "Allow writing, or forbid it again", .editing, when: canUnlock) {
            model, _ in
            model.isWritable.toggle()
            model.isUnlocking = model.isWritable
            model.say(
                model.isWritable ? .done : .info,
                model.isWritable
                    ? "writing is unlocked; it locks again after 10 minutes without a key"
                    : "read-only again")
            return [.setWritable(model.isWritable)]
        },
        Action("edit", "Edit the value in place", .editing, when: { $0.canEdit(.set) }) {
            model, _ in model.askEditableValue(externally: false)
        },
        Action("edit-external", "Edit the value in $EDITOR", .editing, when: { $0.canEdit(.set) }) {
            model, _ in model.askEditableValue(externally: true)
        },
        .change(
            "add", "Add a row, or a field in the inspector", .editing, when: { $0.canEdit(.add) }
        ) { model, _ in model.beginAdding() },
        .change("rename", "Rename the row or member", .editing, when: { $0.canEdit(.rename) }) {
            model, _ in model.beginRenaming()
        },
        Action(
            "count-up", "Count the selected counter up", .editing, scope: .counter,
            when: canCount
        ) { model, call in model.previewCount(by: call.count ?? 1) },
        Action(
            "count-down", "Count the selected counter down", .editing, scope: .counter,
            when: canCount
        ) { model, call in model.previewCount(by: -(call.count ?? 1)) },
        Action("delete", "Delete the row or all marked", .editing, when: { $0.canEdit(.remove) }) {
            model, _ in model.previewRemoval()
        },
        Action(
            "relate", "Point a field of the row to another row", .editing,
            argument: "FIELD ROW [KIND]", when: { $0.canEdit(.relate) }
        ) { model, call in model.previewRelation(call.argument) },
        Action("undo", "Take back what was written last", .editing, when: { $0.canUndo }) {
            model, _ in model.previewUndo(.undo)
        },
        Action("redo", "Write again what was taken back", .editing, when: { $0.canRedo }) {
            model, _ in model.previewUndo(.redo)
        },
        Action(
            "withdraw", "Take back what could not be written yet", .editing,
            when: { $0.canWithdraw }
        ) { model, _ in model.withdraw() },
        Action("journal", "What was written, in earlier runs too; takes back any of it", .editing) {
            model, _ in
            model.overlay = .journal(
                JournalView(cursor: max(0, model.journal.entries.count - 1)))
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
            "resolve-many", "End many conflicts at once", .conflicts, when: { $0.canEdit(.resolve) }
        ) { model, _ in model.askManyConflicts() },
        Action(
            "benign", "Benign: needs nothing, or does again",
            .conflicts, when: { $0.canMarkBenign }
        ) { model, _ in model.toggleBenign() },
    ]

    @Sendable private static func canUnlock(_ model: Model) -> Availability {
        if let reason = model.lockedBecause { return .unavailable(because: reason) }
        if !model.isWritable, let reason = model.whyNotThere {
            return .unavailable(because: reason)
        }
        return .available
    }

    @Sendable private static func hasConflicts(_ model: Model) -> Availability {
        // How many there were then, nobody has counted.
        if model.time != nil, !model.conflictPanes.isEmpty {
            return .available
        }
        if model.openConflictCount > 0
            || model.list?.rows.contains(where: model.leadsToConflict) == true
        {
            return .available
        }
        if model.benign.count > 0 {
            return .unavailable(because: "the \(model.benign.count) left are marked benign")
        }
        return .unavailable(because: "no devices disagree here")
    }
}

extension Model {
    /// Whether writing is possible at all at this moment.
    var canWrite: Availability {
        if let whyPast { return .unavailable(because: whyPast) }
        return canWriteNow
    }

    /// Whether writing is possible, whatever instant is shown.
    var canWriteNow: Availability {
        if let lockedBecause { return .unavailable(because: lockedBecause) }
        if let whyNotThere { return .unavailable(because: whyNotThere) }
        if !isWritable {
            let key = keymap.hint(for: "unlock")
            return .unavailable(because: "read-only: press \(key)")
        }
        return .available
    }

    /// Why what is open cannot be written for now: it is not in its place, or could not be read.
    var whyNotThere: String? {
        switch status.phase {
        case .gone: Self.whyGone
        case .failed(let failure): failure.reason
        case .loading, .live: nil
        }
    }

    static let whyGone = "the store was moved or deleted; what was read of it is shown"

    /// That the past is shown, for what is about now; `nil` while now is shown.
    var whyPast: String? {
        guard time != nil else { return nil }
        return "this is the past: press \(keymap.hint(for: "now")) to return to now"
    }

    /// Why a key cannot be about the selected row of the list: the keys go to a region that shows
    /// something else.
    var rowsAreElsewhere: String? {
        if focus.module.isAboutRow { return nil }
        return "no row is selected here; \(keymap.hint(for: "back")) goes to the rows"
    }

    /// Why there is no counter to be counted up and down; `nil` where one is selected in a list that
    /// can be written.
    var whyNoCounter: String? {
        if let rowsAreElsewhere { return rowsAreElsewhere }
        guard let list, case .available? = list.source.edits[.count],
            list.selectedRow?.isCounter == true, focus == .list
        else { return "no counter that can be written is selected" }
        return nil
    }

    /// Whether an edit of a kind is possible on what is selected.
    func canEdit(_ kind: EditKind) -> Availability {
        guard let list else { return .unavailable(because: "nothing is open yet") }
        if let rowsAreElsewhere { return .unavailable(because: rowsAreElsewhere) }
        // Reasons that unlocking would not remove come first.
        guard let possible = list.source.edits[kind] else {
            return .unavailable(because: "\(list.source.title) cannot be changed like that")
        }
        if case .unavailable = canWrite { return canWrite }
        if case .unavailable = possible { return possible }
        if kind != .add, list.selectedRow == nil {
            return .unavailable(because: "no row is selected")
        }
        if let reason = whyLineIsNothing(for: kind) { return .unavailable(because: reason) }
        return .available
    }

    /// Whether what is selected can be given again what it had at the instant that is shown.
    var canRestore: Availability {
        if let rowsAreElsewhere { return .unavailable(because: rowsAreElsewhere) }
        if case .unavailable = canTakeBackPrefix { return canTakeBackPrefix }
        if list?.targets.isEmpty != false { return .unavailable(because: "no row is selected") }
        return .available
    }

    /// Whether rows of the list can be given again what they had then.
    var canTakeBackPrefix: Availability {
        guard let list else { return .unavailable(because: "nothing is open yet") }
        guard let possible = list.source.edits[.restore] else {
            return .unavailable(because: "only the values of keys can be taken back to then")
        }
        if case .unavailable = canWriteNow { return canWriteNow }
        return possible
    }

    var canUndo: Availability {
        if journal.undoable.last?.applied.isPending == true { return canWithdraw }
        if case .unavailable = canWrite { return canWrite }
        guard let last = journal.undoable.last else {
            return .unavailable(
                because: journal.entries.isEmpty
                    ? "nothing was written from here"
                    : "what was written from here is taken back already")
        }
        return canTakeBack(last)
    }

    /// Whether an entry of the journal can be taken back, as far as is known without looking.
    func canTakeBack(_ entry: Journal.Entry) -> Availability {
        if entry.applied.isPending { return canWithdraw }
        if case .unavailable = canWrite { return canWrite }
        if journal.isTakenBack(entry) {
            return .unavailable(because: "\(entry.applied.summary) is taken back already")
        }
        if entry.applied.undo.isEmpty {
            let reason = entry.reason.map { ": \($0)" } ?? ""
            return .unavailable(
                because: "\(entry.applied.summary) cannot be taken back\(reason)")
        }
        return .available
    }

    var canWithdraw: Availability {
        if let whyPast { return .unavailable(because: whyPast) }
        return status.unsaved == nil
            ? .unavailable(because: "nothing waits to be written") : .available
    }

    var canRedo: Availability {
        if case .unavailable = canWrite { return canWrite }
        guard let last = journal.redoable.last else {
            return .unavailable(because: "nothing was taken back")
        }
        if last.applied.undo.isEmpty {
            return .unavailable(because: "\(last.applied.summary) cannot be written again")
        }
        return .available
    }
}
