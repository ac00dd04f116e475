extension Query: ValueQuery {
    public var _$plan: SelectPlan { SelectPlan(self) }
    public var _$columns: Record.Columns { Record.Columns() }
}

extension Query {
    /// Joins the objects that a reference leads to. Rows without such an object are left out.
    ///
    /// ```swift
    /// let found = try await Album.all.join(\.artist)
    ///     .where { album, artist in artist.name == "Nina Simone" }.fetch()
    /// ```
    public func join<Target: AutoObject>(
        _ reference: (Record.Columns) -> some SQLExpression<Reference<Target>>
    ) -> JoinedQuery<(Record.Columns, Target.Columns), (Record, Target)> {
        var plan = SelectPlan(self)
        let alias = plan.join(reference(Record.Columns())._$expression, isOuter: false)
        return plan.joined(Record.self, Target.self, alias)
    }

    /// Joins the objects that a reference leads to. Rows without such an object have `nil`.
    public func leftJoin<Target: AutoObject>(
        _ reference: (Record.Columns) -> some SQLExpression<Reference<Target>>
    ) -> JoinedQuery<(Record.Columns, LeftJoinedColumns<Target>), (Record, Target?)> {
        var plan = SelectPlan(self)
        let alias = plan.join(reference(Record.Columns())._$expression, isOuter: true)
        return plan.leftJoined(Record.self, Target.self, alias)
    }

    /// Joins the rows of another query that refer to a row of this query. Rows of this query that
    /// no row refers to are left out.
    ///
    /// ```swift
    /// let found = try await Artist.all.join(Album.where { $0.year < 1970 }, by: \.artist).fetch()
    /// ```
    public func join<Other: AutoRecord>(
        _ other: Query<Other>,
        by reference: KeyPath<Other.Columns, ModelColumn<Other, Reference<Record>>>
    ) -> JoinedQuery<(Record.Columns, Other.Columns), (Record, Other)> {
        var plan = SelectPlan(self)
        let column = Other.Columns()[keyPath: reference].name
        let alias = plan.join(other, by: column, isOuter: false)
        return plan.joined(Record.self, Other.self, alias)
    }

    /// Joins the rows of another query that refer to a row of this query. Rows of this query that
    /// no row refers to have `nil`.
    ///
    /// ```swift
    /// let counts = try await Artist.all.leftJoin(Album.all, by: \.artist)
    ///     .group { artist, _ in artist.id }
    ///     .values { artist, album in (artist.name, album.id.count()) }
    /// ```
    public func leftJoin<Other: AutoRecord>(
        _ other: Query<Other>,
        by reference: KeyPath<Other.Columns, ModelColumn<Other, Reference<Record>>>
    ) -> JoinedQuery<(Record.Columns, LeftJoinedColumns<Other>), (Record, Other?)> {
        var plan = SelectPlan(self)
        let column = Other.Columns()[keyPath: reference].name
        let alias = plan.join(other, by: column, isOuter: true)
        return plan.leftJoined(Record.self, Other.self, alias)
    }

    /// Groups the rows by the values of an expression.
    ///
    /// ```swift
    /// let years = try await Album.all.group { $0.year }.values { ($0.year, $0.id.count()) }
    /// ```
    public func group(
        by key: (Record.Columns) -> some SQLExpression
    ) -> GroupedQuery<Record.Columns> {
        GroupedQuery(_$plan, _$columns, by: selectTerms(key(_$columns)))
    }

    /// Groups the rows by the values of several expressions.
    public func group<each Key: SQLExpression>(
        by keys: (Record.Columns) -> (repeat each Key)
    ) -> GroupedQuery<Record.Columns> {
        GroupedQuery(_$plan, _$columns, by: selectTerms(repeat each keys(_$columns)))
    }
}

extension SelectPlan {
    /// Returns the query over the first table and another table.
    fileprivate func joined<Record: AutoRecord, Other: AutoRecord>(
        _ record: Record.Type, _ other: Other.Type, _ alias: String
    ) -> JoinedQuery<(Record.Columns, Other.Columns), (Record, Other)> {
        let columns = (Record.Columns(alias: sources[0].alias), Other.Columns(alias: alias))
        return JoinedQuery(self, columns) { records in
            guard let first = records.record(0, as: Record.self),
                let second = records.record(1, as: Other.self)
            else { return nil }
            return (first, second)
        }
    }

    fileprivate func leftJoined<Record: AutoRecord, Other: AutoRecord>(
        _ record: Record.Type, _ other: Other.Type, _ alias: String
    ) -> JoinedQuery<(Record.Columns, LeftJoinedColumns<Other>), (Record, Other?)> {
        let added = LeftJoinedColumns<Other>(columns: Other.Columns(alias: alias))
        let columns = (Record.Columns(alias: sources[0].alias), added)
        return JoinedQuery(self, columns) { records in
            records.record(0, as: Record.self).map { ($0, records.record(1, as: Other.self)) }
        }
    }
}
