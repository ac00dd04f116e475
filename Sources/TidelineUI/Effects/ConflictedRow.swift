public import TidelineCore

/// A row in conflict, with its sides.
public struct ConflictedRow: Hashable, Sendable {
    /// The row.
    public var row: RowID
    /// What its list calls it.
    public var name: String
    /// What devices disagree about: several where it is about properties of the row.
    public var conflicts: [RowConflict]

    /// A row of a list.
    public init(row: RowID, name: String, conflicts: [RowConflict]) {
        self.row = row
        self.name = name
        self.conflicts = conflicts
    }

    /// More conflicts than these are not ended at once: nobody reads what would be written.
    private static let limit = 10_000

    /// The conflicts of rows that were chosen, or of all that answer a query, in the order of the
    /// list.
    ///
    /// - Parameter chosen: Rows, which the query's filter may hide; empty: all that answer it.
    /// - Complexity: O(*n*) in the rows of the list, and the reading of each conflict.
    /// - Throws: ``RequestFailure`` for too many.
    static func all(
        of chosen: Set<RowID>, in source: any RowSource, _ query: RowQuery
    ) async throws -> [ConflictedRow] {
        var rows: [Row] = []
        let query =
            chosen.isEmpty ? query : RowQuery(sort: query.sort, instant: query.instant)
        try await RowExport.read(source, query, page: 1_000, limit: RowExport.limit) { row in
            if row.isConflict, chosen.isEmpty || chosen.contains(row.id) { rows.append(row) }
        }
        guard rows.count <= limit else {
            throw RequestFailure(
                .other,
                "\(rows.count) conflicts are too many to end at once; filter them down to \(limit)")
        }
        var found: [ConflictedRow] = []
        for row in rows {
            try Task.checkCancellation()
            // Devices may have come to agree since the row was read.
            let conflicts = try await source.conflicts(of: row.id, at: query.instant)
            guard !conflicts.isEmpty else { continue }
            found.append(
                ConflictedRow(
                    row: row.id, name: row.cells.first?.text ?? row.id.name,
                    conflicts: conflicts))
        }
        return found
    }
}
