/// A row in conflict, with its sides.
public struct ConflictedRow: Hashable, Sendable {
    /// The row.
    public var row: RowID
    /// The name of the row outside of its list.
    public var name: String
    /// The conflicts of the row. There may be several if properties of the row are in conflict.
    public var conflicts: [RowConflict]

    /// The maximum number of conflicts to resolve together. A user could not review more.
    private static let limit = 10_000

    /// Loads the conflicts of the given rows, or of all rows that match a query, in list order.
    ///
    /// - Parameter chosen: The rows, even if the query's filter hides them; empty for all rows that
    ///   match the query.
    /// - Throws: ``CoreError`` with code `.usage` if there are too many conflicts; errors from
    ///   reading the store; `CancellationError`.
    /// - Complexity: O(*n*) in the number of rows in the list, plus the reading of the conflicts.
    public static func all(
        of chosen: Set<RowID> = [], in source: any RowSource, _ query: RowQuery = RowQuery()
    ) async throws -> [ConflictedRow] {
        var rows: [Row] = []
        let query =
            chosen.isEmpty ? query : RowQuery(sort: query.sort, instant: query.instant)
        try await source.forEachRow(of: query) { row in
            guard row.isConflict || row.conflictsInside > 0 else { return }
            if chosen.isEmpty || chosen.contains(row.id) { rows.append(row) }
        }
        var names: [(row: RowID, name: String)] = []
        for row in rows {
            if row.isConflict { names.append((row.id, source.fullName(of: row))) }
            guard row.isFolder, row.conflictsInside > 0 else { continue }
            let inside = try await source.conflictedRows(inside: row.id, at: query.instant)
            names += inside.map { ($0, $0.name) }
        }
        guard names.count <= limit else {
            throw CoreError(
                .usage, "too many conflicts: \(names.count); filter the list to at most \(limit)")
        }
        let conflicts = try await source.allConflicts(of: names.map(\.row), at: query.instant)
        // A conflict may have been resolved since the row was read.
        return names.compactMap { row, name in
            conflicts[row].map { ConflictedRow(row: row, name: name, conflicts: $0) }
        }
    }

    /// Whether the sides of the conflict are files.
    public var hasFiles: Bool {
        conflicts.contains { conflict in
            conflict.sides.contains { side in
                if case .file = side.author { true } else { false }
            }
        }
    }
}

/// A way to resolve conflicts.
public indirect enum ResolutionWay: Hashable, Sendable {
    /// Resolves each conflict by the first of these rules that applies to it.
    case rules([StoreRules.Rule])
    /// Keeps the newest value.
    case newest
    /// Merges automatically, if the changes don't overlap.
    case merge
    /// Keeps one author's value.
    case author(Author)
}

extension ConflictedRow {
    /// Returns the edit that resolves the row's conflicts in this way; `nil` if it resolves none.
    /// If several properties are in conflict, the edit includes only those that it resolves.
    public func edit(by way: ResolutionWay) -> Edit? {
        var properties: [FieldPath: Edit.Resolution] = [:]
        for conflict in conflicts {
            guard let resolution = conflict.resolution(by: way, ofRow: name) else { continue }
            guard let part = conflict.part else { return .resolve(row, resolution) }
            properties[part] = resolution
        }
        return properties.isEmpty ? nil : .resolve(row, .properties(properties))
    }
}

extension RowConflict {
    /// Returns the resolution of this conflict in the given way; `nil` if this way doesn't resolve
    /// the conflict.
    ///
    /// - Parameter row: The display name of the row, to which rules apply.
    public func resolution(by way: ResolutionWay, ofRow row: String) -> Edit.Resolution? {
        switch way {
        case .rules(let rules):
            let title = title(ofRow: row)
            return rules.first { $0.rule.applies(to: title) }
                .flatMap { resolution(by: $0.way, ofRow: row) }
        case .newest:
            // If several sides have the same time, the first side wins, as in the store.
            let newest = sides.reduce(nil) { newest, side -> RowConflict.Side? in
                newest.map { side.instant > $0.instant ? side : $0 } ?? side
            }
            return newest.map { .take($0.id) }
        case .merge:
            guard let proposal, proposal.overlaps.isEmpty else { return nil }
            return .value(proposal.typed)
        case .author(let author):
            return sides.contains { $0.author == author } ? .take(.init(author)) : nil
        }
    }
}
