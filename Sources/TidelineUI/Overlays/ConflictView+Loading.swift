import TidelineCore

extension ConflictView {
    /// Loads the sides for the current instant.
    mutating func load(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        let (id, detail) = (requests.newID(), requests.newID())
        (pending, detailRequest, version) = (id, detail, context.session.version)
        return [
            .conflicts(id, source, [row], at: context.instant),
            .conflictDetail(detail, source, row, at: context.instant),
        ]
    }

    /// Reloads the sides if they may have changed, and requests the merged value for the picks.
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        var effects: [Effect] = []
        if pending == nil, detailRequest == nil, version != context.session.version,
            context.session.status.phase != .missing || conflict == nil
        {
            effects = load(in: context, &requests)
        }
        guard asked != picks, !picks.isEmpty else { return effects }
        let id = requests.newID()
        (asked, proposalRequest) = (picks, id)
        return effects + [.proposal(id, source, row, picking: sidesPicked, at: context.instant)]
    }
}
