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
public struct GroupedQuery<Columns: Sendable>: SelectQuery {
    public var _$plan: SelectPlan
    public let _$columns: Columns

    init(_ plan: SelectPlan, _ columns: Columns, by terms: [SelectPlan.Term]) {
        _$plan = plan
        _$columns = columns
        _$plan.group(by: terms)
    }

    /// Narrows the query to groups that satisfy a predicate.
    public func having(_ predicate: (Columns) -> some ConditionConvertible) -> GroupedQuery {
        var query = self
        query._$plan.narrowGroups(predicate(_$columns)._$condition)
        return query
    }
}
