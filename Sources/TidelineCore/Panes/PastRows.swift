public import Replication

/// The earlier states of a list's rows.
public protocol PastRows: ListedRows {
    /// Returns the inspector's content for a version of a row, with the differences from the
    /// current value. A line of the row's detail names the version. Returns `nil` if the version
    /// isn't available.
    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail?
    /// Returns the texts of a row with the writer of each part; `nil` if the row no longer exists
    /// or its writers aren't known.
    ///
    /// - Parameter part: The property whose texts to return; `nil` for all texts of the row.
    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts?
    /// Returns the nearest write to a row after (or before) an instant.
    ///
    /// - Parameter backwards: Whether to search for an earlier write.
    func step(of row: RowID, from instant: Timestamp, backwards: Bool) async throws -> RowStep
    /// Returns the rows with this name prefix that have changed since an instant, including deleted
    /// rows.
    ///
    /// - Throws: ``EditError`` with code `.unsupported` if rows have no such names; errors from
    ///   reading the store.
    func changedRows(under prefix: String, since instant: Timestamp) async throws -> [RowID]
    /// Returns whether the rows inside a folder have changed since an instant; `nil` if this isn't
    /// known, for example because comparing them would take too long.
    func hasChanges(inside row: RowID, since instant: Timestamp) async throws -> Bool?
    /// Drops the history index. Call when the user leaves time travel.
    func forgetPast()
}

extension PastRows {
    /// Returns `nil`, because versions aren't available.
    public func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? { nil }
    /// Returns `nil`, because the writers of parts aren't known.
    public func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? { nil }
    /// Returns the texts of a row with the writer of each part, as the inspector shows them; `nil`
    /// if the writers aren't known.
    public func authors(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try await writtenTexts(of: row, part: nil, at: instant).map { Detail(authorsOf: $0) }
    }
    /// Does nothing, because the list has no history index.
    public func forgetPast() {}
    /// Returns `unknown`, so that the caller searches all writes.
    public func step(
        of row: RowID, from instant: Timestamp, backwards: Bool
    ) async throws -> RowStep { .unknown }
    /// Throws an error, because rows have no names with prefixes.
    ///
    /// - Throws: ``EditError`` with code `.unsupported`.
    public func changedRows(
        under prefix: String, since instant: Timestamp
    ) async throws -> [RowID] {
        throw EditError(.unsupported, "\(info.title) can't be restored by prefix")
    }
    /// Returns `nil`, because the rows inside a row aren't compared.
    public func hasChanges(inside row: RowID, since instant: Timestamp) async throws -> Bool? {
        nil
    }
    /// Returns the inspector's content for a row of a query: the row itself, an earlier version, or
    /// its texts with their writers.
    ///
    /// - Throws: The errors of the method that returns this content.
    public func detail(
        of row: RowID, as form: Detail.Form, in query: RowQuery
    ) async throws -> Detail? {
        switch form {
        case .row: try await detail(of: row, in: query)
        case .version(let version): try await self.version(version, of: row)
        case .authors: try await authors(of: row, at: query.instant)
        }
    }
}

/// The result of a step from one write of a row to the next.
public enum RowStep: Hashable, Sendable {
    /// The instant of the next write.
    case at(Timestamp)
    /// No write exists in that direction.
    case none
    /// The source doesn't record when its rows were written.
    case unknown
}
