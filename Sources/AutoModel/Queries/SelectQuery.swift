/// A query whose rows are made from other rows: by joining tables, or by grouping.
///
/// ``JoinedQuery`` and ``GroupedQuery`` conform to this protocol.
public protocol SelectQuery<Columns>: ValueQuery {
    var _$plan: SelectPlan { get set }
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

    /// Runs `count()` asynchronously.
    public func count() async throws -> Int { try await _$plan.performed { try $0.count() } }

    /// Returns a value for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> [Value] { try Selection.value(_$plan, make(_$columns)).all() }

    /// Runs `values(_:)` asynchronously.
    public func values<Value>(
        _ make: @Sendable (Columns) -> some SQLExpression<Value>
    ) async throws -> [Value] { try await Selection.value(_$plan, make(_$columns)).all() }
}
