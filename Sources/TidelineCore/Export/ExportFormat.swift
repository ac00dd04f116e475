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

    /// Creates the format for the extension of a file name.
    ///
    /// - Parameter fileName: The name of the file.
    /// - Returns: `nil` for an unknown extension.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        switch fileName[fileName.index(after: dot)...].lowercased() {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "json": self = .json
        case "jsonl", "ndjson": self = .jsonLines
        case "sql": self = .sql
        default: return nil
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
