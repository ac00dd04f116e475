import Foundation
import Replication

/// Filters and sorts a list's rows incrementally, so that the list needn't be in memory at once.
struct RowArrangement {
    private let filter: Filter
    private let columns: [Column]
    /// The index of the column to sort by.
    private let column: Int?
    private let isDescending: Bool
    /// The clock for ages.
    private let now: Timestamp
    private var count = 0
    /// The rows that pass, with their sort cells.
    private var kept: [(position: Int, cell: RowCell?)] = []

    /// - Parameters:
    ///   - info: The columns and the fields that a filter may name: the columns by their
    ///     identifiers, and `conflict`.
    ///   - now: The clock for ages, for rows of the present.
    /// - Throws: ``FilterError`` for a filter that doesn't parse or names an unknown field.
    init(
        _ query: RowQuery, by info: ListInfo, now: Timestamp? = nil
    ) throws(FilterError) {
        filter = try Filter(query.filter, fields: info.filterFields)
        columns = info.columns
        let sort = query.sort
        column = sort.flatMap { sort in info.columns.firstIndex { $0.id == sort.column } }
        isDescending = sort?.isDescending ?? false
        self.now = query.instant ?? now ?? Timestamp(Date())
    }

    /// Adds the next rows of the list.
    mutating func take(_ rows: [Row]) {
        for (offset, row) in rows.enumerated()
        where filter.isEmpty || filter.passes(RowSubject(row: row, columns: columns, now: now)) {
            let cell = column.flatMap { $0 < row.cells.count ? row.cells[$0] : nil }
            kept.append((count + offset, cell))
        }
        count += rows.count
    }

    /// The positions of the rows that pass, sorted by instant if the cells have one, otherwise by
    /// text. Equal rows keep their order.
    var positions: [Int] {
        guard column != nil else { return kept.map(\.position) }
        return kept.sorted { lhs, rhs in
            guard let a = lhs.cell, let b = rhs.cell else { return false }
            if a.isOrdered(before: b) { return !isDescending }
            if b.isOrdered(before: a) { return isDescending }
            return lhs.position < rhs.position
        }.map(\.position)
    }
}

extension RowCell {
    /// Compares instants by time, numbers by size, and everything else by text.
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

/// A row for the filter: its cells, by column name.
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
    /// Returns the seconds since an earlier instant.
    func seconds(since earlier: Timestamp) -> Double {
        Double(microseconds) / 1_000_000 - Double(earlier.microseconds) / 1_000_000
    }
}
