/// A query for the rows of several tables that belong together. It does nothing until you fetch,
/// count or follow its rows.
///
/// ```swift
/// let found = try await Album.all.join(\.artist)
///     .where { album, artist in album.year > 1960 && artist.name.hasPrefix("N") }
///     .order { album, artist in [artist.name.ascending, album.year.ascending] }
///     .fetch()
/// for (album, artist) in found { print(album.title, artist.name) }
/// ```
///
/// The closures get the columns of each table, in the order in which the tables were joined.
/// Conditions and the sort order of the query that was joined to others stay. Its limit applies to
/// its rows, before they are joined. A query joins up to three tables, which must be in the same file.
///
/// In an SQL condition, name columns with their table: `"Album"."year"`. If a table occurs twice,
/// the second one is called `"Album_2"`.
public struct JoinedQuery<Columns: Sendable, Row: Sendable>: Sendable {
    var plan: SelectPlan
    let columns: Columns
    /// Returns a row of the result; `nil` if an object no longer exists.
    let row: @Sendable (JoinedRecords) -> Row?

    /// Narrows the query to rows that satisfy a predicate.
    public func `where`(_ predicate: (Columns) -> some ConditionConvertible) -> JoinedQuery {
        var query = self
        query.plan.narrow(predicate(columns)._$condition)
        return query
    }

    /// Sorts the rows by one or several terms.
    public func order(_ orderings: (Columns) -> some OrderingConvertible) -> JoinedQuery {
        var query = self
        query.plan.order(orderings(columns)._$orderings)
        return query
    }

    /// Limits the number of rows.
    ///
    /// - Parameter offset: The number of rows to skip.
    public func limit(_ count: Int, offset: Int = 0) -> JoinedQuery {
        var query = self
        query.plan.limit = count
        query.plan.offset = offset
        return query
    }

    /// Groups the rows by the values of an expression.
    public func group(by key: (Columns) -> some SQLExpression) -> GroupedQuery<Columns> {
        GroupedQuery(plan, columns, by: selectTerms(key(columns)))
    }

    /// Groups the rows by the values of several expressions.
    public func group<each Key: SQLExpression>(
        by keys: (Columns) -> (repeat each Key)
    ) -> GroupedQuery<Columns> {
        GroupedQuery(plan, columns, by: selectTerms(repeat each keys(columns)))
    }

    // MARK: Results

    private var rows: Selection<Row> { Selection(plan, row) }

    /// Fetches the rows, in order. As in other fetches, each table's row has one object.
    ///
    /// - Throws: ``AutoModelError``, also if the tables are in different files.
    /// - Complexity: One query for the result, and one per table for the objects that aren't in use.
    public func fetch() throws -> [Row] { try rows.all() }

    /// Fetches the rows, in order. As in other fetches, each table's row has one object.
    ///
    /// - Throws: ``AutoModelError``, also if the tables are in different files.
    /// - Complexity: One query for the result, and one per table for the objects that aren't in use.
    public func fetch() async throws -> [Row] { try await rows.all() }

    /// Returns the rows, now and after each transaction that changes the result or the objects in
    /// it, by this process or others.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    /// - Complexity: As ``fetch()-swift.method``, after each transaction that changes a table.
    public func live() throws -> LiveResults<Row> { try LiveResults(rows) }

    /// Returns the number of rows.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() throws -> Int { try plan.count() }

    /// Returns the number of rows.
    ///
    /// - Throws: ``AutoModelError``.
    public func count() async throws -> Int { try await plan.performed { try $0.count() } }

    /// Returns a value for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> [Value] { try Selection.value(plan, make(columns)).all() }

    /// Returns a value for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<Value>(
        _ make: @Sendable (Columns) -> some SQLExpression<Value>
    ) async throws -> [Value] { try await Selection.value(plan, make(columns)).all() }

    /// Returns the values of several expressions for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> [(repeat (each Expression).Value)] {
        try Selection.values(plan, repeat each make(columns)).all()
    }

    /// Returns the values of several expressions for each row, in order.
    ///
    /// - Throws: ``AutoModelError``.
    public func values<each Expression: SQLExpression>(
        _ make: @Sendable (Columns) -> (repeat each Expression)
    ) async throws -> [(repeat (each Expression).Value)] {
        try await Selection.values(plan, repeat each make(columns)).all()
    }

    /// Returns a value for each row, now and after each transaction that changes one.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    public func liveValues<Value>(
        _ make: (Columns) -> some SQLExpression<Value>
    ) throws -> LiveResults<Value> { try LiveResults(Selection.value(plan, make(columns))) }

    /// Returns the values of several expressions for each row, now and after each transaction that
    /// changes them.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    public func liveValues<each Expression: SQLExpression>(
        _ make: (Columns) -> (repeat each Expression)
    ) throws -> LiveResults<(repeat (each Expression).Value)> {
        try LiveResults(Selection.values(plan, repeat each make(columns)))
    }
}

extension JoinedQuery {
    /// Joins the objects that a reference leads to. Rows without such an object are left out.
    ///
    /// ```swift
    /// Song.all.join(\.album).join { song, album in album.artist }
    /// ```
    public func join<A, B, First, Second, Target: AutoObject>(
        _ reference: (Columns) -> some SQLExpression<Reference<Target>>
    ) -> JoinedQuery<(A, B, Target.Columns), (First, Second, Target)>
    where Columns == (A, B), Row == (First, Second) {
        var plan = plan
        let alias = plan.join(reference(columns)._$expression, isOuter: false)
        let row = row
        return JoinedQuery<(A, B, Target.Columns), (First, Second, Target)>(
            plan: plan, columns: (columns.0, columns.1, Target.Columns(alias: alias))
        ) { records in
            guard let former = row(records), let new = records.record(2, as: Target.self) else {
                return nil
            }
            return (former.0, former.1, new)
        }
    }

    /// Joins the objects that a reference leads to. Rows without such an object have `nil`.
    public func leftJoin<A, B, First, Second, Target: AutoObject>(
        _ reference: (Columns) -> some SQLExpression<Reference<Target>>
    ) -> JoinedQuery<(A, B, LeftJoinedColumns<Target>), (First, Second, Target?)>
    where Columns == (A, B), Row == (First, Second) {
        var plan = plan
        let alias = plan.join(reference(columns)._$expression, isOuter: true)
        let row = row
        let added = LeftJoinedColumns<Target>(columns: Target.Columns(alias: alias))
        return JoinedQuery<(A, B, LeftJoinedColumns<Target>), (First, Second, Target?)>(
            plan: plan, columns: (columns.0, columns.1, added)
        ) { records in
            row(records).map { ($0.0, $0.1, records.record(2, as: Target.self)) }
        }
    }
}
