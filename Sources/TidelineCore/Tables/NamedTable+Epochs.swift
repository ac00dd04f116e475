public import Tables

extension NamedTable {
    /// Guesses the epochs of the columns' numbers from the first rows.
    ///
    /// - Throws: Errors from reading.
    public func guessedEpochs(_ file: TableFile) throws -> [String: Epoch] {
        let others = columns.filter { $0.isCoreDataDate || !Epoch.canBeGuessed(for: $0.schema) }
        let dated = without(others.map(\.name))
        guard !dated.columns.isEmpty else { return [:] }
        var rows: [[TableValue]] = []
        try RowStream(file, dated, dated.selection()).forEachRow(limit: 60) { rows.append($1) }
        var epochs: [String: Epoch] = [:]
        for (index, column) in dated.columns.enumerated() {
            epochs[column.name] = Epoch.guess(
                column: column.schema, values: rows.lazy.map { $0[index] })
        }
        return epochs
    }
}
