import TidelineCore

extension Action {
    static let conflicts: [Action] = [
        Action("next-conflict", "Next conflict", .conflicts, unless: whyNoConflicts) { model, _ in
            model.goToConflict(by: 1)
        },
        Action("previous-conflict", "Previous conflict", .conflicts, unless: whyNoConflicts) {
            model, _ in model.goToConflict(by: -1)
        },
        Action(
            "resolve-many", "Resolve multiple conflicts", .conflicts,
            unless: { $0.whyNoEdit(.resolve) }
        ) { model, _ in model.askManyConflicts() },
        Action(
            "ignore", "Ignore this conflict, or stop ignoring it",
            .conflicts, unless: \.whyNoIgnoring
        ) { model, _ in model.toggleIgnored() },
    ]

    @Sendable private static func whyNoConflicts(_ model: Model) -> String? {
        // The number of conflicts in the past is unknown.
        if model.time != nil { return nil }
        if model.openConflictCount > 0
            || model.list?.rows.contains(where: model.needsAttention) == true
        {
            return nil
        }
        if model.watching.ignored.count > 0 {
            return Model.allIgnored(model.watching.ignored.count)
        }
        return "no conflicts in this store"
    }
}
