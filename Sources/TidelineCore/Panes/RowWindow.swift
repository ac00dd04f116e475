/// A request for a part of a list.
public struct WindowRequest: Hashable, Sendable {
    /// The position of a window.
    public enum Position: Hashable, Sendable {
        /// The window starts at this index, clamped to the list.
        case index(Int)
        /// The window contains this row, `offset` rows below its top. If the row no longer exists,
        /// the window contains the row at its former index, `fallback`.
        case row(RowID, offset: Int, fallback: Int)
        /// The window starts with the first row that contains `text` (smart case). The search
        /// starts after `index` or, if `backwards`, before it, and wraps around once.
        case search(String, from: Int, backwards: Bool)
    }

    /// The rows to list.
    public var query: RowQuery
    /// The position of the window.
    public var position: Position
    /// The number of rows, at most 10,000.
    public var count: Int

    /// Creates a request for `count` rows, by default from the start.
    public init(query: RowQuery = RowQuery(), position: Position = .index(0), count: Int) {
        self.query = query
        self.position = position
        self.count = count
    }
}

/// A part of a list.
public struct RowWindow: Hashable, Sendable {
    /// The rows of the window, in list order.
    public var rows: [Row]
    /// The index of the first of `rows` in the whole list.
    public var start: Int
    /// The length of the whole list, or the number known so far while it is being counted.
    public var total: Int
    /// Whether `total` is exact.
    public var isTotalExact = true
    /// The index of the requested row (by identity or by search) in the whole list; `nil` if no row
    /// was requested or found.
    public var found: Int?
}
