import TidelineCore

extension Action {
    static let editing: [Action] = [
        Action("unlock", "Toggle write mode", .editing, unless: whyNoUnlocking) {
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
            unless: { $0.selectedQuery == nil ? $0.whyNoEdit(.set) : $0.whyNoQuery }
        ) { model, _ in model.askEditableValue(externally: false) },
        Action("edit-external", "Edit value in $EDITOR", .editing, unless: { $0.whyNoEdit(.set) }) {
            model, _ in model.askEditableValue(externally: true)
        },
        .change(
            "add", "Add a row (in the inspector: a field)", .editing, unless: { $0.whyNoEdit(.add) }
        ) { model, _ in model.beginAdding() },
        Action("duplicate", "Duplicate row", .editing, unless: { $0.whyNoEdit(.duplicate) }) {
            model, _ in model.askTemplate()
        },
        .change("rename", "Rename row or list entry", .editing, unless: { $0.whyNoEdit(.rename) }) {
            model, _ in model.beginRenaming()
        },
        .change(
            "keep-query", "Save the query under a name", .editing, unless: \.whyNoQuery
        ) { model, _ in model.beginKeepingQuery() },
        Action(
            "count-up", "Increase the selected counter", .editing, scope: .counter,
            unless: { $0.whyNoEdit(.count) }
        ) { model, call in model.previewCount(by: call.count ?? 1) },
        Action(
            "count-down", "Decrease the selected counter", .editing, scope: .counter,
            unless: { $0.whyNoEdit(.count) }
        ) { model, call in model.previewCount(by: -(call.count ?? 1)) },
        Action(
            "delete", "Delete selected or marked rows", .editing,
            unless: { $0.whyNoEdit(.remove) }
        ) { model, _ in model.previewRemoval() },
        Action(
            "take-over", "Copy the other store's values (in a comparison)", .editing,
            unless: { $0.whyNoEdit(.takeOver) }
        ) { model, _ in model.previewTakingOver() },
        Action(
            "relate", "Relate the row to another row", .editing,
            argument: "FIELD ROW [KIND]", unless: { $0.whyNoEdit(.relate) }
        ) { model, call in model.previewRelation(call.argument) },
        Action("undo", "Undo last change", .editing, unless: \.whyNoUndo) {
            model, _ in model.previewUndo(.undo)
        },
        Action("redo", "Redo", .editing, unless: \.whyNoRedo) {
            model, _ in model.previewUndo(.redo)
        },
        Action(
            "withdraw", "Discard unsaved changes", .editing, unless: \.whyNothingToWithdraw
        ) { model, _ in model.withdraw() },
        Action("journal", "Change journal: undo any earlier change", .editing) {
            model, _ in
            model.overlay = Overlay(
                JournalView(cursor: max(0, model.writing.journal.entries.count - 1)))
            return [.readJournal]
        },
    ]

    @Sendable private static func whyNoUnlocking(_ model: Model) -> String? {
        if let reason = model.lockedBecause { return reason }
        return model.writing.isWritable ? nil : model.whyNotThere
    }
}
