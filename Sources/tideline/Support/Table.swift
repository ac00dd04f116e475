import CommandSupport
import TidelineCore

/// A readable table of rows: columns are as wide as their widest cell, and the last one is
/// unpadded.
struct Table {
    private let titles: [String]
    private var rows: [[String]] = []

    init(_ titles: String...) { self.titles = titles }

    mutating func add(_ cells: String...) { rows.append(cells.map(Printable.line)) }

    func print() {
        guard !rows.isEmpty else { return }
        var widths = titles.map(CharacterWidth.width(of:))
        for row in rows {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], min(CharacterWidth.width(of: cell), 60))
            }
        }
        for row in [titles] + rows {
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                guard column + 1 < row.count else { break }
                let missing = max(0, widths[column] - CharacterWidth.width(of: cell))
                line += String(repeating: " ", count: missing + 2)
            }
            Output.line(line)
        }
    }
}
