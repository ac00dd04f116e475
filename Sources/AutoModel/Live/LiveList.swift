extension Query where Record: AutoObject {
    /// The objects of the query, now and after each transaction that changes which they are, their
    /// order or their values: of this process, and of others.
    ///
    /// ```swift
    /// for try await change in try Artist.where { $0.formed == nil }.live() {
    ///     show(change.list, removed: change.removed, inserted: change.inserted)
    /// }
    /// ```
    ///
    /// The first change has the whole list. What happens while nobody asks is one change. Objects in
    /// the list are kept alive.
    ///
    /// - Throws: ``AutoModelError`` where no open database has the model.
    /// - Complexity: Of a change, beside the query's of single rows by their identifiers,
    ///   O(log *n*) comparisons a row. Queries with a limit or with SQL of one's own, and changes by
    ///   others, are fetched anew.
    public func live() throws -> LiveList<Record> { LiveList(ListSource(self, try table())) }
}

extension Query where Record: AutoValue {
    /// The values of the query, now and after each transaction that changes which they are, their
    /// order or what is in them: of this process, and of others.
    ///
    /// The first change has the whole list. What happens while nobody asks is one change.
    ///
    /// - Throws: ``AutoModelError`` where no open database has the model.
    /// - Complexity: Of a change, beside the query's of single rows by their identifiers,
    ///   O(log *n*) comparisons a row. Queries with a limit or with SQL of one's own, and changes by
    ///   others, are fetched anew.
    public func live() throws -> LiveList<Record> {
        LiveList(ListSource(self, try place().valueTable(of: Record.self)))
    }
}

/// The rows of a query and what becomes of them, until nobody asks any more or the database is
/// closed.
public struct LiveList<Record: AutoRecord>: AsyncSequence, Sendable {
    public typealias Element = ListChange<Record>
    private let source: ListSource<Record>

    init(_ source: ListSource<Record>) { self.source = source }

    public func makeAsyncIterator() -> Iterator { Iterator(ListFollower(source)) }

    public struct Iterator: AsyncIteratorProtocol {
        private let follower: ListFollower<Record>
        private var isFinished = false

        fileprivate init(_ follower: ListFollower<Record>) { self.follower = follower }

        /// The next change; `nil` where the task is cancelled, or the database was closed.
        /// - Throws: ``AutoModelError`` where the file cannot be read; nothing follows then.
        public mutating func next() async throws -> Element? {
            guard !isFinished else { return nil }
            do {
                let change = try await follower.next()
                isFinished = change == nil
                return change
            } catch is CancellationError {
                isFinished = true
                return nil
            } catch {
                isFinished = true
                throw error
            }
        }
    }
}

/// Waits for what happens to the table of a list, for one who follows it.
private final class ListFollower<Record: AutoRecord>: Sendable {
    private let source: ListSource<Record>
    private let number: UInt64
    private let pending: Locked<TableChanges?>
    private let ticks: AsyncStream<Void>
    private let state = Locked<ListState<Record>?>(nil)

    init(_ source: ListSource<Record>) {
        self.source = source
        let pending = Locked<TableChanges?>(nil)
        self.pending = pending
        let (ticks, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.ticks = ticks
        number = source.followers.add { changes in
            pending.withLock { all in
                var sum = all ?? TableChanges()
                sum.formUnion(changes)
                all = sum
            }
            continuation.yield()
        } end: {
            continuation.finish()
        }
    }

    deinit { source.followers.remove(number) }

    func next() async throws -> ListChange<Record>? {
        do {
            return try await nextChange()
        } catch  where source.followers.isEnded {
            // The file was closed while it was asked.
            return nil
        }
    }

    private func nextChange() async throws -> ListChange<Record>? {
        let isFirst = state.withLock { $0 == nil }
        if !isFirst {
            var ticks = ticks.makeAsyncIterator()
            while await ticks.next() != nil {
                if let change = try await look() { return change }
            }
            return nil
        }
        return try await look()
    }

    /// What became of the list, on the queue of its file.
    private func look() async throws -> ListChange<Record>? {
        try await source.database.perform(on: source.file) {
            var finish: [() -> Void] = []
            defer { for body in finish { body() } }
            return try self.source.file.read { _ in
                // Nobody commits meanwhile: what is noted is what these rows show.
                let changes = self.pending.withLock { changes in
                    defer { changes = nil }
                    return changes
                }
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
