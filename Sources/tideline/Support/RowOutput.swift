import ArgumentParser
import CommandSupport
import TidelineCore

/// The format of a command that prints rows.
struct RowFormat: ParsableArguments {
    @Option(
        help: "Print a file format: csv, tsv, json, jsonl or sql.",
        completion: .list(ExportFormat.allCases.map(\.rawValue)), transform: Self.format)
    var format: ExportFormat?
    @Option(
        parsing: .unconditional,
        help: "The field that means NULL in CSV and TSV (default: an empty one).")
    var null: String?
    @Flag(help: "With --format sql, start with the statement that creates the table.")
    var schema = false
    @OptionGroup var json: JSONFlag

    /// The format of the output; `nil` for a readable table.
    var chosen: ExportFormat? { json.json ? .jsonLines : format }

    private static func format(_ name: String) throws -> ExportFormat {
        guard let format = ExportFormat(rawValue: name) else {
            throw ValidationError("choose csv, tsv, json, jsonl or sql")
        }
        return format
    }

    /// Returns the names for rows that aren't stored in a table.
    func names(_ table: String, _ columns: [String]) -> ExportWriter.SQLNames {
        schema ? .creating(table, columns) : ExportWriter.SQLNames(table)
    }

    func validate() throws {
        if json.json, format != nil {
            throw ValidationError("--json means --format jsonl: choose one format")
        }
        if schema, format != .sql { throw ValidationError("--schema requires --format sql") }
        guard let null else { return }
        guard let delimiter = format?.delimiter else {
            throw ValidationError("--null requires --format csv or tsv")
        }
        guard !null.utf8.contains(where: { [delimiter, 10, 13, UInt8(ascii: "\"")].contains($0) })
        else {
            throw ValidationError("--null can't contain delimiters, quotes or line breaks")
        }
    }
}

/// The rows that a command prints, in the chosen format.
struct RowOutput {
    private var table = StreamedTable()
    private var writer: ExportWriter?

    /// Whether rows are printed as a readable table.
    let isForPeople: Bool

    init(_ format: RowFormat, sql: ExportWriter.SQLNames) {
        writer = format.chosen.map { ExportWriter($0, null: format.null ?? "", sql: sql) }
        isForPeople = writer == nil
    }

    /// Prints a row of the readable table.
    mutating func add(_ cells: [String], titles: [String], key: String? = nil) {
        table.add(cells, titles: titles, key: key)
    }

    /// Prints a row in a file format.
    mutating func add(_ record: RowRecord) {
        writer?.add(record)
        if writer?.isFull == true { write(writer?.take()) }
    }

    /// Ends the output.
    ///
    /// - Parameter names: The names of the columns, if there was no row.
    mutating func end(names: [String]) {
        table.end()
        if writer?.names == nil { writer?.names = names }
        write(writer?.end())
    }

    /// Prints the rows so far and leaves the output incomplete, before an error is reported.
    mutating func flush() {
        table.end()
        write(writer?.take())
    }

    private func write(_ bytes: [UInt8]?) {
        guard let bytes else { return }
        if Output.isTerminal {
            let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
            Output.piece(Printable.text(text))
        } else {
            bytes.withUnsafeBytes { Output.bytes($0) }
        }
    }
}
