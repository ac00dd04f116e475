import Replication
import TidelineCore

/// The differences of a list between two instants, as a list of added, changed and deleted rows.
final class TimeComparisonSource: RowSource {
    /// The maximum number of rows in a comparison. Longer lists must be filtered first.
    private static let limit = 200_000
    private static let page = 2_000

    let info: ListInfo
    /// If texts differ only after this many cells, their common start is omitted.
    private static let sameWidth = 14
    private static let fields = [
        FilterField("change", .choice(["added", "changed", "removed"]), example: "change:changed"),
        FilterField("row", example: "row:note/*"),
        FilterField("before", example: "before:draft"), FilterField("after", example: "after:done"),
    ]
    private let list: RowList

    /// Compares a list at two instants.
    ///
    /// - Parameter offset: The time zone in which times are shown.
    /// - Throws: ``RequestFailure`` if the list has too many rows.
    /// - Complexity: O(*n*) in the number of rows; both states are read.
    init(
        of source: any RowSource, query: RowQuery, from: Timestamp, to: Timestamp, offset: UTCOffset
    ) async throws {
        var query = query
        query.sort = nil
        query.instant = from
        var before: [RowID: Row] = [:]
        try await Self.read(source, query) { before[$0.id] = $0 }
        query.instant = to
        var rows: [Row] = []
        try await Self.read(source, query) { row in
            guard let old = before.removeValue(forKey: row.id) else {
                rows.append(Self.row("added", row, nil, Self.text(of: row)))
                return
            }
            let (oldText, text) = (Self.text(of: old), Self.text(of: row))
            if Self.values(of: old) != Self.values(of: row) {
                rows.append(Self.row("changed", row, oldText, text, from: old))
            }
        }
        for (_, old) in before { rows.append(Self.row("removed", old, Self.text(of: old), nil)) }
        rows.sort { ($0.cells[1].text, $0.id.name) < ($1.cells[1].text, $1.id.name) }
        list = RowList(rows)
        let instants = [from, to].map { TimeText.text($0, offset: offset) }
        let seconds = instants.map { String($0.prefix(19)) }
        let titles = seconds[0] == seconds[1] ? instants : seconds
        info = ListInfo(
            "Differences",
            columns: [
                Column("change", "Change", width: 7, isSortable: true),
                Column("row", "Row", minimumWidth: 12, isSortable: true),
                Column("before", titles[0], minimumWidth: 19),
                Column("after", titles[1], minimumWidth: 19),
            ], filterFields: Self.fields, hasPast: false)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await list.arranged(request.query, by: info).window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let found = found(row) else { return nil }
        let lines = zip(info.columns, found.cells).map { column, cell in
            Detail.Line(column.title, Self.whole(cell), cell.role)
        }
        return Detail(title: found.cells[1].text, sections: [.init("Difference", lines)])
    }

    private static func read(
        _ source: any RowSource, _ query: RowQuery, _ body: (Row) -> Void
    ) async throws {
        try await RowExport.read(source, query, page: page, limit: limit, body)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let texts = found(row)?.cells.map(Self.whole) else { return [] }
        let values = [CopyForm("after", texts[3]), CopyForm("before", texts[2])]
        return values.filter { !$0.text.isEmpty }
            + [CopyForm("row", texts.joined(separator: "\t"))]
    }

    private func found(_ row: RowID) -> Row? {
        list.index(of: row).flatMap { list.rows($0..<$0 + 1).first }
    }

    /// Returns the full text of a cell, since shortened texts of both instants may look the same.
    private static func whole(_ cell: RowCell) -> String { cell.value.map(text) ?? cell.text }

    /// Returns the columns shown for a row, without its name and its timestamps, which are shown as
    /// ages.
    private static func text(of row: Row) -> String {
        row.cells.dropFirst().filter { $0.instant == nil }.map(\.text).joined(separator: " ")
    }

    /// Returns the columns that are compared. Another device writing the same value is not a
    /// change.
    private static func values(of row: Row) -> [RowCell] {
        row.cells.dropFirst().filter { $0.instant == nil && $0.role != .device }
    }

    /// Returns a value on one line.
    private static func text(of value: CellValue) -> String {
        if case .string(let text) = value.json { text } else { value.json.line }
    }

    /// Returns the value on one line, in full if texts shortened to a line would look the same.
    private static func text(of row: Row, comparedTo other: Row) -> String {
        row.cells.enumerated().dropFirst().filter { $1.instant == nil }.map { index, cell in
            guard other.cells.indices.contains(index), let value = cell.value,
                other.cells[index].text == cell.text, other.cells[index].value != value
            else { return cell.text }
            return text(of: value)
        }.joined(separator: " ")
    }

    private static func row(
        _ change: String, _ row: Row, _ old: String?, _ new: String?, from before: Row? = nil
    ) -> Row {
        let role: TextRole = change == "added" ? .added : change == "removed" ? .removed : .label
        var cells = [
            RowCell(change, role), RowCell(row.cells.first?.text ?? row.id.name, .key),
            RowCell(old ?? "", .removed), RowCell(new ?? "", .added),
        ]
        if let before {
            let (old, new) = (text(of: before, comparedTo: row), text(of: row, comparedTo: before))
            let shown = DifferingTexts(old, new, same: Self.sameWidth)
            (cells[2].text, cells[3].text) = (shown.first, shown.second)
            (cells[2].value, cells[3].value) = (.json(.string(old)), .json(.string(new)))
        }
        return Row(id: row.id, cells: cells)
    }
}
