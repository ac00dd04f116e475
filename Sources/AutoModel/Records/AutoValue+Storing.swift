extension AutoValue {
    static func table() throws -> ValueTable<Self> {
        try AutoDatabase.having(self).valueTable(of: self)
    }

    /// Inserts a row, or replaces the existing row with this identifier. A value without an
    /// identifier gets one.
    ///
    /// - Throws: ``AutoModelError``.
    public mutating func save() throws {
        self = try Self.save([self]).first ?? self
    }

    /// Runs `save()` asynchronously.
    public mutating func save() async throws {
        self = try await Self.save([self]).first ?? self
    }

    /// Returns the values with these identifiers, in the order of `ids`. Missing ones are left out.
    ///
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ ids: [Int64]) throws -> FetchResult<Self> {
        try table().fetch(ids)
    }

    /// Runs `fetch(_:)` asynchronously.
    public static func fetch(_ ids: [Int64]) async throws -> FetchResult<Self> {
        let table = try table()
        return try await table.performed { try table.fetch(ids) }
    }

    /// Returns the value with the given identifier, if there is one.
    ///
    /// - Throws: ``AutoModelError``.
    public static func fetch(_ id: Int64) throws -> Self? { try fetch([id]).first }

    /// Runs `fetch(_:)` asynchronously.
    public static func fetch(_ id: Int64) async throws -> Self? { try await fetch([id]).first }

    /// Inserts or replaces rows in one transaction.
    ///
    /// - Returns: The values with their current identifiers.
    /// - Throws: ``AutoModelError``. In that case, no row is saved.
    @discardableResult
    public static func save(_ values: some Sequence<Self>) throws -> [Self] {
        try table().save(Array(values))
    }

    /// Runs `save(_:)` asynchronously.
    @discardableResult
    public static func save(_ values: some Sequence<Self>) async throws -> [Self] {
        let (table, values) = (try table(), Array(values))
        return try await table.performed { try table.save(values) }
    }

    /// Deletes the row with this value's identifier.
    ///
    /// - Throws: ``AutoModelError``.
    public func delete() throws { try Self.delete([id]) }

    /// Runs `delete()` asynchronously.
    public func delete() async throws { try await Self.delete([id]) }

    /// Deletes rows by their identifiers.
    ///
    /// - Throws: ``AutoModelError``.
    public static func delete(_ ids: [Int64]) throws {
        try table().delete(ids: ids)
    }

    /// Runs `delete(_:)` asynchronously.
    public static func delete(_ ids: [Int64]) async throws {
        let table = try table()
        try await table.performed { try table.delete(ids: ids) }
    }
}

extension Query where Record: AutoValue {
    /// Returns the values, in order.
    /// - Throws: ``AutoModelError``.
    public func fetch() throws -> FetchResult<Record> {
        let clauses = try clauses()
        let table = try place().valueTable(of: Record.self)
        return FetchResult(try table.fetch(tail: clauses.sql, clauses.arguments))
    }

    /// Runs `fetch()` asynchronously.
    public func fetch() async throws -> FetchResult<Record> {
        try await performed { try $0.fetch() }
    }

    /// Returns the first value, if there is one.
    /// - Throws: ``AutoModelError``.
    public func first() throws -> Record? { try firstQuery.fetch().first }

    /// Runs `first()` asynchronously.
    public func first() async throws -> Record? { try await firstQuery.fetch().first }
}
