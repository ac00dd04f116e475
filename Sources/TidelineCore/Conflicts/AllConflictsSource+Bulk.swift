import Replication

/// Resolves the conflicts of each data model together.
extension AllConflictsSource: BulkResolving {
    func conflicts(
        ofRows rows: [RowID], at instant: Timestamp?
    ) async throws -> [RowID: [RowConflict]] {
        var found: [RowID: [RowConflict]] = [:]
        for (source, targets) in try await targets(of: rows) {
            let conflicts = try await source.allConflicts(
                of: Array(Set(targets.map(\.target.row))), at: instant)
            for (row, target) in targets {
                let own = (conflicts[target.row] ?? []).first {
                    target.property == nil || $0.part == target.property
                }
                if let own { found[row] = [own] }
            }
        }
        return found
    }

    /// Conflicts about properties of the same entity have one preview.
    func previews(ofResolutions edits: [Edit]) async throws -> [EditPreview] {
        let edits = try await joined(edits)
        var previews: [Int: EditPreview] = [:]
        for (source, run) in try await runs(of: edits) {
            let own = try await source.previews(of: run.map(\.inner), typedOver: nil)
            for (place, var preview) in zip(run.map(\.place), own) {
                preview.edit = edits[place]
                previews[place] = preview
            }
        }
        return edits.indices.compactMap { previews[$0] }
    }

    func resolve(_ previews: [EditPreview]) async -> (
        applied: [AppliedEdit], failure: (any Error)?
    ) {
        var written: [AppliedEdit] = []
        do {
            for (source, run) in try await runs(of: previews.map(\.edit)) {
                let own = run.map { place, inner in
                    var preview = previews[place]
                    preview.edit = inner
                    return preview
                }
                let (applied, failure) = await source.apply(own)
                written += applied
                if let failure { return (written, failure) }
            }
        } catch {
            return (written, error)
        }
        return (written, nil)
    }

    /// Combines the resolutions of each entity into one. If they were separate, the second one
    /// would fail, because the first has changed the entity.
    private func joined(_ edits: [Edit]) async throws -> [Edit] {
        var joined: [Edit] = []
        var places: [RowID: Int] = [:]
        for edit in edits {
            guard case .resolve(let row, .properties(let properties)) = edit,
                let entity = ConflictPlace(listed: row)?.wholeRow.listedRow
            else {
                joined.append(edit)
                continue
            }
            if let place = places[entity],
                case .resolve(let first, .properties(let others)) = joined[place]
            {
                joined[place] = .resolve(
                    first, .properties(others.merging(properties) { $1 }))
            } else {
                places[entity] = joined.count
                joined.append(edit)
            }
        }
        return joined
    }

    /// Returns the edits grouped by source, each as an edit of the row in conflict.
    private func runs(
        of edits: [Edit]
    ) async throws -> [(source: any RowSource, edits: [(place: Int, inner: Edit)])] {
        var order: [ObjectIdentifier] = []
        var runs: [ObjectIdentifier: (source: any RowSource, edits: [(place: Int, inner: Edit)])] =
            [:]
        for (place, edit) in edits.enumerated() {
            let (source, inner) = try await inner(edit)
            let id = ObjectIdentifier(source)
            if runs[id] == nil { order.append(id) }
            runs[id, default: (source, [])].edits.append((place, inner))
        }
        return order.compactMap { runs[$0] }
    }

    /// Returns the rows in conflict, grouped by source.
    private func targets(
        of rows: [RowID]
    ) async throws -> [(source: any RowSource, targets: [(row: RowID, target: ConflictTarget)])] {
        var order: [ObjectIdentifier] = []
        var found:
            [ObjectIdentifier: (
                source: any RowSource, targets: [(row: RowID, target: ConflictTarget)]
            )] = [:]
        for row in rows {
            guard let target = try await target(of: row) else { continue }
            let id = ObjectIdentifier(target.source)
            if found[id] == nil { order.append(id) }
            found[id, default: (target.source, [])].targets.append((row, target))
        }
        return order.compactMap { found[$0] }
    }
}
