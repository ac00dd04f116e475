import TidelineCore

/// Where the columns of a list stand in its width.
struct ColumnSpans {
    struct Span {
        /// The column's place in the source's order.
        var index: Int
        var range: Range<Int>
        /// Whether it takes what is left, and so is scrolled sideways.
        var isFlexible: Bool
    }

    /// The columns before the first one: a mark of change, and a mark of choice.
    static let gutter = 2

    private(set) var spans: [Span] = []

    init(_ columns: [Column], width: Int) {
        let free = width - Self.gutter
        var shown: [Int] = []
        var used = 0
        for (index, column) in columns.enumerated() {
            let need = max(1, column.width ?? column.minimumWidth) + (shown.isEmpty ? 0 : 1)
            if used + need > free, !shown.isEmpty { break }
            shown.append(index)
            used += need
        }
        let flexible = shown.filter { columns[$0].width == nil }
        let weight = flexible.reduce(0) { $0 + max(1, columns[$1].minimumWidth) }
        var rest = max(0, free - used)
        let share = rest
        var column = Self.gutter
        for (place, index) in shown.enumerated() {
            var size = max(1, columns[index].width ?? columns[index].minimumWidth)
            let isFlexible = columns[index].width == nil
            if isFlexible {
                let isLast = index == flexible.last
                let extra =
                    isLast ? rest : share * max(1, columns[index].minimumWidth) / max(1, weight)
                size += min(extra, rest)
                rest -= min(extra, rest)
            }
            if place > 0 { column += 1 }
            let end = min(column + size, max(column, width))
            spans.append(Span(index: index, range: column..<end, isFlexible: isFlexible))
            column = end
        }
    }
}
