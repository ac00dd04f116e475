import Replication

/// Resolves the conflicts of each data model in one call.
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
    func previews(
        ofResolutions edits: [Edit]
    ) async throws -> (previews: [EditPreview], skipped: [SkippedEdit]) {
        let edits = try await joined(edits)
        var previews: [Int: EditPreview] = [:]
        var (runs, skipped) = try await runs(of: edits)
        for (source, run) in runs {
            let own = try await source.resolutionPreviews(of: run.map(\.inner))
            skipped += own.skipped
            let places = Dictionary(keepingFirst: run.map { ($0.inner, $0.place) })
            for var preview in own.previews {
                guard let place = places[preview.edit] else { continue }
                preview.edit = edits[place]
                previews[place] = preview
            }
        }
        return (edits.indices.compactMap { previews[$0] }, skipped)
    }

    func resolve(_ previews: [EditPreview]) async throws -> WrittenEdits {
        let (runs, ended) = try await runs(of: previews.map(\.edit))
        var written = WrittenEdits(skipped: ended)
        for (number, (source, run)) in runs.enumerated() {
            let own = run.map { place, inner in
                var preview = previews[place]
                preview.edit = inner
                return preview
            }
            let result = await source.resolve(unchanged: own)
            written.applied += result.applied
            let listed = Dictionary(keepingFirst: run.map { ($0.inner, previews[$0.place].edit) })
            written.skipped += result.skipped.map {
                SkippedEdit(edit: listed[$0.edit] ?? $0.edit, reason: $0.reason)
            }
            guard let failure = result.failure else { continue }
            let failed = Set(result.left.map(\.edit))
            let places =
                run.filter { failed.contains($0.inner) }.map(\.place)
                + runs[(number + 1)...].flatMap { $0.items.map(\.place) }
            written.left = places.sorted().map { previews[$0] }
            written.failure = failure
            return written
        }
        return written
    }

    /// Combines the resolutions of each entity into one. Otherwise, the second resolution of an
    /// entity would fail, because the first one has changed the entity.
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

    /// Returns the edits grouped by source, each translated into an edit of the row in conflict.
    /// Also returns the edits whose row no longer exists.
    private func runs(
        of edits: [Edit]
    ) async throws -> (runs: [SourceItems<(place: Int, inner: Edit)>], skipped: [SkippedEdit]) {
        var skipped: [SkippedEdit] = []
        var found: [(source: any RowSource, item: (place: Int, inner: Edit))] = []
        for (place, edit) in edits.enumerated() {
            if let row = edit.row, try await target(of: row) == nil {
                let name = ConflictPlace(listed: row)?.row ?? row.name
                skipped.append(SkippedEdit(edit: edit, reason: "\(name) no longer exists"))
                continue
            }
            let (source, inner) = try await inner(edit)
            found.append((source, (place, inner)))
        }
        return (Self.grouped(found), skipped)
    }

    /// Returns the rows in conflict, grouped by source.
    private func targets(
        of rows: [RowID]
    ) async throws -> [SourceItems<(row: RowID, target: ConflictTarget)>] {
        var found: [(source: any RowSource, item: (row: RowID, target: ConflictTarget))] = []
        for row in rows {
            guard let target = try await target(of: row) else { continue }
            found.append((target.source, (row, target)))
        }
        return Self.grouped(found)
    }

    private typealias SourceItems<Item> = (source: any RowSource, items: [Item])

    /// Groups items by source, in the order of each source's first item.
    private static func grouped<Item>(
        _ items: [(source: any RowSource, item: Item)]
    ) -> [SourceItems<Item>] {
        var order: [ObjectIdentifier] = []
        var groups: [ObjectIdentifier: SourceItems<Item>] = [:]
        for (source, item) in items {
            let id = ObjectIdentifier(source)
            if groups[id] == nil { order.append(id) }
            groups[id, default: (source, [])].items.append(item)
        }
        return order.compactMap { groups[$0] }
    }
}
