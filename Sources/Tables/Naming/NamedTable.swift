/// A table under the name that its users know: a Core Data entity, or the table itself.
public struct NamedTable: Hashable, Sendable {
    /// A column under the name that its users know.
    public struct Column: Hashable, Sendable {
        /// The name of the column.
        public let name: String
        /// The column in the schema.
        public let schema: ColumnSchema
        /// The type of the attribute, in a Core Data store whose model is known.
        public let attributeType: CoreDataModel.AttributeType?
        /// Whether the column's numbers are known to be seconds since 2001.
        public let isCoreDataDate: Bool
        /// Whether to show 16 bytes in the column as a UUID.
        public let uuidHint: BlobContent.UUIDHint
        /// Whether binary values have the form of ``ExternalBinary``.
        public let isExternalBinary: Bool
        /// The table whose rows the column's values refer to.
        public let target: String?
    }

    /// The name of the table.
    public let name: String
    /// The table in the schema.
    public let schema: TableSchema
    /// The condition that selects the table's rows; `nil` for all rows of the schema's table.
    public let condition: RowCondition?
    /// The columns, in order.
    public private(set) var columns: [Column]
    /// The owner of an internal table, such as `SQLite` or `the full-text index notes`; `nil` for a
    /// user's table.
    public let keeper: String?
    /// The entity, in a Core Data store.
    public let entity: CoreDataModel.Entity?

    /// The name of the kind in `tideline tables list`.
    public var kind: String { entity == nil ? schema.kind.name : "entity" }

    /// Returns the column with that name. If there is none, returns the column that has that name
    /// in the schema. The case of ASCII letters doesn't matter.
    public func column(_ name: String) -> Column? {
        columns.first { SQLName.areSame($0.name, name) }
            ?? columns.first { SQLName.areSame($0.schema.name, name) }
    }

    /// Returns the table without the columns with those names.
    package func without(_ names: [String]) -> Self {
        var table = self
        table.columns.removeAll { column in
            names.contains { SQLName.areSame($0, column.name) }
        }
        return table
    }

    /// Returns a selection of the table's rows, with an optional further condition.
    public func selection(
        where condition: RowCondition? = nil, sort: RowSelection.Sort? = nil
    ) -> RowSelection {
        let own = self.condition
        let both = own.flatMap { own in condition.map { own && $0 } } ?? own ?? condition
        return RowSelection(
            condition: both,
            sort: sort.map { sort in
                guard sort.expression == nil, let column = column(sort.column) else { return sort }
                return .init(column.schema.name, isDescending: sort.isDescending)
            })
    }
}
