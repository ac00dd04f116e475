public import Replication

/// A selection of a source's rows, their order, and the instant at which they are shown.
public struct RowQuery: Hashable, Sendable {
    /// A sort order by one column.
    public struct Sort: Hashable, Sendable {
        /// The column's identifier.
        public var column: String
        /// Whether the sort is descending.
        public var isDescending: Bool
        /// Creates an order by a column, ascending by default.
        public init(column: String, isDescending: Bool = false) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    /// The filter as typed; empty for all rows.
    public var filter: String
    /// The sort order; `nil` for the source's own order.
    public var sort: Sort?
    /// The instant of the snapshot view; `nil` for now.
    public var instant: Timestamp?

    /// Creates a query; by default, for all current rows in the source's own order.
    public init(filter: String = "", sort: Sort? = nil, instant: Timestamp? = nil) {
        self.filter = filter
        self.sort = sort
        self.instant = instant
    }
}
