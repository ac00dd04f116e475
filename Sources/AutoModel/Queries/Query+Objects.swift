extension Query where Record: AutoObject {
    func table() throws -> ModelTable<Record> { try place().table(of: Record.self) }

    /// The objects, in order.
    ///
    /// Those that somebody holds already are the same ones; where somebody else has written since they
    /// were read, they take over the new values of what was not set.
    /// - Throws: ``AutoModelError``.
    public func fetch() throws -> FetchResult<Record> {
        let clauses = try clauses()
        return FetchResult(try table().fetch(tail: clauses.sql, clauses.arguments))
    }

    /// The objects, in order.
    ///
    /// Those that somebody holds already are the same ones; where somebody else has written since they
    /// were read, they take over the new values of what was not set.
    /// - Throws: ``AutoModelError``.
    public func fetch() async throws -> FetchResult<Record> {
        try await performed { try $0.fetch() }
    }

    /// The first object, if there is one.
    /// - Throws: ``AutoModelError``.
    public func first() throws -> Record? { try firstQuery.fetch().first }

    /// The first object, if there is one.
    /// - Throws: ``AutoModelError``.
    public func first() async throws -> Record? { try await firstQuery.fetch().first }

    private var firstQuery: Query { tail == nil && limit == nil ? limit(1) : self }

    /// Deletes all rows of the query, and does with those that refer to them what the references say.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``AutoModelError``.
    @discardableResult
    public func delete() throws -> Int {
        let table = try table()
        return try table.file.write { session in
            let ids = try ids()
            try table.delete(ids: ids, in: session)
            return ids.count
        }
    }

    /// Deletes all rows of the query, and does with those that refer to them what the references say.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``AutoModelError``.
    @discardableResult
    public func delete() async throws -> Int { try await performed { try $0.delete() } }
}

extension AutoObject {
    /// A query that is made once and then known by its signature.
    ///
    /// - Parameters:
    ///   - signature: What tells it from other queries of this model.
    ///   - make: Called the first time.
    /// - Throws: ``AutoModelError`` where no open database has the model.
    public static func cachedQuery(
        _ signature: String, _ make: () -> Query<Self>
    ) throws -> Query<Self> {
        let table = try AutoDatabase.table(of: Self.self)
        if let known = table.queries.withLock({ $0[signature] }) { return known }
        let query = make()
        table.queries.withLock { $0[signature] = query }
        return query
    }
}
