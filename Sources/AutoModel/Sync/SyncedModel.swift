import Foundation

/// A model whose rows travel, as the module that sends them sees it.
package struct SyncedModel: Sendable {
    package struct Column: Sendable {
        package enum Kind: Sendable, Equatable {
            case boolean, date, other(ColumnType)
            /// To a row of that table.
            case reference(String)
        }
        package let name: String
        package let formerNames: [String]
        package let kind: Kind
        package let isNullable: Bool
        /// What a row has where nobody gave it a value; `nil` where each has another.
        package let defaultValue: SQLValue?
        /// Whether a stored value is one of the property's.
        package let fits: @Sendable (SQLValue) -> Bool
    }
    package struct List: Sendable {
        package let name: String
        package let target: String
        let table: String
    }

    package let table: String
    package let formerNames: [String]
    package let columns: [Column]
    package let lists: [List]

    init(_ layout: TableLayout) {
        table = layout.name
        formerNames = layout.formerNames
        columns = layout.columns.map(Column.init)
        lists = layout.links.map {
            List(name: $0.name, target: $0.target._$declaration.table, table: $0.table)
        }
    }
}

extension SyncedModel.Column {
    init(_ column: ColumnDescription) {
        name = column.name
        formerNames = column.formerNames
        isNullable = column.isNullable
        defaultValue = column.isNullable ? .null : column.defaultValue
        fits = column.fits
        if let target = column.reference?.type {
            kind = .reference(target._$declaration.table)
        } else if column.valueType == Bool.self || column.valueType == Bool?.self {
            kind = .boolean
        } else if column.valueType is any DateColumn.Type {
            kind = .date
        } else {
            kind = .other(column.type)
        }
    }
}

/// Dates, and dates that may be missing.
private protocol DateColumn {}
extension Date: DateColumn {}
extension Optional: DateColumn where Wrapped == Date {}

/// Names a row of a synced model.
package struct RowKey: Hashable, Sendable {
    package let table: String
    package let id: Int64
    package init(table: String, id: Int64) {
        self.table = table
        self.id = id
    }
}

/// A row as it is in the file, or is to be there.
package struct SyncedRow: Sendable {
    package let key: RowKey
    /// The name that other devices know it by.
    package var identifier: String
    /// By the columns of its model; `nil`: nobody said, and it is the default.
    package var values: [SQLValue?]
    package var lists: [String: [Int64]]
    /// What it holds of other devices' writes; `nil` if unknown.
    package var seen: String?

    package init(
        key: RowKey, identifier: String, values: [SQLValue?], lists: [String: [Int64]],
        seen: String? = nil
    ) {
        self.seen = seen
        self.key = key
        self.identifier = identifier
        self.values = values
        self.lists = lists
    }
}

/// What was not sent of a row.
package struct PendingRow: Sendable {
    package struct Mark: Sendable {
        package let column: String
        let mark: Int64
        /// When it was written: a Julian day.
        package let date: Double
        /// What the table had of other devices' writes to the row when it was first saved.
        package let seen: String
        /// The targets that a list had before it changed; `nil` if that wasn't noted.
        package let base: [Int64]?
    }
    package let key: RowKey
    package let marks: [Mark]
    /// `nil` where there is no such row any more.
    package let row: SyncedRow?
    /// Whether other devices know it.
    package let isKnown: Bool

    /// The mark that says of a column or list that it is to be sent.
    package func mark(of column: String) -> Mark? {
        marks.first { $0.column == column } ?? marks.first { $0.column == "*" }
            ?? (isNew ? marks.first : nil)
    }

    static func ids(_ text: String) -> [Int64] {
        text.split(separator: ",").compactMap { Int64($0) }
    }

    /// Whether all of it is to be sent.
    package var isNew: Bool { marks.contains { $0.column == "*" } || (row != nil && !isKnown) }
}
