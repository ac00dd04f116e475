import TidelineCore

extension Model {
    /// Loads the conflicts of the marked rows or, if none is marked, of all rows in the list.
    mutating func askManyConflicts() -> [Effect] {
        guard let list else { return [] }
        let id = requests.wait(for: .manyConflicts, of: list.source.id)
        say(.info, "loading the conflicts …")
        return [.manyConflicts(id, list.source.id, list.latestQuery, chosen: list.chosen)]
    }

    mutating func receiveManyConflicts(_ id: RequestID, _ answer: Answer<[ConflictedRow]>) {
        guard let awaited = requests.take(id), let all = success(of: answer) else {
            return
        }
        let isMarked = list?.chosen.isEmpty == false
        guard !all.isEmpty else {
            say(
                .info,
                isMarked ? "none of the marked rows is in conflict" : "no row here is in conflict")
            return
        }
        notice = nil
        // Unless rows are marked, skip ignored conflicts and conflicts of blobs. Resolving a
        // conflict of a blob permanently deletes the other versions.
        let rows = all.filter { row in
            isMarked || ignoredMark(of: row.row, row.conflicts.count) == nil && !row.hasFiles
        }
        guard !rows.isEmpty else {
            say(
                .info,
                all.allSatisfy(\.hasFiles)
                    ? "only blobs are in conflict here; mark them to resolve them"
                    : Self.allIgnored(all.count) + "; mark rows to resolve them anyway")
            return
        }
        overlay = Overlay(
            ManyConflicts(
                source: awaited.source, rows: rows, rules: preferences.resolutionRules,
                devices: session.status.devices.map(\.id), name: { session.name(of: $0) }))
    }
}
