import Replication
import Tables

/// Creates the lists of tables' rows.
enum TableLists {
    private static let sampleSize = 60
    /// The number of rows above which sorting without an index needs a warning.
    private static let costlyCount = 200_000

    /// Returns the list of a table's or a view's rows.
    ///
    /// - Parameters:
    ///   - condition: The condition that selects rows; `nil` for all rows.
    ///   - order: The order of the rows until the user chooses another order; `nil` for the order
    ///     of their keys.
    /// - Throws: Errors from reading.
    static func rows(
        of table: NamedTable, in database: TableDatabase, condition: RowCondition? = nil,
        order: RowSelection.Sort? = nil, title: String? = nil,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> any RowSource {
        guard table.schema.hasKeys else {
            let names = table.columns.map { SQLName.quoted($0.schema.name) }.joined(separator: ", ")
            let result = QueryResultSource(
                database, table.name,
                "SELECT \(names) FROM \(SQLName.quoted(table.schema.name))",
                collations: table.schema.missingCollations)
            try result.load(isCancelled)
            return result
        }
        let grid = try grid(
            of: table, in: database, condition: condition, isCancelled: isCancelled)
        let source = TableRowsSource(
            database, table, title: title ?? table.name, condition: condition, order: order,
            grid: grid)
        try source.noteNewest()
        return source
    }

    /// Returns the grid of a table's rows, with column widths that fit a sample of the rows.
    ///
    /// - Throws: Errors from reading.
    static func grid(
        of table: NamedTable, in database: TableDatabase, condition: RowCondition?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> TableGrid {
        let columns = table.columns.prefix(TableGrid.limit).map(\.schema.name)
        let walk = try RowWalk(table.schema, table.selection(where: condition))
        let ((sample, count), _) = try database.file.read(isCancelled: isCancelled) { db in
            let first = try walk.rows(db, columns: columns, limit: sampleSize)
            let last = try walk.rows(db, columns: columns, backwards: true, limit: sampleSize)
            return (first + last, try table.schema.estimatedCount(db) ?? 0)
        }
        let known = max(count, database.counts[table.name] ?? 0)
        let grid = TableGrid(
            table, sample: sample, epochs: database.epochs(of: table),
            chosen: database.chosenColumns(of: table)
        ) { column in
            guard known > costlyCount,
                let sorted = try? RowWalk(
                    table.schema, RowSelection(sort: .init(column.schema.name))),
                !sorted.isIndexed
            else { return nil }
            return "no index: reads and sorts all \(Counted.grouped(known)) rows"
        }
        for column in grid.named {
            database.setEpoch(grid.epochs[column.name], of: column.name, in: table)
        }
        return grid
    }
}
