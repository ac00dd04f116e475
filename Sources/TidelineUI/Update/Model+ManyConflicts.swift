import TidelineCore

extension Model {
    /// Loads the conflicts of the marked rows or, if none is marked, of all rows in the list.
    mutating func askManyConflicts() -> [Effect] {
        guard let list else { return [] }
        let id = requests.wait(for: .manyConflicts, of: list.source.id)
        say(.info, "loading the conflicts …")
        return [.manyConflicts(id, list.source.id, list.latestQuery, chosen: list.chosen)]
    }

    mutating func receiveManyConflicts(
        _ id: RequestID, _ answer: Message.Answer<[ConflictedRow]>
    ) {
        guard let awaited = requests.awaited, awaited.id == id else { return }
        self.requests.awaited = nil
        switch answer {
        case .success([]):
            let chosen = list?.chosen.isEmpty == false
            say(
                .info,
                chosen ? "none of the marked rows is in conflict" : "no row here is in conflict")
        case .success(let all):
            notice = nil
            // Unless rows are marked, ignored conflicts are left alone.
            let rows =
                list?.chosen.isEmpty == false
                ? all : all.filter { ignoredMark(of: $0.row, $0.conflicts.count) == nil }
            guard !rows.isEmpty else {
                say(
                    .info,
                    Self.allIgnored(all.count) + ". Mark rows to resolve them anyway"
                )
                return
            }
            overlay = .many(
                ManyConflicts(
                    source: awaited.source, rows: rows, rules: preferences.resolutionRules,
                    name: { session.name(of: $0) }))
        case .failure(let failure): say(.error, failure.message)
        }
    }
}
