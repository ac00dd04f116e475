/// A subscription to the changes of one or several tables, for a subscriber that re-reads the
/// tables when it is ready.
final class TableSubscription: Sendable {
    private let tables: [FollowerList<TableChanges>]
    private let numbers: [UInt64]
    /// The changes of each table since they were last taken.
    private let pending: Locked<[TableChanges?]>
    private let ticks: AsyncStream<Void>

    init(_ tables: [FollowerList<TableChanges>]) {
        self.tables = tables
        let pending = Locked<[TableChanges?]>(tables.map { _ in nil })
        self.pending = pending
        let (ticks, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.ticks = ticks
        numbers = tables.enumerated().map { index, table in
            table.add { changes in
                pending.withLock { all in
                    var sum = all[index] ?? TableChanges()
                    sum.formUnion(changes)
                    all[index] = sum
                }
                continuation.yield()
            } end: {
                continuation.finish()
            }
        }
    }

    deinit { for (table, number) in zip(tables, numbers) { table.remove(number) } }

    /// Whether a table's database was closed.
    var isEnded: Bool { tables.contains { $0.isEnded } }

    /// Returns the changes of each table since the last call.
    func take() -> [TableChanges?] {
        pending.exchange(tables.map { _ in nil })
    }

    /// Waits for changes, and calls `look` until it returns a result; `nil` at the end of the
    /// subscription.
    ///
    /// - Throws: Errors of `look`, unless the database was closed in the meantime.
    func next<Result>(
        isFirst: Bool, _ look: () async throws -> Result?
    ) async throws -> Result? {
        do {
            if isFirst { return try await look() }
            var ticks = ticks.makeAsyncIterator()
            while await ticks.next() != nil {
                if let result = try await look() { return result }
            }
            return nil
        } catch  where isEnded {
            return nil
        }
    }
}
