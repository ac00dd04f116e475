import Tables

/// File formats for exported rows.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// A JSON array of objects.
    case json
    /// One JSON object per line.
    case jsonLines = "jsonl"
    /// RFC 4180, with column names in the first line. As in PostgreSQL, an empty field is null and
    /// `""` is empty text.
    case csv
    /// Like ``csv``, with tabs instead of commas.
    case tsv
    /// One `INSERT` statement per row, in a transaction.
    case sql

    /// Creates the format for the extension of a file name; `nil` if it is unknown.
    public init?(fileName: String) {
        switch ImportFormat(fileName: fileName) {
        case .csv: self = .csv
        case .tsv: self = .tsv
        case .json: self = .json
        case .jsonLines: self = .jsonLines
        case nil:
            guard fileName.lowercased().hasSuffix(".sql") else { return nil }
            self = .sql
        }
    }

    /// The byte between the fields of a row; `nil` if rows have no fields.
    public var delimiter: UInt8? {
        switch self {
        case .csv: UInt8(ascii: ",")
        case .tsv: UInt8(ascii: "\t")
        case .json, .jsonLines, .sql: nil
        }
    }
}
