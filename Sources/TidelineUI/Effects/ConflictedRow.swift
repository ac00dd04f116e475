public import TidelineCore

/// A row in conflict, with its sides.
public struct ConflictedRow: Hashable, Sendable {
    /// The row.
    public var row: RowID
    /// The name of the row outside of its list.
    public var name: String
    /// The conflicts of the row: several if properties of the row are in conflict.
    public var conflicts: [RowConflict]

    /// A row of a list.
    public init(row: RowID, name: String, conflicts: [RowConflict]) {
        self.row = row
        self.name = name
        self.conflicts = conflicts
    }

    /// The maximum number of conflicts to resolve together. More could not be reviewed.
    private static let limit = 10_000

    /// Loads the conflicts of the marked rows, or of all rows that match a query, in list order.
    ///
    /// - Parameter chosen: The marked rows, which the query's filter may hide; empty for all
    ///   matching rows.
    /// - Throws: ``RequestFailure`` if there are too many conflicts.
    /// - Complexity: O(*n*) in the number of rows in the list, plus the reading of the conflicts.
    static func all(
        of chosen: Set<RowID>, in source: any RowSource, _ query: RowQuery
    ) async throws -> [ConflictedRow] {
        var rows: [Row] = []
        let query =
            chosen.isEmpty ? query : RowQuery(sort: query.sort, instant: query.instant)
        try await RowExport.read(source, query, page: 1_000, limit: RowExport.limit) { row in
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
            throw RequestFailure(
                .other,
                "too many conflicts: \(names.count). Filter the list to at most \(limit)")
        }
        let conflicts = try await source.allConflicts(of: names.map(\.row), at: query.instant)
        // A conflict may have been resolved since the row was read.
        return names.compactMap { row, name in
            conflicts[row].map { ConflictedRow(row: row, name: name, conflicts: $0) }
        }
    }
}
