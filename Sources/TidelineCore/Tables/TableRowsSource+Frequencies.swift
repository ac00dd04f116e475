import Replication
import Tables

extension TableRowsSource {
    /// Counts the values of a column in the database.
    ///
    /// - Throws: ``FilterError``; errors from reading.
    func frequencies(
        of column: String, in query: RowQuery, limit: Int
    ) async throws -> ValueFrequencies? {
        guard let column = table.columns.first(where: { Name($0.name) == Name(column) }) else {
            return nil
        }
        let condition = try condition(for: query)
        let epoch = grid.epochs[column.name]
        let profile = try await database.read(instructionsPerByte: .max) { [self] in
            try ColumnProfile($0, of: column, in: table, where: condition, limit: limit)
        }.0
        func item(_ value: TableValue, _ count: Int) -> ValueFrequencies.Item {
            .init(
                cell: TableGrid.cell(value, column, epoch), count: count,
                filter: TableFilter.term(for: column, equalTo: value, of: table))
        }
        var items = profile.frequent.map { item($0.value, $0.count) }
        // SQLite orders equally frequent texts by their bytes.
        let areTexts = profile.frequent.allSatisfy {
            if case .text = $0.value { true } else { false }
        }
        if areTexts {
            items.sort {
                ($1.count, NaturalText($0.cell.text)) < ($0.count, NaturalText($1.cell.text))
            }
        }
        if profile.nullCount > 0 {
            let place = items.firstIndex { $0.count < profile.nullCount } ?? items.count
            items.insert(item(.null, profile.nullCount), at: place)
        }
        return ValueFrequencies(
            items: items, rowCount: profile.rowCount,
            distinctCount: profile.distinctCount + (profile.nullCount > 0 ? 1 : 0),
            sections: profile.sections { TableGrid.text($0, column, epoch) })
    }
}

extension TableFilter {
    /// Returns the term that selects rows with a value in a column; `nil` if no filter can.
    static func term(
        for column: NamedTable.Column, equalTo value: TableValue, of table: NamedTable
    ) -> String? {
        let fields = fields(of: table)
        func term(_ field: String, _ text: String) -> String? {
            FilterField.named(field, in: fields)?.term(equalTo: text)
        }
        switch value {
        case .null:
            return table.column("null") == nil
                ? term("null", column.name) : term(column.name, "NULL")
        case .integer(let number): return term(column.name, String(number))
        case .real(let number): return number.isFinite ? term(column.name, "\(number)") : nil
        case .text(let text): return term(column.name, text)
        case .malformedText, .blob, .unread: return nil
        }
    }
}
