import CommandSupport
import TidelineCore

/// A readable table of any number of rows. The first rows determine the column widths.
/// Later rows are printed as they arrive.
struct StreamedTable {
    private var titles: [String] = []
    private var held: [[String]] = []
    private var widths: [Int] = []
    private static let sample = 200
    /// The maximum width of a cell in terminal columns.
    private static let widest = 60

    /// Adds a row.
    ///
    /// - Parameter key: The name of the row, if it isn't among its columns.
    mutating func add(_ cells: [String], titles: [String], key: String? = nil) {
        self.titles = key == nil ? titles : ["ROW"] + titles
        let cells = (key.map { [$0] } ?? []) + cells
        held.append(cells.map(Self.shown))
        if !widths.isEmpty || held.count >= Self.sample { end() }
    }

    private static func shown(_ cell: String) -> String {
        Printable.clipped(cell, columns: widest)
    }

    /// Prints the rows that were added since the last call.
    mutating func end() {
        if widths.isEmpty, !held.isEmpty {
            widths = titles.indices.map { column in
                ([titles] + held).map {
                    column < $0.count ? CharacterWidth.width(of: Self.shown($0[column])) : 0
                }.max() ?? 0
            }
            Table.print(titles.map(Self.shown), widths: widths)
        }
        for row in held { Table.print(row, widths: widths) }
        held = []
    }
}
