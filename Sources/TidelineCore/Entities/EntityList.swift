import EntityStore

/// The entities that match a query and a filter, by index.
struct EntityList: IndexedRows, Sendable {
    let store: EntityStore
    let query: EntityQuery
    /// The identifiers that match the filter; `nil` without a filter.
    let identifiers: [String]?
    let count: Int
    /// Makes the rows of entities.
    let makeRows: @Sendable ([EntityRecord]) async throws -> [Row]

    /// Reads the list.
    ///
    /// - Parameter filter: Returns for each entity whether it matches; `nil` if all match.
    init(
        _ store: EntityStore, _ query: EntityQuery,
        filter: (([EntityRecord]) async throws -> [Bool])?,
        rows makeRows: @escaping @Sendable ([EntityRecord]) async throws -> [Row]
    ) async throws {
        self.makeRows = makeRows
        self.store = store
        self.query = query
        guard let filter else {
            identifiers = nil
            count = try await store.count(query)
            return
        }
        var passed: [String] = []
        let size = 1_000
        var start = 0
        while true {
            try Task.checkCancellation()
            let window = try await store.window(
                query, from: start, count: size, withFurther: true)
            for (record, passes) in zip(window.records, try await filter(window.records))
            where passes { passed.append(record.identifier) }
            start += size
            if start >= window.total { break }
        }
        identifiers = passed
        count = passed.count
    }

    private func records(_ range: Range<Int>) async throws -> [EntityRecord] {
        let range = range.clamped(to: 0..<count)
        guard let identifiers else {
            return try await store.window(query, from: range.lowerBound, count: range.count).records
        }
        return try await store.records(of: identifiers[range].map { .identifier($0) })
            .compactMap { $0 }
    }

    func rows(_ range: Range<Int>) async throws -> [Row] { try await makeRows(records(range)) }

    func index(of row: RowID) async throws -> Int? {
        if let identifiers { return identifiers.firstIndex(of: row.name) }
        return try await store.position(of: .identifier(row.name), in: query)
    }
}
