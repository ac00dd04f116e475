/// A query for groups of rows, with values computed from the rows of each group.
///
/// ```swift
/// let years = try await Album.all.group { $0.year }
///     .having { $0.id.count() > 1 }
///     .values { ($0.year, $0.id.count(), $0.length.sum()) }
/// for (year, count, length) in years { … }
/// ```
///
/// In the closures, use the expressions of the groups and aggregates: `count()`, `max()`, `min()`,
/// `sum()` and `average()`. By default, the groups are sorted by these expressions.
public struct GroupedQuery<Columns: Sendable>: Sendable {
    private var plan: SelectPlan
    private let columns: Columns

    init(_ plan: SelectPlan, _ columns: Columns, by terms: [SelectPlan.Term]) {
        self.plan = plan
        self.columns = columns
        self.plan.group(by: terms)
    }

    /// Narrows the query to groups that satisfy a predicate.
    public func having(_ predicate: (Columns) -> some ConditionConvertible) -> GroupedQuery {
        var query = self
        query.plan.narrowGroups(predicate(columns)._$condition)
        return query
    }

    /// Sorts the groups by one or several terms.
    public func order(_ orderings: (Columns) -> some OrderingConvertible) -> GroupedQuery {
        var query = self
        query.plan.order(orderings(columns)._$orderings)
        return query
    }

    /// Limits the number of groups.
    ///
    /// - Parameter offset: The number of groups to skip.
    public func limit(_ count: Int, offset: Int = 0) -> GroupedQuery {
        var query = self
        query.plan.limit = count
        query.plan.offset = offset
        return query
    }

    /// Returns the number of groups.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() throws -> Int { try plan.count() }

    /// Returns the number of groups.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() async throws -> Int { try await plan.performed { try $0.count() } }

    /// Returns a value for each group, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> [Value] { try Selection.value(plan, make(columns)).all() }

    /// Returns a value for each group, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: @Sendable (Columns) -> some SQLExpression<Value>
    ) async throws -> [Value] { try await Selection.value(plan, make(columns)).all() }

    /// Returns the values of several expressions for each group, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> [(repeat (each Expression).Value)] {
        try Selection.values(plan, repeat each make(columns)).all()
    }

    /// Returns the values of several expressions for each group, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<each Expression: SQLExpression>(
        _ make: @Sendable (Columns) -> (repeat each Expression)
    ) async throws -> [(repeat (each Expression).Value)] {
        try await Selection.values(plan, repeat each make(columns)).all()
    }

    /// Returns a value for each group, now and after each transaction that changes one.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    public func liveValues<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> LiveResults<Value> { try LiveResults(Selection.value(plan, make(columns))) }

    /// Returns the values of several expressions for each group, now and after each transaction
    /// that changes them.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    public func liveValues<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> LiveResults<(repeat (each Expression).Value)> {
        try LiveResults(Selection.values(plan, repeat each make(columns)))
    }
}
