import Foundation

/// The description of a synced model for the module that syncs it.
package struct SyncedModel: Sendable {
    package struct Column: Sendable {
        package enum Kind: Sendable, Equatable {
            case boolean, date, other(ColumnType)
            /// A reference to a row of the table with this name.
            case reference(String)
        }
        package let name: String
        package let formerNames: [String]
        package let kind: Kind
        /// The value if no device has set one; `nil` if the default differs between new rows.
        package let defaultValue: SQLValue?
        /// Whether the property can read a stored value.
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

/// Dates, optional or not.
private protocol DateColumn {}
extension Date: DateColumn {}
extension Optional: DateColumn where Wrapped == Date {}

/// The identity of a row of a synced model.
package struct RowKey: Hashable, Sendable {
    package let table: String
    package let id: Int64
    package init(table: String, id: Int64) {
        self.table = table
        self.id = id
    }
}

/// A row's current content, or the content to write.
package struct SyncedRow: Sendable {
    package let key: RowKey
    /// The row's identifier on other devices.
    package var identifier: String
    /// The values by column; `nil` if no device has set a value.
    package var values: [SQLValue?]
    package var lists: [String: [Int64]]
    /// The writes of other devices that the row reflects; `nil` if unknown.
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

/// A row with unsent values.
package struct PendingRow: Sendable {
    package struct Mark: Sendable {
        package let column: String
        let mark: Int64
        /// The time of the write, as a Julian day number.
        package let date: Double
        /// The writes of other devices that the table contained when the value was first saved.
        package let seen: String
        /// The targets of a list before its change; `nil` if unknown.
        package let base: [Int64]?
    }
    package let key: RowKey
    package let marks: [Mark]
    /// The current row; `nil` if it was deleted.
    package let row: SyncedRow?
    /// Whether other devices have received the row.
    package let isKnown: Bool

    /// Returns the mark that schedules a column or list for sending. If the whole row is scheduled,
    /// returns the mark of the row.
    package func mark(of column: String) -> Mark? {
        marks.first { $0.column == column } ?? marks.first { $0.column == "*" }
            ?? (isNew ? marks.first : nil)
    }

    static func ids(_ text: String) -> [Int64] {
        text.split(separator: ",").compactMap { Int64($0) }
    }

    /// Whether to send the whole row.
    package var isNew: Bool { marks.contains { $0.column == "*" } || (row != nil && !isKnown) }
}
