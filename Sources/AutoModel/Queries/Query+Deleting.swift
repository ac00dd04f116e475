extension Query {
    /// Deletes all rows of the query, and applies the delete rules of references to them.
    ///
    /// - Returns: The number of deleted rows.
    /// - Throws: ``AutoModelError``.
    @discardableResult
    public func delete() throws -> Int { try delete { _ in true } }

    /// Runs `delete()` asynchronously.
    @discardableResult
    public func delete() async throws -> Int { try await performed { try $0.delete() } }

    /// Deletes the rows of the query whose identifiers aren't in a list, and applies the delete
    /// rules of references to the deleted rows. Unsaved new objects stay.
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

    /// Runs `deleteMissing(ids:)` asynchronously.
    @discardableResult
    public func deleteMissing(ids: some Sequence<Int64>) async throws -> Int {
        let kept = Set(ids)
        return try await performed { try $0.delete { !kept.contains($0) } }
    }

    private func delete(_ isUnwanted: (Int64) -> Bool) throws -> Int {
        let table = try place().table(for: Record.self)
        return try table.file.write { session in
            let unwanted = try ids().filter(isUnwanted)
            try table.delete(ids: unwanted, in: session)
            return unwanted.count
        }
    }
}
