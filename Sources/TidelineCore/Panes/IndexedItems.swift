import Foundation
import Replication

/// A list of items by index. Its columns create the rows, and filter and sort them.
protocol IndexedItems: IndexedRows, Sendable {
    associatedtype Item
    var schema: ListSchema<Item> { get }
    /// The number of items per fetch for filtering and sorting.
    var pageSize: Int { get }
    /// Returns the items of a range, for filtering and sorting.
    ///
    /// - Throws: Errors from fetching the items.
    func items(_ range: Range<Int>) async throws -> [Item]
}

extension IndexedItems {
    var pageSize: Int { 1_024 }

    func rows(_ range: Range<Int>) async throws -> [Row] {
        try await items(range).map(schema.row)
    }

    /// Returns the positions of the items that match a query's filter, in the query's sort order.
    ///
    /// - Parameter now: The instant that ages are relative to, if the query is for the present.
    /// - Throws: ``FilterError``; errors from fetching the items; `CancellationError`.
    /// - Complexity: O(*n* log *n*) in the length of the list. One page is in memory at a time.
    func positions(_ query: RowQuery, now: Timestamp? = nil) async throws -> [Int] {
        let filter = try Filter(query.filter, fields: schema.filterFields)
        var arrangement = ListArrangement(
            filter, query.sort, schema, now: query.instant ?? now ?? Timestamp(Date()))
        for start in stride(from: 0, to: count, by: pageSize) {
            try Task.checkCancellation()
            arrangement.take(try await items(start..<min(count, start + pageSize)))
        }
        return arrangement.positions
    }

    /// Returns the list of the items that a query selects.
    ///
    /// - Throws: The errors of ``positions(_:now:)``.
    func arranged(_ query: RowQuery) async throws -> ArrangedList<Self> {
        ArrangedList(all: self, positions: try await positions(query))
    }

    /// Returns the requested part of the items that the request's query selects.
    ///
    /// - Throws: The errors of ``positions(_:now:)``; errors from fetching rows.
    func arrangedWindow(_ request: WindowRequest) async throws -> RowWindow {
        let query = request.query
        if query.isPlain { return try await window(request) }
        return try await arranged(query).window(request)
    }
}

extension RowQuery {
    /// Whether the query selects all rows in the source's own order.
    var isPlain: Bool { filter.isEmpty && sort == nil }
}

extension WindowRequest {
    /// The same request for the present instead of an instant.
    var ofPresent: WindowRequest {
        var request = self
        request.query.instant = nil
        return request
    }
}

/// A list of items in memory.
struct ItemList<Item: Sendable>: IndexedItems {
    let all: [Item]
    let schema: ListSchema<Item>

    init(_ items: [Item], _ schema: ListSchema<Item>) {
        all = items
        self.schema = schema
    }

    var count: Int { all.count }
    func items(_ range: Range<Int>) -> [Item] { Array(all[range]) }
    func index(of row: RowID) -> Int? { all.firstIndex { schema.id($0) == row } }

    /// Returns the items in another order.
    func sorted(by sort: RowQuery.Sort?) -> ItemList {
        var arrangement = ListArrangement(Filter(.everything), sort, schema, now: .distantPast)
        arrangement.take(all)
        return ItemList(arrangement.positions.map { all[$0] }, schema)
    }
}

/// The items that a query selects, by their positions in the whole list.
struct ArrangedList<List: IndexedItems>: IndexedRows, Sendable {
    fileprivate let all: List
    fileprivate let positions: [Int]

    var count: Int { positions.count }
    var isCountExact: Bool { all.isCountExact }

    func rows(_ range: Range<Int>) async throws -> [Row] {
        let wanted = positions[range]
        var found: [Int: Row] = [:]
        for run in RangeSet(wanted.sorted().map { $0..<$0 + 1 }).ranges {
            for (position, row) in zip(run, try await all.rows(run)) { found[position] = row }
        }
        return wanted.compactMap { found[$0] }
    }

    func index(of row: RowID) async throws -> Int? {
        try await all.index(of: row).flatMap { positions.firstIndex(of: $0) }
    }
}

extension ResultCache {
    /// Returns the requested part of a list in one state of the store. Caches filtered and sorted
    /// lists.
    func window<List: IndexedItems>(
        _ request: WindowRequest, of list: List, in state: State
    ) async throws -> RowWindow where Answer == ArrangedList<List> {
        let query = request.query
        if query.isPlain { return try await list.window(request) }
        return try await answer(to: query, in: state) { try await list.arranged(query) }
            .window(request)
    }
}
