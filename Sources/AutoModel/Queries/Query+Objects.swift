extension Query where Record: AutoObject {
    func table() throws -> ModelTable<Record> { try place().table(of: Record.self) }

    /// Fetches the objects, in order.
    ///
    /// A row whose object is in use is returned as that object. If another process has written
    /// since the object was read, the object is updated, except for properties with unsaved
    /// changes.
    ///
    /// - Throws: ``AutoModelError``.
    public func fetch() throws -> FetchResult<Record> {
        let clauses = try clauses()
        return FetchResult(try table().fetch(tail: clauses.sql, clauses.arguments))
    }

    /// Fetches the objects, in order.
    ///
    /// A row whose object is in use is returned as that object. If another process has written
    /// since the object was read, the object is updated, except for properties with unsaved
    /// changes.
    ///
    /// - Throws: ``AutoModelError``.
    public func fetch() async throws -> FetchResult<Record> {
        try await performed { try $0.fetch() }
    }

    /// Returns the first object, if there is one.
    /// - Throws: ``AutoModelError``.
    public func first() throws -> Record? { try firstQuery.fetch().first }

    /// Returns the first object, if there is one.
    /// - Throws: ``AutoModelError``.
    public func first() async throws -> Record? { try await firstQuery.fetch().first }

    private var firstQuery: Query { tail == nil && limit == nil ? limit(1) : self }

    /// Deletes all rows of the query, and applies the delete rules of references to them.
    ///
    /// - Returns: The number of deleted rows.
    /// - Throws: ``AutoModelError``.
    @discardableResult
    public func delete() throws -> Int { try delete { _ in true } }

    /// Deletes all rows of the query, and applies the delete rules of references to them.
    ///
    /// - Returns: The number of deleted rows.
    /// - Throws: ``AutoModelError``.
    @discardableResult
    public func delete() async throws -> Int { try await performed { try $0.delete() } }

    /// Deletes the rows of the query whose identifiers aren't in a list, and applies the delete
    /// rules of references to them. New objects that aren't saved yet stay.
    ///
    /// ```swift
    /// for entry in feed { try Article.create(id: entry.id) { $0.title = entry.title } }
    /// try Article.saveChanges()
    /// try Article.all.deleteMissing(ids: feed.map(\.id))
    /// ```
    ///
    /// - Returns: The number of deleted rows.
    /// - Throws: ``AutoModelError``.
    /// - Complexity: O(*n*) in the rows of the query and the length of the list.
    @discardableResult
    public func deleteMissing(ids: some Sequence<Int64>) throws -> Int {
        let kept = Set(ids)
        return try delete { !kept.contains($0) }
    }

    /// Deletes the rows of the query whose identifiers aren't in a list, and applies the delete
    /// rules of references to them. New objects that aren't saved yet stay.
    ///
    /// - Returns: The number of deleted rows.
    /// - Throws: ``AutoModelError``.
    /// - Complexity: O(*n*) in the rows of the query and the length of the list.
    @discardableResult
    public func deleteMissing(ids: some Sequence<Int64>) async throws -> Int {
        let kept = Set(ids)
        return try await performed { try $0.delete { !kept.contains($0) } }
    }

    private func delete(_ isUnwanted: (Int64) -> Bool) throws -> Int {
        let table = try table()
        return try table.file.write { session in
            let unwanted = try ids().filter(isUnwanted)
            try table.delete(ids: unwanted, in: session)
            return unwanted.count
        }
    }
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
