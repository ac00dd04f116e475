/// The rows of a query over one or several tables, after each transaction that changes the tables,
/// until the task is canceled or the database is closed.
///
/// ```swift
/// let counts = try Album.all.join(\.artist).group { $1.name }.liveValues { ($1.name, $0.id.count()) }
/// for try await rows in counts {
///     for (artist, count) in rows { print(artist, count) }
/// }
/// ```
///
/// The first element has the current rows. Transactions between two calls of `next()` are combined
/// into one element.
public struct LiveResults<Row: Sendable>: AsyncSequence, Sendable {
    /// All rows, in order.
    public typealias Element = [Row]
    private let selection: Selection<Row>
    private let tables: [any AnyTable]

    init(_ selection: Selection<Row>) throws {
        self.selection = selection
        tables = try selection.plan.tables()
    }

    /// Subscribes to the rows.
    public func makeAsyncIterator() -> LiveIterator<Element> {
        let follower = ResultFollower(selection, tables)
        return LiveIterator { try await follower.next() }
    }
}

/// An object that waits for changes of tables on behalf of one subscriber.
private final class ResultFollower<Row: Sendable>: Sendable {
    private let selection: Selection<Row>
    private let tables: [any AnyTable]
    private let subscription: TableSubscription
    /// The rows that the subscriber received last, with their values as in the file.
    private let known = Locked<[[SQLValue]]?>(nil)

    init(_ selection: Selection<Row>, _ tables: [any AnyTable]) {
        self.selection = selection
        self.tables = tables
        subscription = TableSubscription(tables.map(\.followers))
    }

    func next() async throws -> [Row]? {
        let isFirst = known.withLock { $0 == nil }
        return try await subscription.next(isFirst: isFirst) { try await look() }
    }

    /// Reads the rows on the file's queue; `nil` if they haven't changed.
    private func look() async throws -> [Row]? {
        let file = tables[0].file
        return try await tables[0].database.perform(on: file) {
            var finish: [() -> Void] = []
            defer { for body in finish { body() } }
            return try file.read { _ in
                let changes = self.subscription.take()
                let found = try self.selection.find(self.tables)
                finish = found.finish
                let former = self.known.exchange(found.rows)
                guard let former, former == found.rows, !self.hasOtherRecords(found, changes)
                else { return try self.selection.rows(of: found) }
                return nil
            }
        }
    }

    /// Returns whether the values of objects in the result have changed.
    private func hasOtherRecords(
        _ found: Selection<Row>.Found, _ changes: [TableChanges?]
    ) -> Bool {
        guard selection.hasRecords else { return false }
        return zip(changes, found.records).contains { change, records in
            guard let change else { return false }
            return change.isUnknown || change.updated.contains { records[$0] != nil }
        }
    }
}
