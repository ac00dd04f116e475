import TidelineCore

/// The positions of a list's columns in a given width.
struct ColumnSpans {
    struct Span {
        /// The index of the column in the source.
        var index: Int
        var range: Range<Int>
        /// Whether the column takes remaining width and therefore scrolls sideways.
        var isFlexible: Bool
        /// The most precise form of timestamps that fits the column.
        var timeForm: TimeText.Form { TimeText.Form(columns: range.count) }
    }

    /// Returns the width in which all columns fit, with some width for flexible columns.
    static func naturalWidth(of columns: [Column]) -> Int {
        columns.reduce(gutter + max(0, columns.count - 1)) {
            $0 + max(1, $1.width ?? max($1.minimumWidth, 16))
        }
    }

    /// The number of cells before the first column: the change mark and the selection mark.
    static let gutter = 2

    /// The width up to which the first flexible column grows before other columns do.
    private static let leastOfFirst = 20

    private(set) var spans: [Span] = []

    /// Lays out columns.
    ///
    /// - Parameters:
    ///   - contents: The widths of the column contents seen so far. A flexible column first gets
    ///     its minimum width, and then the width of its contents. If there isn't enough width for
    ///     all contents, shortened columns become equally wide. The first column, which identifies
    ///     rows, isn't shortened below 20. The remaining width goes to fixed columns with longer
    ///     contents, and then to the last column.
    ///   - order: The indices of the columns to show; `nil` for all.
    init(_ columns: [Column], contents: [Int] = [], order: [Int]? = nil, width: Int) {
        let free = width - Self.gutter
        var (least, used) = Self.fitting(columns, order ?? Array(columns.indices), free)
        let shown = (order ?? Array(columns.indices)).filter { least[$0] != nil }
        let flexible = shown.filter { columns[$0].width == nil }
        var rest = max(0, free - used)
        var wanted = flexible.map { index in
            contents.indices.contains(index) ? max(0, contents[index] - (least[index] ?? 0)) : rest
        }
        // First shorten columns whose texts are recognizable by their start.
        for index in shown.reversed() where columns[index].yieldsWidth {
            let lacking = max(0, wanted.reduce(0) { min($0 + $1, free) } - rest)
            let spare = max(0, (least[index] ?? 0) - max(1, columns[index].minimumWidth))
            least[index]? -= min(lacking, spare)
            rest += min(lacking, spare)
        }
        if let first = flexible.first, let size = least[first], !wanted.isEmpty {
            let lead = max(0, min(wanted[0], Self.leastOfFirst - size, rest))
            least[first] = size + lead
            wanted[0] -= lead
            rest -= lead
        }
        var extras = Self.shares(
            of: rest,
            among: zip(flexible, wanted).map { (index: $0, least: least[$0] ?? 0, wanted: $1) })
        rest -= extras.values.reduce(0, +)
        // Remaining width first goes to columns with unusually long contents.
        for index in shown where columns[index].width != nil && contents.indices.contains(index) {
            let more = max(0, min(contents[index] - (least[index] ?? 0), rest))
            extras[index] = more
            rest -= more
        }
        if let last = flexible.last { extras[last, default: 0] += rest }
        var column = Self.gutter
        for (place, index) in shown.enumerated() {
            var size = least[index] ?? 1
            let isFlexible = columns[index].width == nil
            size += extras[index] ?? 0
            if place > 0 { column += 1 }
            let end = min(column + size, max(column, width))
            spans.append(Span(index: index, range: column..<end, isFlexible: isFlexible))
            column = end
        }
    }

    /// Distributes width beyond the minimum widths. No column gets more than it wants. If there
    /// isn't enough width for all, shortened columns become equally wide.
    private static func shares(
        of space: Int, among columns: [(index: Int, least: Int, wanted: Int)]
    ) -> [Int: Int] {
        let most = { (column: (index: Int, least: Int, wanted: Int)) in
            min(column.wanted, space)
        }
        func used(_ width: Int) -> Int {
            columns.reduce(0) { $0 + max(0, min(most($1), width - $1.least)) }
        }
        // The greatest common width of shortened columns.
        var (width, tooWide) = (0, (columns.map { $0.least + most($0) }.max() ?? 0) + 1)
        while tooWide - width > 1 {
            let middle = width + (tooWide - width) / 2
            if used(middle) <= space { width = middle } else { tooWide = middle }
        }
        var left = space - used(width)
        var shares: [Int: Int] = [:]
        for column in columns.reversed() {
            let share = max(0, min(most(column), width - column.least))
            // The remainder of the division goes to the last columns.
            let more = left > 0 && column.least + share == width && share < most(column) ? 1 : 0
            shares[column.index] = share + more
            left -= more
        }
        return shares
    }

    /// Returns the columns that fit a width, with their minimum widths and the total.
    private static func fitting(
        _ columns: [Column], _ order: [Int], _ free: Int
    ) -> (least: [Int: Int], used: Int) {
        var (least, used) = ([Int: Int](), 0)
        func take(_ order: some Sequence<Int>, _ widths: (Column) -> [Int]) {
            for index in order where least[index] == nil {
                let gap = least.isEmpty ? 0 : 1
                let widths = widths(columns[index]).map { max(1, $0) }
                let fitting = widths.first { used + gap + $0 <= free }
                guard let width = fitting ?? (least.isEmpty ? widths.last : nil) else { return }
                least[index] = width
                used += gap + width
            }
        }
        take(order) { [$0.width ?? $0.minimumWidth] }
        let first = order.filter { columns[$0].leastWidth != nil }
        guard let end = order.lastIndex(where: { columns[$0].leastWidth != nil }),
            first.contains(where: { least[$0] == nil })
        else { return (least, used) }
        // Include the most important columns, and as many before them as fit.
        (least, used) = ([:], 0)
        take(first) { [$0.leastWidth ?? $0.minimumWidth] }
        if first.allSatisfy({ least[$0] != nil }) {
            take(order[...end]) { [$0.width ?? $0.minimumWidth, $0.minimumWidth] }
        }
        return (least, used)
    }
}
