import Replication
import TidelineCore

/// The different values in a column of a list, most frequent first.
final class FrequencyList: RowSource {
    /// The maximum number of values in the list.
    static let limit = 10_000
    /// The number of rows to read at a time. Used if the list can't count values itself.
    private static let page = 2_000
    /// The maximum number of rows to count in this way.
    private static let rowLimit = 5_000_000

    let info: ListInfo
    private let list: RowList
    private let sections: [Detail.Section]
    private static let barWidth = 20

    /// Counts the values of a column in the rows of a query.
    ///
    /// - Throws: ``RequestFailure`` if the list has too many rows; errors from reading them.
    /// - Complexity: O(*n*) in the number of rows.
    init(of column: Column, in source: any RowSource, query: RowQuery) async throws {
        var query = query
        query.sort = nil
        let frequencies = try await Self.frequencies(of: column.id, in: source, query)
        let (rowCount, distinctCount) = (frequencies.rowCount, frequencies.distinctCount)
        let most = Double(max(1, frequencies.items.first?.count ?? 1))
        list = RowList(
            frequencies.items.enumerated().map { index, item in
                let share = Double(item.count) / Double(max(1, rowCount))
                var row = Row(
                    id: RowID("\(index)"),
                    cells: [
                        item.cell,
                        RowCell(
                            Counted.grouped(item.count), .number,
                            value: .json(.count(item.count))),
                        RowCell(
                            FractionText.percentage(share), .number, value: .json(.real(share))),
                        RowCell(
                            FractionText.bar(Double(item.count) / most, width: Self.barWidth),
                            .label),
                    ])
                row.outerFilter = item.filter
                return row
            })
        let rest =
            list.count < distinctCount
            ? " (first \(Counted.grouped(list.count)) of \(Counted.grouped(distinctCount)))"
            : ""
        info = ListInfo(
            "\(column.typedName) by frequency\(rest)",
            columns: [
                Column("value", "Value", minimumWidth: 12, isSortable: true),
                Column("count", "Count", width: 10, alignment: .trailing, isSortable: true),
                Column("share", "Share", width: 6, alignment: .trailing),
                Column("bar", "", width: Self.barWidth, isDrawing: true),
            ],
            filterFields: [
                FilterField("value", .value, example: "value:a*"),
                FilterField("count", .number, example: "count>1"),
            ], hasPast: false, whyNoAlert: "alerts are set on rows",
            namingColumn: "value")
        sections = frequencies.sections
    }

    private static func frequencies(
        of column: String, in source: any RowSource, _ query: RowQuery
    ) async throws -> ValueFrequencies {
        if let known = try await source.frequencies(of: column, in: query, limit: limit) {
            return known
        }
        guard var counter = ValueFrequencies.Counter(column, of: source.info) else {
            throw RequestFailure(.other, "\(source.info.title) has no column \(column)")
        }
        try await RowExport.read(source, query, page: page, limit: rowLimit) { counter.add($0) }
        return counter.frequencies(limit: limit)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await list.arranged(request.query, by: info).window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let cells = list.row(row)?.cells else { return nil }
        let lines = zip(info.columns, cells).prefix(3).map { column, cell in
            Detail.Line(column.title.lowercased(), cell.text, cell.role)
        }
        return Detail(title: cells[0].text, sections: [Detail.Section("Value", lines)] + sections)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let cells = list.row(row)?.cells else { return [] }
        return [
            CopyForm("value", cells[0].value?.json.line ?? cells[0].text),
            CopyForm("row", cells.prefix(3).map(\.text).joined(separator: "\t")),
        ]
    }
}
