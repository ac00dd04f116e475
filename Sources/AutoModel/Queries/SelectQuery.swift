/// A query whose rows are made from other rows: by joining tables, or by grouping.
///
/// ``JoinedQuery`` and ``GroupedQuery`` conform to it. In the closures, use the columns of each
/// table; for groups, the expressions of the groups and aggregates.
public protocol SelectQuery<Columns>: Sendable {
    /// The columns that the closures get.
    associatedtype Columns: Sendable

    var _$plan: SelectPlan { get set }
    var _$columns: Columns { get }
}

extension SelectQuery {
    /// Sorts the rows by one or several terms.
    public func order(_ orderings: (Columns) -> some OrderingConvertible) -> Self {
        var query = self
        query._$plan.order(orderings(_$columns)._$orderings)
        return query
    }

    /// Limits the number of rows.
    ///
    /// - Parameter offset: The number of rows to skip.
    public func limit(_ count: Int, offset: Int = 0) -> Self {
        var query = self
        query._$plan.limit = count
        query._$plan.offset = offset
        return query
    }

    /// Returns the number of rows.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() throws -> Int { try _$plan.count() }

    /// Returns the number of rows.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() async throws -> Int { try await _$plan.performed { try $0.count() } }

    /// Returns a value for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> [Value] { try Selection.value(_$plan, make(_$columns)).all() }

    /// Returns a value for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: @Sendable (Columns) -> some SQLExpression<Value>
    ) async throws -> [Value] { try await Selection.value(_$plan, make(_$columns)).all() }

    /// Returns the values of several expressions for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> [(repeat (each Expression).Value)] {
        try Selection.values(_$plan, repeat each make(_$columns)).all()
    }

    /// Returns the values of several expressions for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<each Expression: SQLExpression>(
        _ make: @Sendable (Columns) -> (repeat each Expression)
    ) async throws -> [(repeat (each Expression).Value)] {
        try await Selection.values(_$plan, repeat each make(_$columns)).all()
    }

    /// Returns a value for each row, now and after each transaction that changes one.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    public func liveValues<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> LiveResults<Value> { try LiveResults(Selection.value(_$plan, make(_$columns))) }

    /// Returns the values of several expressions for each row, now and after each transaction that
    /// changes them.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    public func liveValues<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> LiveResults<(repeat (each Expression).Value)> {
        try LiveResults(Selection.values(_$plan, repeat each make(_$columns)))
    }
}
