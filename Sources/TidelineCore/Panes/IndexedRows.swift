import Foundation
import Replication

/// A list with rows by index, which provides windows.
///
/// If a source has all rows in memory, or can fetch them by index, conform its list to this
/// protocol and implement ``ListedRows/window(_:)`` by calling ``window(_:)``.
public protocol IndexedRows {
    /// The number of rows known so far.
    var count: Int { get }
    /// Whether `count` is the length of the whole list.
    var isCountExact: Bool { get }
    /// Returns the rows of a range.
    ///
    /// - Parameter range: The range, within the list.
    /// - Throws: Errors from fetching the rows.
    func rows(_ range: Range<Int>) async throws -> [Row]
    /// Returns the index of a row; `nil` if the row isn't in the list.
    ///
    /// - Throws: Errors from looking it up.
    func index(of row: RowID) async throws -> Int?
}

extension IndexedRows {
    /// `true`, because the count is exact.
    public var isCountExact: Bool { true }

    /// Returns the requested part of the list.
    ///
    /// - Throws: Errors from fetching the rows; `CancellationError` if a search is canceled.
    /// - Complexity: O(*n*) in the number of rows of the window, at most 10,000; for a search, in
    ///   the number of rows searched.
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

    /// Searches for `text` in the cells of the rows after `from`; with `backwards`, in the rows
    /// before `from`. Wraps around once. Returns the index of the first row found.
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

/// A list of rows in memory.
public struct RowList: IndexedRows, Sendable {
    private let list: [Row]

    /// Creates a list of these rows, in order.
    public init(_ rows: [Row]) { list = rows }

    /// The number of rows.
    public var count: Int { list.count }
    /// Returns the rows of a range.
    ///
    /// - Precondition: The range lies within the list.
    public func rows(_ range: Range<Int>) -> [Row] { Array(list[range]) }
    /// Returns the index of a row; `nil` if it isn't in the list.
    ///
    /// - Complexity: O(*n*) in the length of the list.
    public func index(of row: RowID) -> Int? { list.firstIndex { $0.id == row } }

    /// Returns a row, if the list has it.
    package func row(_ id: RowID) -> Row? { list.first { $0.id == id } }

    /// Returns the rows that match the query's filter, in the query's order. Without an order, the
    /// rows stay in the order of the list. Cells with an instant are sorted by time, other cells by
    /// text.
    ///
    /// - Parameter info: The columns, and the fields that a filter may name: the columns by their
    ///   identifiers, and `conflict`.
    /// - Throws: ``FilterError`` for a filter that can't be parsed or names an unknown field.
    /// - Complexity: O(*n* log *n*) in the length of the list.
    public func arranged(_ query: RowQuery, by info: ListInfo) throws(FilterError) -> RowList {
        let schema = ListSchema(rowsOf: info)
        var arrangement = ListArrangement(
            try Filter(query.filter, fields: info.filterFields), query.sort, schema,
            now: query.instant ?? Timestamp(Date()))
        arrangement.take(list)
        return RowList(arrangement.positions.map { list[$0] })
    }
}
