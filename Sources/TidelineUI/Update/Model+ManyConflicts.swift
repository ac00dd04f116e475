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
            // Unless rows are marked, skip ignored conflicts and conflicts of blobs. Resolving a
            // conflict of a blob permanently deletes the other versions.
            let isMarked = list?.chosen.isEmpty == false
            let rows =
                isMarked
                ? all
                : all.filter { row in
                    ignoredMark(of: row.row, row.conflicts.count) == nil && !row.hasFiles
                }
            guard !rows.isEmpty else {
                if all.allSatisfy(\.hasFiles) {
                    say(.info, "only blobs are in conflict here. Mark them to resolve them")
                    return
                }
                say(
                    .info,
                    Self.allIgnored(all.count) + ". Mark rows to resolve them anyway"
                )
                return
            }
            overlay = .many(
                ManyConflicts(
                    source: awaited.source, rows: rows, rules: preferences.resolutionRules,
                    devices: session.status.devices.map(\.id), name: { session.name(of: $0) }))
        case .failure(let failure): say(.error, failure.message)
        }
    }
}
