import GRDB
public import Tables

extension TableFilter {
    /// Returns the error if the filter compares a date with a column that has numbers and no texts,
    /// and the numbers aren't recognized as dates. No row would match.
    ///
    /// SQLite also stores texts in columns of numbers, so this reads the values.
    ///
    /// - Throws: As `TableFile.read`.
    public func problem(
        in file: TableFile, isCancelled: (@Sendable () -> Bool)? = nil
    ) throws -> FilterError? {
        for comparison in dateComparisons {
            let name = SQLName.quoted(comparison.column.schema.name)
            let rows = "SELECT 1 FROM \(SQLName.quoted(table.schema.name)) WHERE typeof(\(name))"
            let sql = """
                SELECT EXISTS (\(rows) IN ('integer', 'real')) AND NOT EXISTS (\(rows) = 'text')
                """
            let hasOnlyNumbers = try file.read(
                instructionsPerByte: .max, isCancelled: isCancelled
            ) { try Bool.fetchOne($0, sql: sql) == true }.0
            guard hasOnlyNumbers else { continue }
            return FilterError(
                "\(comparison.column.name) is not recognized as a date: compare it with a number",
                at: comparison.range)
        }
        return nil
    }
}
