/// A table under the name that people know it by: an entity of Core Data, or the table itself.
public struct NamedTable: Hashable, Sendable {
    /// A column under the name that people know it by.
    public struct Column: Hashable, Sendable {
        public let name: String
        /// The column itself.
        public let schema: ColumnSchema
        /// Whether its numbers are known to be seconds since 2001.
        public let isCoreDataDate: Bool
        /// Whether 16 bytes in the column are a UUID.
        public let uuidHint: BlobContent.UUIDHint
        /// Whether its bytes are in the form of ``ExternalBinary``.
        public let isExternalBinary: Bool
        /// The table that its values name rows of, by its name here.
        public let target: String?
    }

    public let name: String
    /// The table itself.
    public let schema: TableSchema
    /// Which of its rows are meant; `nil`: all.
    public let condition: RowCondition?
    public let columns: [Column]
    /// What keeps the table for itself, for one that people do not look for: `SQLite`, `the
    /// full-text index notes`. `nil` for the others.
    public let keeper: String?
    /// The entity, in a store of Core Data.
    public let entity: CoreDataModel.Entity?

    /// The word for what it is in `tideline tables list`.
    public var kind: String { entity == nil ? schema.kind.name : "entity" }

    /// The column of that name, whatever the case of its ASCII letters; by its name in the table
    /// where nothing is called so.
    public func column(_ name: String) -> Column? {
        columns.first { SQLName.areSame($0.name, name) }
            ?? columns.first { SQLName.areSame($0.schema.name, name) }
    }

    /// What is to be read of its rows.
    public func selection(
        where condition: RowCondition? = nil, sort: RowSelection.Sort? = nil
    ) -> RowSelection {
        let own = self.condition
        let both = own.flatMap { own in condition.map { own && $0 } } ?? own ?? condition
        return RowSelection(
            condition: both,
            sort: sort.map {
                .init(column($0.column)?.schema.name ?? $0.column, isDescending: $0.isDescending)
            })
    }
}
