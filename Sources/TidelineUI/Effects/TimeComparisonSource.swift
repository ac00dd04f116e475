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
    /// The maximum number of characters in a cell, wider than any screen.
    private static let longest = 2_000
    private static let fields = [
        FilterField("change", .choice(["added", "changed", "removed"]), example: "change:changed"),
        FilterField("row", example: "row:note/*"),
        FilterField("before", example: "before:draft"), FilterField("after", example: "after:done"),
    ]
    private let list: RowList
    /// The rows that differ, in both states.
    private let pairs: [RowID: Pair]
    /// The two instants, as the inspector shows them.
    private let labels: [String]
    /// The labels of the compared list's columns, as ``name(_:)`` returns them.
    private let names: [String]

    private struct Pair {
        let before: Row?
        let after: Row?
        /// The columns to show, as ``columns(_:_:among:)`` returns them.
        let columns: [Int]
    }

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
        var pairs: [RowID: Pair] = [:]
        let columns = source.info.columns
        func note(_ old: Row?, _ new: Row?) {
            guard let row = new ?? old else { return }
            let shown = Self.columns(old, new, among: columns)
            // If another device has written the same value, this is not a change.
            guard old == nil || new == nil || !shown.isEmpty else { return }
            let pair = Pair(before: old, after: new, columns: shown)
            pairs[row.id] = pair
            rows.append(Self.row(row, pair, columns))
        }
        try await Self.read(source, query) { note(before.removeValue(forKey: $0.id), $0) }
        for (_, old) in before { note(old, nil) }
        rows.sort { ($0.cells[1].text, $0.id.name) < ($1.cells[1].text, $1.id.name) }
        list = RowList(rows.inNaturalOrder { $0.cells[1].text })
        self.pairs = pairs
        names = columns.map(Self.name)
        let instants = [from, to].map { $0.text(in: offset) }
        let seconds = instants.map { String($0.prefix(19)) }
        let titles = seconds[0] == seconds[1] ? instants : seconds
        labels = zip(titles, [from, to]).map { title, instant in
            // An instant that is out of range has a shorter text, which gets no `Z`.
            title.count >= 19 && offset.seconds(at: instant) == 0 ? title + "Z" : title
        }
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
        guard let found = list.row(row) else { return nil }
        var lines = zip(info.columns, found.cells).prefix(2).map { column, cell in
            Detail.Line(column.title, cell.text, cell.role)
        }
        if let pair = pairs[row] {
            let (old, new) = (labels[0], labels[1])
            let shown = pair.columns.map { ($0, Self.markedLines(pair, $0)) }
            lines += self.lines(old, .removed, pair.before, shown.map { ($0, $1.from) })
            lines += self.lines(new, .added, pair.after, shown.map { ($0, $1.to) })
        }
        return Detail(title: found.cells[1].text, sections: [.init("Difference", lines)])
    }

    /// Returns the lines of a state: for each column, the lines that the other state lacks, and the
    /// device that wrote the row.
    private func lines(
        _ label: String, _ role: TextRole, _ row: Row?,
        _ columns: [(Int, [MarkedLine])]
    ) -> [Detail.Line] {
        var lines: [Detail.Line] = []
        for (index, marked) in columns {
            let name = names.indices.contains(index) ? names[index] : ""
            lines += marked.map { line in
                Detail.Line(label, name + line.parts.map(\.text).joined(), role)
            }
        }
        lines = Detail.Line.linesOfText(lines)
        if let row, let device = row.device {
            let shown = row.cells.first { $0.role == .device && !$0.text.isEmpty }
            lines.append(
                Detail.Line(shown?.text ?? device.name, "wrote it", .dim, writer: device))
        }
        return lines
    }

    private static func markedLines(
        _ pair: Pair, _ index: Int
    ) -> (from: [MarkedLine], to: [MarkedLine]) {
        MarkedLines.between(
            text(of: pair.before, index, comparedTo: pair.after),
            text(of: pair.after, index, comparedTo: pair.before))
    }

    private static func read(
        _ source: any RowSource, _ query: RowQuery, _ body: (Row) -> Void
    ) async throws {
        try await RowExport.read(source, query, page: page, limit: limit, body)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let cells = list.row(row)?.cells else { return [] }
        // Shortened texts of both instants may look the same.
        let texts = cells.map { $0.value?.string ?? $0.text }
        let values = [CopyForm("after", texts[3]), CopyForm("before", texts[2])]
        return values.filter { !$0.text.isEmpty }
            + [CopyForm("row", texts.joined(separator: "\t"))]
    }

    // MARK: Columns

    /// Returns the columns in which two states of a row differ. If there is only one state, returns
    /// the column of its value. In a list without such a column, returns all columns.
    private static func columns(
        _ before: Row?, _ after: Row?, among columns: [Column]
    ) -> [Int] {
        let count = max(before?.cells.count ?? 0, after?.cells.count ?? 0)
        // The first column has the row's name.
        let compared = (0..<count).dropFirst().filter { index in
            [before, after].contains { cell(of: $0, index)?.isContent ?? false }
        }
        guard before == nil || after == nil else {
            return compared.filter { cell(of: before, $0) != cell(of: after, $0) }
        }
        let value = compared.first { columns.indices.contains($0) && name(columns[$0]).isEmpty }
        if let value { return [value] }
        return compared.filter { index in
            [before, after].contains { cell(of: $0, index)?.text.isEmpty == false }
        }
    }

    private static func cell(of row: Row?, _ index: Int) -> RowCell? {
        guard let row, row.cells.indices.contains(index) else { return nil }
        return row.cells[index]
    }

    /// Returns the label that is shown before the text of a column; empty for the column `value`.
    private static func name(_ column: Column) -> String {
        if column.id == "value" { return "" }
        return (column.id.hasPrefix("p:") ? String(column.id.dropFirst(2)) : column.id) + ": "
    }

    /// Returns the text of a column. Texts, lists and maps are returned in full, and so is any
    /// value whose shortened text would look the same in both rows.
    private static func text(of row: Row?, _ index: Int, comparedTo other: Row?) -> String? {
        guard let cell = Self.cell(of: row, index) else { return nil }
        guard let value = cell.value else { return cell.text }
        if let text = value.string { return text }
        let same = Self.cell(of: other, index)
        let looksTheSame = same?.text == cell.text && same?.value != value
        return cell.role == .collection || looksTheSame ? value.json.line : cell.text
    }

    private static func row(_ row: Row, _ pair: Pair, _ columns: [Column]) -> Row {
        let (change, role): (String, TextRole) =
            switch (pair.before, pair.after) {
            case (nil, _): ("added", .added)
            case (_, nil): ("removed", .removed)
            default: ("changed", .label)
            }
        var (old, new) = (Side(), Side())
        for index in pair.columns {
            let name = columns.indices.contains(index) ? Self.name(columns[index]) : ""
            let before = text(of: pair.before, index, comparedTo: pair.after)
            let after = text(of: pair.after, index, comparedTo: pair.before)
            let shown = DifferingTexts(before ?? "", after ?? "", same: sameWidth)
            old.add(name, before, shown: shown.first, isText: isText(pair.before, index))
            new.add(name, after, shown: shown.second, isText: isText(pair.after, index))
        }
        return Row(
            id: row.id,
            cells: [
                RowCell(change, role), RowCell(row.cells.first?.text ?? row.id.name, .key),
                cell(old, .removed), cell(new, .added),
            ])
    }

    private static func isText(_ row: Row?, _ index: Int) -> Bool {
        cell(of: row, index)?.value?.string != nil
    }

    private static func cell(_ side: Side, _ role: TextRole) -> RowCell {
        let text = side.shown.joined(separator: ", ")
        let shown = text.prefix(longest)
        return RowCell(
            shown.endIndex < text.endIndex ? String(shown) + "…" : text, role,
            value: .json(.string(side.whole.joined(separator: ", "))))
    }

    /// The columns of one state of a row.
    private struct Side {
        /// The full values, which are copied and filtered.
        private(set) var whole: [String] = []
        /// The shortened values. Texts are in quotation marks, as in comparisons of two stores.
        private(set) var shown: [String] = []

        mutating func add(_ name: String, _ value: String?, shown: String, isText: Bool) {
            guard let value else { return }
            whole.append(name + value)
            self.shown.append(name + (isText ? "\"\(shown)\"" : shown))
        }
    }
}
