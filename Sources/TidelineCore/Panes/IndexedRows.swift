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
        let filter = try Filter(query.filter, fields: info.filterFields)
        let columns = info.columns
        var rows = list
        if !filter.isEmpty {
            let now = query.instant ?? now ?? Timestamp(Date())
            rows = rows.filter {
                filter.passes(RowSubject(row: $0, columns: columns, now: now))
            }
        }
        if let sort = query.sort, let column = columns.firstIndex(where: { $0.id == sort.column }) {
            rows = rows.enumerated().sorted { lhs, rhs in
                let (left, right) = (lhs.element, rhs.element)
                guard column < left.cells.count, column < right.cells.count else { return false }
                let (a, b) = (left.cells[column], right.cells[column])
                if a.isOrdered(before: b) { return !sort.isDescending }
                if b.isOrdered(before: a) { return sort.isDescending }
                return lhs.offset < rhs.offset
            }.map(\.element)
        }
        return RowList(rows)
    }
}

extension RowCell {
    /// Instants by time, numbers by size, the rest by text.
    func isOrdered(before other: RowCell) -> Bool {
        if let left = instant, let right = other.instant { return left < right }
        if let left = value?.number, let right = other.value?.number { return left < right }
        if role == .number, other.role == .number, let left = Double(text),
            let right = Double(other.text)
        {
            return left < right
        }
        return text < other.text
    }
}

/// A row as a filter sees it: its cells, by the names of their columns.
private struct RowSubject: FilterSubject {
    let row: Row
    let columns: [Column]
    let now: Timestamp

    func contains(where test: (String) -> Bool) -> Bool {
        row.cells.contains { test($0.text) }
    }

    func text(of field: String) -> String? {
        if field == "conflict" { return row.isConflict || row.conflictsInside > 0 ? "yes" : "no" }
        return cell(field)?.text
    }

    func texts(of field: String) -> [String] {
        var texts = text(of: field).map { [$0] } ?? []
        if field == "device", let device = row.device { texts.append(device.name) }
        if let string = cell(field)?.value?.string { texts.append(string) }
        return texts
    }

    func number(of field: String) -> Double? {
        guard let cell = cell(field) else { return nil }
        if let instant = cell.instant { return now.seconds(since: instant) }
        if let value = cell.value { return value.number }
        return Double(cell.text)
    }

    func instant(of field: String) -> Timestamp? {
        guard let cell = cell(field) else { return nil }
        return cell.instant ?? cell.value?.instant ?? (try? Timestamp(parsing: cell.text))
    }

    private func cell(_ field: String) -> RowCell? {
        guard let index = columns.firstIndex(where: { $0.id == field }), index < row.cells.count
        else { return nil }
        return row.cells[index]
    }
}

extension Timestamp {
    /// Seconds from an earlier instant to this one.
    func seconds(since earlier: Timestamp) -> Double {
        Double(microseconds) / 1_000_000 - Double(earlier.microseconds) / 1_000_000
    }
}
