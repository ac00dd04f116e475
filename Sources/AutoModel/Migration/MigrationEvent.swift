/// What a migration tells while tables that were there are changed.
public enum MigrationEvent: Sendable, Equatable {
    /// Before anything is changed in a file.
    case willMigrate(file: String, tables: [String])
    /// A part of a table was rewritten, from 0 to 1.
    case progress(table: String, Double)
    /// After all is committed.
    case didMigrate(file: String, tables: [String])
}

/// What a migration would lose.
public struct DataLoss: Sendable, Equatable {
    public enum Kind: Sendable {
        /// A column is no longer declared and holds values.
        case column
        /// Values have no counterpart in the column's new type. Where it is allowed they become the
        /// declared default.
        case narrowing
        /// Rows have no value in a column that must have one now. Where it is allowed they get the
        /// declared default.
        case missing
        /// Rows have the same values where each must have its own now. Where it is allowed the first of
        /// each stays, and the others are deleted.
        case duplicates
    }

    public let kind: Kind
    public let table: String
    /// The column, or the columns with commas between.
    public let column: String
    /// How many rows would lose something.
    public let count: Int
    /// The first hundred of them.
    public let ids: [Int64]
}

/// Whether a migration may lose something.
public enum DataLossAnswer: Sendable {
    case refuse
    case allow
}

extension DataLoss {
    /// The error of a migration that may not.
    func refused(_ path: String) -> AutoModelError {
        let rows = count == 1 ? "a row" : "\(count) rows"
        let text =
            switch kind {
            case .column:
                "the column '\(column)' of '\(table)' is no longer declared and holds values in "
                    + "\(rows); declare it, name it under 'formerly:' or allow it with "
                    + "'schema.removed(\"\(column)\")'"
            case .narrowing:
                "the column '\(column)' of '\(table)' has another type now, which the values of "
                    + "\(rows) do not fit; say what they become with 'schema.converting'"
            case .missing:
                "the column '\(column)' of '\(table)' must have a value now, and \(rows) have "
                    + "none; say what they get with 'schema.converting', or make it optional"
            case .duplicates:
                "\(rows) of '\(table)' repeat the values of others in '\(column)', which must be "
                    + "unique now; change them first"
            }
        return AutoModelError(
            .wouldLoseData, "\(path): \(text), or answer 'configuration.onDataLoss'", ids: ids)
    }
}
