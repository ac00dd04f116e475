public import Replication

/// A list that is read in windows of rows.
///
/// A list computes only the requested rows, so the cost doesn't depend on its length. It can be
/// used from any thread. The returned rows are snapshots.
@dynamicMemberLookup
public protocol ListedRows: AnyObject, Sendable {
    /// The properties of the list. Each property is also a member of the source.
    var info: ListInfo { get }
    /// Returns the rows around a position.
    ///
    /// - Parameter request: The query, the position and the number of rows.
    /// - Throws: ``FilterError`` for a filter that can't be parsed or names an unknown field.
    func window(_ request: WindowRequest) async throws -> RowWindow
    /// Returns the inspector's content for a row; `nil` if the row no longer exists.
    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail?
    /// Returns the inspector's content for a row of a query. If the row represents several items,
    /// the detail shows only the items that the query matches.
    ///
    /// - Throws: ``FilterError``; errors from reading the store.
    func detail(of row: RowID, in query: RowQuery) async throws -> Detail?
    /// Returns the values of a filter field in the rows of a query, in any order. For long lists,
    /// only the first rows are considered.
    ///
    /// - Throws: ``FilterError``; errors from reading the store.
    func values(of field: FilterField, in query: RowQuery) async throws -> [String]
    /// Returns the distinct values of a column in the rows of a query; `nil` if the caller has to
    /// count them.
    ///
    /// - Parameter limit: The maximum number of values.
    /// - Throws: ``FilterError``; errors from reading the store.
    func frequencies(
        of column: String, in query: RowQuery, limit: Int
    ) async throws -> ValueFrequencies?
    /// Sets the forms in which columns show numbers. Unknown columns and forms are ignored.
    ///
    /// - Parameter forms: The forms, by column identifier.
    func showNumbers(_ forms: [String: String]) async throws
}

extension ListedRows {
    /// Accesses a property of ``ListInfo``.
    public subscript<Value>(dynamicMember member: KeyPath<ListInfo, Value>) -> Value {
        info[keyPath: member]
    }
    /// Returns the detail of the row at the instant of the query.
    public func detail(of row: RowID, in query: RowQuery) async throws -> Detail? {
        try await detail(of: row, at: query.instant)
    }
    /// Returns `nil`, so that the caller counts the rows.
    public func frequencies(
        of column: String, in query: RowQuery, limit: Int
    ) async throws -> ValueFrequencies? { nil }
    /// Does nothing, because numbers have only one form.
    public func showNumbers(_ forms: [String: String]) async throws {}
}
