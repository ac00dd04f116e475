import TidelineCore

/// Where the columns of a list stand in its width.
struct ColumnSpans {
    struct Span {
        /// The column's place in the source's order.
        var index: Int
        var range: Range<Int>
        /// Whether it takes what is left, and so is scrolled sideways.
        var isFlexible: Bool
        /// How an instant is shown in it: as exactly as its width allows.
        var timeForm: TimeText.Form { TimeText.Form(columns: range.count) }
    }

    /// How many columns of the screen a list needs for all of its columns: what takes what is left
    /// has some for its content.
    static func naturalWidth(of columns: [Column]) -> Int {
        columns.reduce(gutter + max(0, columns.count - 1)) {
            $0 + max(1, $1.width ?? max($1.minimumWidth, 16))
        }
    }

    /// The columns before the first one: a mark of change, and a mark of choice.
    static let gutter = 2

    private(set) var spans: [Span] = []

    /// - Parameters:
    ///   - contents: How wide the contents of the columns are, as far as was seen. A flexible column
    ///     gets its least width, then what its contents need, the first ones first, except for what
    ///     the others need at least; the rest goes to the last.
    ///   - order: The columns that are wanted, by their places; `nil`: all.
    init(_ columns: [Column], contents: [Int] = [], order: [Int]? = nil, width: Int) {
        let free = width - Self.gutter
        var shown: [Int] = []
        var used = 0
        for index in order ?? Array(columns.indices) {
            let column = columns[index]
            let need = max(1, column.width ?? column.minimumWidth) + (shown.isEmpty ? 0 : 1)
            if used + need > free, !shown.isEmpty { break }
            shown.append(index)
            used += need
        }
        let flexible = shown.filter { columns[$0].width == nil }
        var rest = max(0, free - used)
        var extras: [Int: Int] = [:]
        for (place, index) in flexible.enumerated() {
            let least = max(1, columns[index].minimumWidth)
            let wanted = contents.indices.contains(index) ? max(0, contents[index] - least) : rest
            // A quarter is left while others wait.
            let waiting = flexible.count - place
            let extra = min(rest, wanted, waiting == 1 ? rest : max(1, rest * 3 / 4))
            extras[index] = extra
            rest -= extra
        }
        if let last = flexible.last { extras[last, default: 0] += rest }
        var column = Self.gutter
        for (place, index) in shown.enumerated() {
            var size = max(1, columns[index].width ?? columns[index].minimumWidth)
            let isFlexible = columns[index].width == nil
            size += extras[index] ?? 0
            if place > 0 { column += 1 }
            let end = min(column + size, max(column, width))
            spans.append(Span(index: index, range: column..<end, isFlexible: isFlexible))
            column = end
        }
    }
}
