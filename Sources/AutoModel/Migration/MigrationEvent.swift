/// A step of a migration that changes, moves or deletes existing tables.
///
/// A table that moves to another file is reported for both files.
public enum MigrationEvent: Sendable, Equatable {
    /// Sent before anything changes in a file.
    case willMigrate(file: String, tables: [String])
    /// Sent while a table is rewritten, with the completed fraction.
    case progress(table: String, Double)
    /// Sent after all changes to a file are committed.
    case didMigrate(file: String, tables: [String])
}

/// Data that a migration would lose.
public struct DataLoss: Sendable, Equatable {
    /// A kind of data loss.
    public enum Kind: Sendable {
        /// A column that is no longer declared has values.
        case column
        /// The column's new type can't represent some of the values. If the loss is allowed, these
        /// values become the declared default.
        case narrowing
        /// Rows have no value in a column that now requires one. If the loss is allowed, these rows
        /// get the declared default.
        case missing
        /// Rows have the same values in columns that now require unique values. If the loss is
        /// allowed, the first row with each value stays and the others are deleted.
        case duplicates
    }

    /// The kind of data that would be lost.
    public let kind: Kind
    /// The declared table.
    public let table: String
    /// The column, or several columns separated by commas.
    public let column: String
    /// The number of rows that would lose data.
    public let count: Int
    /// The identifiers of the first hundred of these rows.
    public let ids: [Int64]
}

/// Whether a migration may lose data.
public enum DataLossAnswer: Sendable {
    /// The migration fails, and the file stays unchanged.
    case refuse
    /// The migration continues without the data.
    case allow
}

extension DataLoss {
    /// Returns the error for a migration that isn't allowed to lose the data.
    func refused(_ path: String) -> AutoModelError {
        let rows = count == 1 ? "a row" : "\(count) rows"
        let text =
            switch kind {
            case .column:
                "the column '\(column)' of '\(table)' is no longer declared and has values in "
                    + "\(rows); declare it, name it under 'formerly:' or allow dropping it with "
                    + "'schema.removed(\"\(column)\")'"
            case .narrowing:
                "the column '\(column)' of '\(table)' has a new type that can't represent the "
                    + "values of \(rows); convert them with 'schema.converting'"
            case .missing:
                "the column '\(column)' of '\(table)' now requires a value, and \(rows) have "
                    + "none; provide values with 'schema.converting', or make the property optional"
            case .duplicates:
                "\(rows) of '\(table)' have the same value as another row in '\(column)', which "
                    + "must now be unique; change these values first"
            }
        return AutoModelError(
            .wouldLoseData, "\(path): \(text), or allow it in 'configuration.onDataLoss'", ids: ids)
    }
}
