/// The size of a screen or of a part of one, in cells.
public struct Size: Hashable, Sendable {
    /// The width.
    public var columns: Int
    /// The height.
    public var rows: Int

    /// Creates a size. Negative numbers count as zero.
    public init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    /// Whether the size has no cells.
    public var isEmpty: Bool { columns == 0 || rows == 0 }
}

/// The position of a cell, from the top left corner.
public struct Point: Hashable, Sendable {
    /// The column, from 0.
    public var column: Int
    /// The row, from 0.
    public var row: Int

    /// Creates a position.
    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }

    func right(by count: Int) -> Point { Point(column: column + count, row: row) }

    /// The top left corner.
    public static let zero = Point(column: 0, row: 0)
}

/// A part of the screen. It may extend beyond the screen's edge; drawing is clipped there.
public struct Rect: Hashable, Sendable {
    /// The first column.
    public var column: Int
    /// The first row.
    public var row: Int
    /// The width.
    public var columns: Int
    /// The height.
    public var rows: Int

    /// Creates a rectangle. Negative extents count as zero.
    public init(column: Int = 0, row: Int = 0, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    /// Creates a rectangle of a size in the top left corner.
    public init(_ size: Size) { self.init(columns: size.columns, rows: size.rows) }

    /// The size of the rectangle.
    public var size: Size { Size(columns: columns, rows: rows) }
    /// The top left corner of the rectangle.
    public var origin: Point { Point(column: column, row: row) }
    /// Whether the rectangle has no cells.
    public var isEmpty: Bool { columns == 0 || rows == 0 }
    /// The first column to the right of the rectangle.
    public var endColumn: Int { column + columns }
    /// The first row below the rectangle.
    public var endRow: Int { row + rows }

    /// Returns whether a position is inside the rectangle.
    public func contains(_ point: Point) -> Bool {
        point.column >= column && point.column < endColumn && point.row >= row
            && point.row < endRow
    }

    /// Returns a row of the rectangle, or a row below it.
    public func line(_ number: Int) -> Rect {
        Rect(column: column, row: row + number, columns: columns, rows: 1)
    }

    /// Returns the area inside a frame of one cell on each side.
    public func inset() -> Rect {
        Rect(
            column: column + min(1, columns), row: row + min(1, rows), columns: columns - 2,
            rows: rows - 2)
    }

    /// Returns the position in the first row that has the given column of the screen.
    func point(_ column: Int) -> Point { Point(column: column, row: row) }

    /// Returns the given columns of the rectangle, counted from its first column.
    func part(columns range: Range<Int>) -> Rect {
        Rect(column: column + range.lowerBound, row: row, columns: range.count, rows: rows)
    }

    /// Returns the rectangle without its first columns.
    func dropping(columns count: Int) -> Rect {
        Rect(column: column + count, row: row, columns: columns - count, rows: rows)
    }

    /// Returns the rectangle without its first rows.
    func dropping(rows count: Int) -> Rect {
        Rect(column: column, row: row + count, columns: columns, rows: rows - count)
    }

    /// Returns the intersection with `other`.
    public func intersection(_ other: Rect) -> Rect {
        let left = max(column, other.column)
        let top = max(row, other.row)
        return Rect(
            column: left, row: top, columns: min(endColumn, other.endColumn) - left,
            rows: min(endRow, other.endRow) - top)
    }
}
