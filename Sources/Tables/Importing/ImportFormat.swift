/// A file format that rows are imported from.
public enum ImportFormat: String, Hashable, Sendable, CaseIterable {
    /// RFC 4180, with column names in the first line.
    case csv
    /// Like ``csv``, with tabs instead of commas.
    case tsv
    /// An array of objects.
    case json
    /// One object per line.
    case jsonLines = "jsonl"

    /// Creates the format for the extension of a file name.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        switch fileName[fileName.index(after: dot)...].lowercased() {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "json": self = .json
        case "jsonl", "ndjson": self = .jsonLines
        default: return nil
        }
    }
}

/// A place in an imported file. Columns count bytes.
package struct ImportPlace: Hashable, Sendable {
    var line = 1
    var column = 1

    /// Returns an error that starts with the place.
    package func error(
        _ message: String, _ code: TablesError.Code = .unreadable
    ) -> TablesError {
        TablesError(code, "line \(line), column \(column): \(message)")
    }

    mutating func pass(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) } else { column += 1 }
    }

    /// The maximum number of bytes of one row. Without this limit, an opening quotation mark
    /// without a closing quotation mark would cause the whole file to be loaded.
    static let rowLimit = 256 << 20

    /// The maximum number of columns in a file, which is SQLite's default limit. Without this
    /// limit, a row that consists of delimiters would take many times its size in memory.
    static let columnLimit = 2000
}
