import Foundation
import Replication
package import Tables

/// The layout of a table's rows as a grid: its columns and their widths.
package struct TableGrid: Sendable {
    /// The columns of the list. The inspector shows all columns of the table.
    let named: [NamedTable.Column]
    let columns: [Column]
    /// Whether the first column shows the row's key.
    let showsKey: Bool
    /// The epochs of the columns' numbers, including those guessed from the sample.
    let epochs: [String: Epoch]
    private let sample: [TableRow]

    /// The form that shows numbers unchanged, as in the file.
    static let number = NumberForm("number", "numbers")
    static let numberForms = [number] + Epoch.allCases.map { NumberForm($0.rawValue, $0.title) }
    /// The maximum number of columns in a list.
    static let limit = 200

    /// Creates the grid of a table's rows.
    ///
    /// - Parameters:
    ///   - sample: Some rows, for choosing column widths and guessing epochs.
    ///   - chosen: The columns for which the user has chosen an epoch.
    ///   - sortCost: A closure that returns the cost of sorting by a column, if it is high.
    init(
        _ table: NamedTable, sample: [TableRow], epochs known: [String: Epoch],
        chosen: Set<String> = [], sortCost: (NamedTable.Column) -> String?
    ) {
        named = Array(table.columns.prefix(Self.limit))
        self.sample = sample
        var epochs = known
        for (index, column) in named.enumerated()
        where epochs[column.name] == nil && !chosen.contains(column.name) {
            epochs[column.name] = Epoch.guess(
                column: column.schema, values: sample.lazy.map { $0.values[index] })
        }
        self.epochs = epochs
        let key = table.schema.primaryKey
        showsKey =
            !(key.count == 1 && key.first.map { table.column($0.name) != nil } ?? false)
            && table.schema.rowID != nil
        var columns: [Column] = []
        if showsKey {
            let widest = sample.map { $0.key.text.count }.max() ?? 5
            columns.append(
                Column(
                    "rowid", "ROWID", width: max(5, widest + 1), alignment: .trailing,
                    isSortable: true))
        }
        for (index, column) in named.enumerated() {
            let cells = sample.map { Self.text($0.values[index], column, epochs[column.name]) }
            let isNumber =
                column.schema.affinity != .text && epochs[column.name] == nil
                && !sample.isEmpty
                && sample.allSatisfy { row in
                    switch row.values[index] {
                    case .integer, .real, .null: true
                    default: false
                    }
                }
            columns.append(
                Column(
                    column.name, column.name.uppercased(), fitting: cells,
                    alignment: isNumber ? .trailing : .leading, isSortable: true,
                    sortCost: sortCost(column)))
        }
        self.columns = columns
    }

    /// Returns this grid with other epochs for its columns of numbers.
    func counting(
        _ epochs: [String: Epoch], chosen: Set<String>, of table: NamedTable
    ) -> TableGrid {
        TableGrid(table, sample: sample, epochs: epochs, chosen: chosen) { column in
            columns.first { $0.id == column.name }?.sortCost
        }
    }

    func row(_ row: TableRow, of table: NamedTable) -> Row {
        var cells: [RowCell] = []
        if showsKey {
            cells.append(RowCell(row.key.text, .dim, value: .json(.verbatim(row.key.text))))
        }
        for (column, value) in zip(named, row.values) {
            cells.append(Self.cell(value, column, epochs[column.name]))
        }
        return Row(id: Self.id(row.key, of: table), cells: cells)
    }

    static func cell(_ value: TableValue, _ column: NamedTable.Column, _ epoch: Epoch?) -> RowCell {
        RowCell(
            text(value, column, epoch), role(value, isDate: epoch != nil),
            value: CellValue(TableCell(value: value, column: column, epoch: epoch)))
    }

    static func id(_ key: RowKey, of table: NamedTable) -> RowID {
        RowID("\(table.name)/\(key.text)")
    }

    static func key(_ row: RowID, of table: NamedTable) -> RowKey? {
        let prefix = "\(table.name)/"
        guard row.name.hasPrefix(prefix) else { return nil }
        return try? RowKey(String(row.name.dropFirst(prefix.count)), of: table.schema)
    }

    /// Returns a value in one line.
    ///
    /// - Parameter uuid: Whether 16 bytes are a UUID; by default, the declaration of the column
    ///   decides.
    package static func text(
        _ value: TableValue, _ column: NamedTable.Column?, _ epoch: Epoch?,
        uuid: BlobContent.UUIDHint? = nil
    ) -> String {
        switch value {
        case .null: return "NULL"
        case .text(let text):
            return text.dropFirst(400).isEmpty ? text : text.prefix(400) + "…"
        case .malformedText(let data):
            return self.text(.text(String(decoding: data, as: UTF8.self)), column, epoch)
        case .blob(let data):
            switch column?.external(data) {
            case .file(let name)?: return "file \(name)"
            case .inline(let data)?: return BlobContent(data).summary
            case nil:
                return BlobContent(data, uuid: uuid ?? column?.uuidHint ?? .never).summary
            }
        case .unread(let isText, let count):
            return "(\(isText ? "text" : "bytes")\(count.map { ", \($0)" } ?? ""), not loaded)"
        case .integer, .real:
            if let date = epoch?.date(value) {
                let text = Timestamp(date).iso8601
                // Omit the fraction of a second, and use a space instead of T, as SQLite's
                // `datetime` does.
                return text.prefix(19).replacingOccurrences(of: "T", with: " ")
            }
            if case .real(let number) = value { return TableValue.words(for: number) }
            return value.json
        }
    }

    /// Returns the values of a row in one line, without NULLs.
    static func line(
        of values: [TableValue], in columns: some Collection<NamedTable.Column>,
        epochs: [String: Epoch] = [:]
    ) -> String {
        let cells = zip(columns, values).filter { $1 != .null }
            .map { "\($0.name) \(text($1, $0, epochs[$0.name]))" }
        return cells.isEmpty ? "NULL" : cells.joined(separator: ", ")
    }

    static func role(_ value: TableValue, isDate: Bool) -> TextRole {
        switch value {
        case .null: .dim
        case .integer, .real: isDate ? .date : .number
        case .text, .malformedText: .string
        case .blob, .unread: .data
        }
    }
}

/// The value of a table's cell, for sorting, filtering and export.
struct TableCell: CellContent {
    let value: TableValue
    let column: NamedTable.Column?
    var epoch: Epoch?

    var asJSON: JSONValue { column?.json(value) ?? .verbatim(value.json) }
    var asNumber: FilterNumber? {
        switch value {
        case .integer(let number): FilterNumber(integer: Int128(number))
        case .real(let number): FilterNumber(number)
        default: nil
        }
    }
    var isLoaded: Bool { value.isLoaded }
    var asText: String? { if case .text(let text) = value { text } else { nil } }
    var asInstant: Timestamp? { epoch?.date(value).map { Timestamp($0) } }
}
