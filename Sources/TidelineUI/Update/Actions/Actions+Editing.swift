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
        Action("duplicate", "Duplicate row", .editing, when: { $0.canEdit(.duplicate) }) {
            model, _ in model.askTemplate()
        },
        .change("rename", "Rename row or list entry", .editing, when: { $0.canEdit(.rename) }) {
            model, _ in model.beginRenaming()
        },
        .change(
            "keep-query", "Save the query under a name", .editing, when: { $0.canKeepQuery }
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
