import Tables

/// The words that the editor of a query offers: the names of tables and columns, and the queries
/// that the user typed before.
public struct QueryWords: Hashable, Sendable {
    /// A table, with the names of its columns.
    public struct Table: Hashable, Sendable {
        public let name: String
        public let columns: [String]

        /// Creates a table.
        public init(_ name: String, columns: [String]) {
            self.name = name
            self.columns = columns
        }
    }

    /// The tables that a query can read.
    public var tables: [Table]
    /// The queries that ran or failed, oldest first.
    public var typed: [String]

    /// Creates the words. By default, there are none.
    public init(tables: [Table] = [], typed: [String] = []) {
        self.tables = tables
        self.typed = typed
    }

    /// Returns a name as SQL, in quotation marks if it needs them.
    public static func sql(_ name: String) -> String { SQLName.identifier(name) }
}
