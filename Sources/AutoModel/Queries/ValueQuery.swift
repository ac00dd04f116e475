/// A query that can return values of expressions instead of rows.
///
/// ``Query``, ``JoinedQuery`` and ``GroupedQuery`` conform to this protocol. In the closures, use
/// the columns of each table; for groups, the expressions of the groups and aggregates.
public protocol ValueQuery<Columns>: Sendable {
    /// The columns that are passed to closures.
    associatedtype Columns: Sendable

    var _$plan: SelectPlan { get }
    var _$columns: Columns { get }
}

extension ValueQuery {
    /// Returns the values of several expressions for each row, in order.
    ///
    /// ```swift
    /// let titles = try await Album.all.values { ($0.title, $0.year) }
    /// ```
    ///
    /// - Throws: ``AutoModelError``.
    public func values<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> [(repeat (each Expression).Value)] {
        try Selection.values(_$plan, repeat each make(_$columns)).all()
    }

    /// Runs `values(_:)` asynchronously.
    public func values<each Expression: SQLExpression>(
        _ make: @Sendable (Columns) -> (repeat each Expression)
    ) async throws -> [(repeat (each Expression).Value)] {
        try await Selection.values(_$plan, repeat each make(_$columns)).all()
    }

    /// Returns a value for each row, now and after each transaction of this or another process that
    /// changes a value.
    ///
    /// ```swift
    /// for try await years in try Album.all.liveValues({ $0.year }) { show(years) }
    /// ```
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    /// - Complexity: As `values`, after each transaction that changes a table.
    public func liveValues<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> LiveResults<Value> { try LiveResults(Selection.value(_$plan, make(_$columns))) }

    /// Returns the values of several expressions for each row, now and after each transaction of
    /// this or another process that changes a value.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    /// - Complexity: As `values`, after each transaction that changes a table.
    public func liveValues<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> LiveResults<(repeat (each Expression).Value)> {
        try LiveResults(Selection.values(_$plan, repeat each make(_$columns)))
    }
}
