extension Query where Record: AutoObject {
    func table() throws -> ModelTable<Record> { try place().table(of: Record.self) }

    /// Fetches the objects, in order.
    ///
    /// If the object of a row is in use, returns that object. If another process has written since
    /// the object was read, the object is updated, except for properties with unsaved changes.
    ///
    /// - Throws: ``AutoModelError``.
    public func fetch() throws -> FetchResult<Record> {
        let clauses = try clauses()
        return FetchResult(try table().fetch(tail: clauses.sql, clauses.arguments))
    }

    /// Runs `fetch()` asynchronously.
    public func fetch() async throws -> FetchResult<Record> {
        try await performed { try $0.fetch() }
    }

    /// Returns the first object, if there is one.
    /// - Throws: ``AutoModelError``.
    public func first() throws -> Record? { try firstQuery.fetch().first }

    /// Runs `first()` asynchronously.
    public func first() async throws -> Record? { try await firstQuery.fetch().first }
}

extension AutoObject {
    /// Returns a query that is built once and cached by a signature.
    ///
    /// - Parameters:
    ///   - signature: A text that distinguishes the query from others of this model.
    ///   - make: A closure that builds the query. Called only the first time.
    /// - Throws: ``AutoModelError`` if no open database has the model.
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
