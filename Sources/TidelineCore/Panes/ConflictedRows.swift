public import Replication

/// The conflicts of a list's rows.
public protocol ConflictedRows: ListedRows {
    /// Returns the conflict of a row; `nil` if devices agree. If several properties are in
    /// conflict, returns one of the conflicts.
    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict?
    /// Returns all conflicts of a row, which can concern several of its properties.
    func conflicts(of row: RowID, at instant: Timestamp?) async throws -> [RowConflict]
    /// Returns the rows in conflict inside a row that represents other rows (``Row/isFolder``).
    /// Resolving the row resolves these rows.
    func conflictedRows(inside row: RowID, at instant: Timestamp?) async throws -> [RowID]
    /// Returns the complete name of a row, which the rules in the settings are compared with.
    func fullName(of row: Row) -> String
    /// Returns the fields in which the sides of a row's conflict differ, and the writes that led to
    /// the conflict; `nil` if devices agree or the details aren't known.
    ///
    /// - Parameter part: The part of the row in conflict (``RowConflict/part``); `nil` for the
    ///   first part in conflict.
    func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail?
    /// Returns the merge proposal for a row's conflict. Each picked field is taken from the given
    /// side (``Edit/Resolution/picks(_:)``). Returns `nil` if devices agree or the sides have no
    /// fields.
    ///
    /// - Throws: Errors from reading the store; ``EditError`` for fields in which sides don't
    ///   differ.
    func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal?
}

extension ConflictedRows {
    /// Returns `nil`, because this list can't have conflicts.
    public func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        nil
    }
    /// Returns the row's only conflict. Lists whose rows have properties override this.
    public func conflicts(of row: RowID, at instant: Timestamp?) async throws -> [RowConflict] {
        try await conflict(of: row, at: instant).map { [$0] } ?? []
    }
    /// Returns no rows, because no row represents other rows.
    public func conflictedRows(
        inside row: RowID, at instant: Timestamp?
    ) async throws -> [RowID] { [] }
    /// Returns the text of the first column.
    public func fullName(of row: Row) -> String { row.cells.first?.text ?? row.id.name }
    /// Returns `nil`, because no details are known.
    public func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail? { nil }
    /// Returns `nil`, because sides have no fields.
    public func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal? { nil }
}
