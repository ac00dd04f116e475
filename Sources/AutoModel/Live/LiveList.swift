extension Query where Record: AutoObject {
    /// Returns the objects of the query, now and after each transaction of this or another process
    /// that changes the result.
    ///
    /// ```swift
    /// for try await change in try Artist.where { $0.formed == nil }.live() {
    ///     show(change.list, removed: change.removed, inserted: change.inserted)
    /// }
    /// ```
    ///
    /// The first change has the whole list. Transactions between two calls of `next()` are combined
    /// into one change. The list keeps its objects alive.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the model.
    /// - Complexity: For each changed row, a query by identifier and O(log *n*) comparisons.
    ///   Queries with a limit or custom SQL are fetched from scratch, as are all queries after a
    ///   change by another process.
    public func live() throws -> LiveList<Record> { LiveList(ListSource(self, try table())) }
}

extension Query where Record: AutoValue {
    /// Returns the values of the query, now and after each transaction of this or another process
    /// that changes the result.
    ///
    /// The first change has the whole list. Transactions between two calls of `next()` are combined
    /// into one change.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the model.
    /// - Complexity: For each changed row, a query by identifier and O(log *n*) comparisons.
    ///   Queries with a limit or custom SQL are fetched from scratch, as are all queries after a
    ///   change by another process.
    public func live() throws -> LiveList<Record> {
        LiveList(ListSource(self, try place().valueTable(of: Record.self)))
    }
}

/// The rows of a query and their changes, until the task is canceled or the database is closed.
public struct LiveList<Record: AutoRecord>: AsyncSequence, Sendable {
    /// A change of the list.
    public typealias Element = ListChange<Record>
    private let source: ListSource<Record>

    init(_ source: ListSource<Record>) { self.source = source }

    /// Subscribes to the list.
    public func makeAsyncIterator() -> LiveIterator<Element> {
        let follower = ListFollower(source)
        return LiveIterator { try await follower.next() }
    }
}

/// An object that waits for changes of a list's table on behalf of one subscriber.
private final class ListFollower<Record: AutoRecord>: Sendable {
    private let source: ListSource<Record>
    private let subscription: TableSubscription
    private let state = Locked<ListState<Record>?>(nil)

    init(_ source: ListSource<Record>) {
        self.source = source
        subscription = TableSubscription([source.followers])
    }

    func next() async throws -> ListChange<Record>? {
        let isFirst = state.withLock { $0 == nil }
        return try await subscription.next(isFirst: isFirst) { try await look() }
    }

    /// Computes the next change on the file's queue; `nil` if the list hasn't changed.
    private func look() async throws -> ListChange<Record>? {
        try await source.database.perform(on: source.file) {
            var finish: [() -> Void] = []
            defer { for body in finish { body() } }
            return try self.source.file.read { _ in
                // The read transaction blocks commits of this process, so the rows reflect all
                // recorded changes.
                let changes = self.subscription.take()[0]
                return try self.state.withLock { state in
                    guard var known = state else {
                        let (first, change) = try ListState.first(of: self.source, &finish)
                        state = first
                        return change
                    }
                    guard let changes else { return nil }
                    let change = try known.take(changes, &finish)
                    state = known
                    return change.isEmpty ? nil : change
                }
            }
        }
    }
}
