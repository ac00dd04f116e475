public import Replication

/// Lists that are opened from a row: the entities of a type, the rows of a table, the results of a
/// query.
public protocol NestedRows: ListedRows {
    /// Returns the list inside a row, such as the entities of a type or the servers of a group;
    /// `nil` if the row contains no list, so that opening it shows its detail.
    ///
    /// - Parameter instant: The instant at which the row was shown; `nil` for now. The returned
    ///   list accepts queries for any instant.
    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)?
    /// Runs a query that the user typed, and shows it as a row until the list is closed.
    ///
    /// - Parameter row: The row whose query is replaced; `nil` to add a row.
    /// - Throws: ``EditError`` with code `.invalid` if the text isn't a read-only query; errors
    ///   from reading the store.
    func run(
        _ query: String, of row: RowID?
    ) async throws -> (row: RowID, results: any RowSource)
}

extension NestedRows {
    /// Returns `nil`, because rows contain no lists.
    public func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? { nil }
    /// Throws an error, because the rows aren't queries.
    public func run(
        _ query: String, of row: RowID?
    ) async throws -> (row: RowID, results: any RowSource) {
        throw EditError(.unsupported, "\(info.title) can't run queries")
    }
}
