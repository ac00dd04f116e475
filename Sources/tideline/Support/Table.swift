import CommandSupport
import TidelineCore

/// A readable table of rows: columns are as wide as their widest cell, and the last column is
/// unpadded.
struct Table {
    private let titles: [String]
    private let isJSON: Bool
    private var rows: [[String]] = []

    /// Creates a table.
    ///
    /// - Parameter isJSON: Whether rows that have JSON are printed as JSON instead.
    init(_ titles: String..., isJSON: Bool = false) {
        self.titles = titles
        self.isJSON = isJSON
    }

    mutating func add(_ cells: String...) { rows.append(cells.map(Printable.line)) }

    /// Adds a row, or prints its JSON.
    mutating func add(_ cells: String..., json: @autoclosure () -> JSONValue) {
        if isJSON { return Output.json(json()) }
        rows.append(cells.map(Printable.line))
    }

    /// Prints the table if it has rows.
    func print() {
        guard !rows.isEmpty else { return }
        var widths = titles.map(CharacterWidth.width(of:))
        for row in rows {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], min(CharacterWidth.width(of: cell), 60))
            }
        }
        for row in [titles] + rows { Self.print(row, widths: widths) }
    }

    /// Prints a line of cells. Columns without a width are left out.
    static func print(_ row: [String], widths: [Int]) {
        var line = ""
        for (column, cell) in row.enumerated() {
            line += cell
            guard column + 1 < row.count, column < widths.count else { break }
            let missing = max(0, widths[column] - CharacterWidth.width(of: cell))
            line += String(repeating: " ", count: missing + 2)
        }
        Output.line(line)
    }
}
