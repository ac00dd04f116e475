import Foundation
public import Replication

/// A list whose rows can be told by number, from which windows are cut.
///
/// A source that has all of its rows at hand, or can fetch any of them by number, conforms what it
/// has to this and answers ``RowSource/window(_:)`` with ``window(_:)``.
public protocol IndexedRows {
    /// How many rows the list has, as far as is known.
    var count: Int { get }
    /// Whether `count` is the whole list, or what is known of it so far.
    var isCountExact: Bool { get }
    /// The rows of a range that lies within the list.
    ///
    /// - Throws: What fetching them meets.
    func rows(_ range: Range<Int>) async throws -> [Row]
    /// Where a row stands, or `nil` when it is not in the list.
    ///
    /// - Throws: What looking for it meets.
    func index(of row: RowID) async throws -> Int?
}

extension IndexedRows {
    /// `true`: the count is the whole list.
    public var isCountExact: Bool { true }

    /// The part of the list that `request` asks for.
    ///
    /// - Throws: What fetching the rows throws; `CancellationError` where a search is cancelled.
    /// - Complexity: The rows of the window, of 10,000 at most; for a search, all rows it passes.
    public func window(_ request: WindowRequest) async throws -> RowWindow {
        let found: Int?
        switch request.position {
        case .index: found = nil
        case .row(let row, _, _): found = try await index(of: row)
        case .search(let text, let from, let backwards):
            found = try await search(text, from: from, backwards: backwards)
        }
        let range = request.range(of: count, found: found)
        return RowWindow(
            rows: try await rows(range), start: range.lowerBound, total: count,
            isTotalExact: isCountExact, found: found)
    }

    /// The first row after (before) `from` with `text` in one of its cells, once around the end.
    private func search(_ text: String, from: Int, backwards: Bool) async throws -> Int? {
        guard !text.isEmpty else { return nil }
        let pattern = Pattern(text)
        for part in SearchParts(of: count, from: from, backwards: backwards) {
            try Task.checkCancellation()
            let matches = try await rows(part).enumerated().filter { _, row in
                row.cells.contains { pattern.isFound(in: $0.text) }
            }
            if let match = backwards ? matches.last : matches.first {
                return part.lowerBound + match.offset
            }
        }
        return nil
    }
}

/// Rows that are all at hand.
public struct RowList: IndexedRows, Sendable {
    private let list: [Row]

    /// The rows, in their order.
    public init(_ rows: [Row]) { list = rows }

    /// How many rows there are.
    public var count: Int { list.count }
    /// The rows of a range.
    ///
    /// - Precondition: The range lies within the list.
    public func rows(_ range: Range<Int>) -> [Row] { Array(list[range]) }
    /// Where a row stands; `nil` when it is not in the list.
    ///
    /// - Complexity: O(*n*) in the length of the list.
    public func index(of row: RowID) -> Int? { list.firstIndex { $0.id == row } }

    /// The rows that pass `filter`, in the order of `sort`: by text, or by instant where the cells
    /// have one.
    ///
    /// - Parameters:
    ///   - info: The columns, and what a filter may ask for: those by their identifiers, and
    ///     `conflict`.
    ///   - now: The clock that ages are reckoned by, for rows of the present.
    /// - Throws: ``FilterError`` for a filter that does not parse or names what is not there.
    /// - Complexity: O(*n* log *n*) in the length of the list.
    public func arranged(
        _ query: RowQuery, by info: ListInfo, now: Timestamp? = nil
    ) throws(FilterError) -> RowList {
        var arrangement = try RowArrangement(query, by: info, now: now)
        arrangement.take(list)
        return RowList(arrangement.positions.map { list[$0] })
    }
}
