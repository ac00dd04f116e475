/// A query that joins the rows of several tables. It does nothing until you fetch, count or follow
/// its rows.
///
/// ```swift
/// let found = try await Album.all.join(\.artist)
///     .where { album, artist in album.year > 1960 && artist.name.hasPrefix("N") }
///     .order { album, artist in [artist.name.ascending, album.year.ascending] }
///     .fetch()
/// for (album, artist) in found { print(album.title, artist.name) }
/// ```
///
/// The closures get the columns of each table, in the order in which the tables were joined. The
/// first query keeps its conditions and its sort order. The limit of the first query applies to its
/// rows before they are joined. A query joins up to three tables, which must be in the same file.
///
/// In an SQL condition, name columns with their table: `"Album"."year"`. If a table occurs twice,
/// the second occurrence is called `"Album_2"`.
public struct JoinedQuery<Columns: Sendable, Row: Sendable>: SelectQuery {
    public var _$plan: SelectPlan
    public let _$columns: Columns
    /// Returns a row of the result; `nil` if an object no longer exists.
    private let row: @Sendable (JoinedRecords) -> Row?

    init(
        _ plan: SelectPlan, _ columns: Columns, row: @escaping @Sendable (JoinedRecords) -> Row?
    ) {
        _$plan = plan
        _$columns = columns
        self.row = row
    }

    /// Narrows the query to rows that satisfy a predicate.
    public func `where`(_ predicate: (Columns) -> some ConditionConvertible) -> JoinedQuery {
        var query = self
        query._$plan.narrow(predicate(_$columns)._$condition)
        return query
    }

    /// Groups the rows by the values of an expression.
    public func group(by key: (Columns) -> some SQLExpression) -> GroupedQuery<Columns> {
        GroupedQuery(_$plan, _$columns, by: selectTerms(key(_$columns)))
    }

    /// Groups the rows by the values of several expressions.
    public func group<each Key: SQLExpression>(
        by keys: (Columns) -> (repeat each Key)
    ) -> GroupedQuery<Columns> {
        GroupedQuery(_$plan, _$columns, by: selectTerms(repeat each keys(_$columns)))
    }

    // MARK: Results

    private var rows: Selection<Row> { Selection(_$plan, row) }

    /// Fetches the rows, in order. A row of a table is always the same object, as in other fetches.
    ///
    /// - Throws: ``AutoModelError``, also if the tables are in different files.
    /// - Complexity: One query for the result, and one query per table for rows whose objects
    ///   aren't in use yet.
    public func fetch() throws -> [Row] { try rows.all() }

    /// Runs `fetch()` asynchronously.
    public func fetch() async throws -> [Row] { try await rows.all() }

    /// Returns the rows, now and after each transaction of this or another process that changes the
    /// result or its objects.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the models.
    /// - Complexity: As ``fetch()-swift.method``, after each transaction that changes a table.
    public func live() throws -> LiveResults<Row> { try LiveResults(rows) }
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
        var plan = _$plan
        let alias = plan.join(reference(_$columns)._$expression, isOuter: false)
        let row = row
        return JoinedQuery<(A, B, Target.Columns), (First, Second, Target)>(
            plan, (_$columns.0, _$columns.1, Target.Columns(alias: alias))
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
        var plan = _$plan
        let alias = plan.join(reference(_$columns)._$expression, isOuter: true)
        let row = row
        let added = LeftJoinedColumns<Target>(columns: Target.Columns(alias: alias))
        return JoinedQuery<(A, B, LeftJoinedColumns<Target>), (First, Second, Target?)>(
            plan, (_$columns.0, _$columns.1, added)
        ) { records in
            row(records).map { ($0.0, $0.1, records.record(2, as: Target.self)) }
        }
    }
}
