extension Surface {
    /// Adjacent cells of a row.
    public struct Span: Hashable, Sendable {
        /// The row of the cells.
        public var row: Int
        /// The columns of the cells.
        public var columns: Range<Int>
    }

    /// Returns the parts that differ from an earlier surface, top to bottom, or everything if the
    /// sizes differ. Wide characters are never split.
    ///
    /// - Parameter earlier: The earlier surface; `nil` for none, so that everything differs.
    public func changes(since earlier: Surface?) -> [Span] {
        guard !size.isEmpty else { return [] }
        guard let earlier, earlier.size == size else {
            return (0..<size.rows).map { Span(row: $0, columns: 0..<size.columns) }
        }
        var spans: [Span] = []
        for row in 0..<size.rows {
            let start = row * size.columns
            var column = 0
            while column < size.columns {
                guard cells[start + column] != earlier.cells[start + column] else {
                    column += 1
                    continue
                }
                var end = column + 1
                while end < size.columns, cells[start + end] != earlier.cells[start + end] {
                    end += 1
                }
                if cells[start + column].width == 0, column > 0 { column -= 1 }
                if end < size.columns, cells[start + end].width == 0 { end += 1 }
                spans.append(Span(row: row, columns: column..<end))
                column = end
            }
        }
        return spans
    }
}
